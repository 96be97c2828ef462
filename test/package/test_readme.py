"""The examples of README and reference run as they are written, and every link leads somewhere."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import re
import shlex
import sys

import pytest
from harness import ROOT, once

from ik2d_ros import cli, kinematics

README = (ROOT / 'README.md').read_text() + (ROOT / 'doc/reference.md').read_text()

TUTORIAL = (ROOT / 'doc/your_arm.md').read_text()


def blocks(language, text=README):
    return re.findall(rf'^```{language}\n(.*?)\n```$', text, re.MULTILINE | re.DOTALL)


ARTICLES = (ROOT / 'doc/two_articles.md').read_text()
PATHS = (ROOT / 'doc/paths.md').read_text()


def said_in(code):
    """The output that an example has in its comments."""
    return re.findall(r'^(?:print\(.*\)\s*)?# (.*)$', code, re.MULTILINE)


@pytest.mark.parametrize(
    'text', [README, ARTICLES, PATHS], ids=['README, reference', 'articles', 'paths']
)
def test_the_python_examples_print_what_their_comments_say(text):
    code = '\n'.join(block for block in blocks('python', text) if 'ArmClient' not in block)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue().splitlines() == said_in(code)


def test_the_client_prints_what_its_comments_say(start_process, ros_environment):
    config = ROOT / 'config/two_bone.yaml'
    node = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', config)
    node.wait_for_output('ready')
    (code,) = [block for block in blocks('python') if 'ArmClient' in block]
    script = start_process(sys.executable, '-c', code)
    assert script.wait() == 0, script.output
    assert script.stdout.splitlines() == said_in(code) == ['TOO_FAR', 'True', 'True']


@pytest.mark.parametrize(
    'name', ['', '.arm', '.batch', '.chain', '.path', '.path_timing', '.solve', '.walls']
)
def test_the_examples_of_the_library_say_what_they_give(name):
    module = importlib.import_module('ik2d_ros' + name.replace('.', '.kinematics.'))
    failed, count = doctest.testmod(module)
    assert (failed, count > 0) == (0, True)


COMMANDS = [
    line.partition('#')[0].strip()
    for block in blocks('bash')
    for line in block.splitlines()
    if re.match('ik2d (?!demo|view)', line)
]


@pytest.mark.parametrize('command', COMMANDS)
def test_the_commands_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, *arguments = shlex.split(command)
    assert cli.main(arguments) == 0
    written = [argument for argument in arguments if argument.endswith(('.png', '.urdf'))]
    assert all((tmp_path / name).stat().st_size > 0 for name in written)


@pytest.fixture
def desk(tmp_path):
    """A folder with the files of the tutorial."""
    for language, files in {
        'yaml': ['arm.yaml'],
        'csv': ['square.csv', 'points.csv'],
        'python': ['desk.py'],
    }.items():
        for name, text in zip(files, blocks(language, TUTORIAL), strict=True):
            assert f'`{name}`' in TUTORIAL
            (tmp_path / name).write_text(text)
    return tmp_path


def test_the_commands_of_the_tutorial_do_what_it_says(desk, monkeypatch, capsys):
    monkeypatch.chdir(desk)
    said = []
    for line in '\n'.join(blocks('bash', TUTORIAL)).splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == 'ik2d':
            assert cli.main(arguments) == 0
            out, err = capsys.readouterr()
            assert not err, line
            said.append(out)
    _, reached, blocked, path, calibrated = said
    assert 'The target can be reached' in reached
    assert "5 mm across wall 'table'" in blocked
    assert 'can be followed: REACHED' in path
    before, after = re.search(r'from ([\d.]+ mm) to ([\d.]+ mm)', TUTORIAL).groups()
    assert f'before: {before} off' in calibrated
    assert f'after:  {after} off' in calibrated


@once
def test_the_program_of_the_tutorial_moves_its_arm(desk, start_process, ros_environment):
    fast = ('-p', 'path_speed:=0.5')
    node = start_process(
        '-m', 'ik2d_ros.node', '--ros-args', '--params-file', desk / 'arm.yaml', *fast
    )
    node.wait_for_output('ready')
    program = start_process(sys.executable, desk / 'desk.py')
    assert program.wait(120.0) == 0, program.output
    outcomes = program.stdout.splitlines()
    assert len(outcomes) == TUTORIAL.count('    lambda: ') + 1
    assert all(outcome.startswith('REACHED: ') for outcome in outcomes)


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
        ('shoulder', 'elbow', 'wrist', 'wrist_roll'),
        ('waist', 'shoulder', 'elbow', 'wrist'),
    ]


def test_every_public_name_has_its_place_in_the_pages_of_the_api():
    pages = ''.join(page.read_text() for page in (ROOT / 'doc/api').glob('*.rst'))
    entry = r'^\.\. (?:auto\w+|py:data):: ik2d_ros\.(?:\w+\.)*(\w+)$'
    named = re.findall(entry, pages, re.MULTILINE)
    assert {*kinematics.__all__, 'load_arm', 'ArmClient', 'Outcome'} <= set(named)
    assert len(named) == len(set(named))


DOCUMENTS = sorted([*ROOT.glob('*.md'), *(ROOT / 'doc').glob('*.md')])
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
