"""docs/security.md: what it names is there."""

from __future__ import annotations

import re

from harness import ROOT

TEXT = (ROOT / 'docs/security.md').read_text()


def test_every_test_that_it_names_is_there() -> None:
    """Each test in the file that was named last before it."""
    named = re.findall(r'`(test/\S+\.py)`|`(test_\w+)`', TEXT)
    assert len(named) > 10
    file = ''
    for path, test in named:
        if path:
            file = (ROOT / path).read_text()
        else:
            assert f'\ndef {test}(' in file, test


def test_every_file_that_it_names_is_there() -> None:
    named = re.findall(r'`((?:config|constraints|docs|test|\.ci)/[^`\s]*|\w+\.(?:py|xml))`', TEXT)
    assert 'config/sros2/policy.xml' in named
    for path in named:
        assert (ROOT / path).exists() or (ROOT / 'launch' / path).exists(), path


def test_the_targets_of_make_that_it_names_are_there() -> None:
    makefile = (ROOT / 'Makefile').read_text()
    targets = set(re.findall(r'`make (\w+)`', TEXT))
    assert targets
    for target in targets:
        assert re.search(rf'^{target}:', makefile, re.MULTILINE), target
