"""docs/reliability.md: the tests that it names hold its promises, so they exist."""

from __future__ import annotations

import re

from harness import ROOT

TEXT = (ROOT / 'docs' / 'reliability.md').read_text(encoding='utf-8')


def test_the_tests_that_hold_the_promises_exist() -> None:
    named = set(re.findall(r'`((?:\w+/)+test_\w+\.py)`', TEXT))
    assert len(named) > 10
    missing = {file for file in named if not (ROOT / 'test' / file).is_file()}
    assert not missing


def test_every_test_of_faults_holds_a_promise() -> None:
    files = {f'faults/{path.name}' for path in (ROOT / 'test' / 'faults').glob('test_*.py')}
    assert {file for file in files if f'`{file}`' not in TEXT} == set()


def test_every_promise_names_what_holds_it() -> None:
    rows = re.findall(r'^\| (?!promise|---)(.+)\|$', TEXT, re.MULTILINE)
    assert len(rows) > 10
    assert [row for row in rows if '.py`' not in row] == []


def test_the_documents_that_it_leads_to_exist() -> None:
    for file in re.findall(r'\]\((?!https?:)([^)#]+)\)', TEXT):
        assert (ROOT / 'docs' / file).is_file(), file
