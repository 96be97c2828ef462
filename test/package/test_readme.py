"""The examples of README and reference run as they are written, and every link leads somewhere."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys

import pytest
from harness import ROOT, run_program

README = (ROOT / 'README.md').read_text() + (ROOT / 'docs/reference.md').read_text()


TUTORIAL = (ROOT / 'docs/your_arm.md').read_text()


def blocks(language, text=README):
    return re.findall(rf'^```{language}\n(.*?)^```', text, re.MULTILINE | re.DOTALL)


def python_example(word):
    """The example that contains a word, and the output in its comments."""
    (code,) = [block for block in blocks('python') if word in block]
    return code, re.findall(r'^(?:print\(.*\)\s*)?# (.*)$', code, re.MULTILINE)


def test_the_python_example_prints_what_its_comments_say():
    code, said = python_example('solve_batch')
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue().splitlines() == said


def test_the_client_prints_what_its_comments_say(start_process, ros_environment):
    config = ROOT / 'config/two_bone.yaml'
    node = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', config)
    node.wait_for_output('ready')
    code, said = python_example('ArmClient')
    script = start_process(sys.executable, '-c', code)
    assert script.wait() == 0, script.output
    assert script.stdout.splitlines() == said == ['TOO_FAR', 'True', 'True']


COMMANDS = [
    line.partition('#')[0].strip()
    for block in blocks('bash')
    for line in block.splitlines()
    if line.startswith('ik2d ') and not line.startswith('ik2d demo')
]


@pytest.mark.parametrize('command', COMMANDS)
def test_the_commands_run(command, tmp_path):
    _, *arguments = shlex.split(command)
    done = run_program(sys.executable, '-m', 'ik2d_ros.cli', *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = [argument for argument in arguments if argument.endswith(('.png', '.urdf'))]
    assert all((tmp_path / name).stat().st_size > 0 for name in written)


def test_the_arms_in_the_documents_are_arms(tmp_path):
    from ik2d_ros.robot.from_urdf import load_arm

    file = tmp_path / 'arm.yaml'
    names = []
    for yaml in blocks('yaml', README + TUTORIAL):
        file.write_text(yaml)
        names.append(load_arm(file).names)
    assert names == [
        ('shoulder', 'elbow'),
        ('waist', 'shoulder', 'elbow'),
        ('shoulder', 'elbow'),
    ]


DOCUMENTS = sorted([*ROOT.glob('*.md'), *(ROOT / 'docs').glob('*.md')])
LINK = re.compile(r'(?:\]\(|(?:src|href)=")(?!https?:|mailto:)([^)#"\s]*)(?:#([^)"\s]+))?[)"]')


def headings(text: str) -> set[str]:
    """The anchors of a document, as they are made of its headings."""
    lines = re.findall(r'^#+ (.+)$', text, flags=re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', line.lower()).replace(' ', '-') for line in lines}


@pytest.mark.parametrize('document', DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document) -> None:
    for path, anchor in LINK.findall(document.read_text(encoding='utf-8')):
        target = (document.parent / path) if path else document
        assert target.exists(), path
        if anchor:
            assert anchor in headings(target.read_text(encoding='utf-8')), f'{path}#{anchor}'
