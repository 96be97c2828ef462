"""The examples of README and reference run as they are written, and every link leads somewhere."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import re
import shlex
import sys
from functools import partial

import pytest
import yaml
from harness import CONFIG, DRIVEN, HAS_ROS, ROOT, asking, once
from node_client import THREE, TWO, parameter_file, values

from ik2d_ros import cli, kinematics

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticStatus
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter

README = (ROOT / 'README.md').read_text() + (ROOT / 'doc/reference.md').read_text()

TUTORIAL = (ROOT / 'doc/your_arm.md').read_text()


def blocks(language, text=README):
    return re.findall(rf'^ *```{language}\n(.*?)\n *```$', text, re.MULTILINE | re.DOTALL)


ARTICLES = (ROOT / 'doc/two_articles.md').read_text()
PATHS = (ROOT / 'doc/paths.md').read_text()
DRIVING = (ROOT / 'doc/driving.md').read_text()
DOCUMENTS = sorted([*ROOT.glob('*.md'), *(ROOT / 'doc').glob('*.md')])


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
    node = start_process('node', '--ros-args', '--params-file', CONFIG / 'two_bone.yaml')
    node.wait_for_output('ready')
    (code,) = [block for block in blocks('python') if 'ArmClient' in block]
    script = start_process(sys.executable, '-c', code)
    assert script.wait() == 0, script.output
    assert script.stdout.splitlines() == said_in(code) == ['TOO_FAR', 'True', 'True']


@pytest.mark.parametrize(
    'name', ['', '.arm', '.batch', '.chain', '.path', '.path_timing', '.plane', '.solve']
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
        if program == 'ik2d' and arguments != ['view']:
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
    node = start_process('node', '--ros-args', '--params-file', desk / 'arm.yaml', *fast)
    node.wait_for_output('ready')
    program = start_process(sys.executable, desk / 'desk.py')
    assert program.wait(120.0) == 0, program.output
    outcomes = program.stdout.splitlines()
    assert len(outcomes) == TUTORIAL.count('    lambda: ') + 1
    assert all(outcome.startswith('REACHED: ') for outcome in outcomes)


def requests(text):
    """The commands of a document that ask nodes for something."""
    lines = re.findall(
        r'ros2 (topic pub|service call|param set) ([^`\n]+)', re.sub(r'\\\n', '', text)
    )
    return [(command, shlex.split(rest, comments=True)) for command, rest in lines]


def filled(message, content):
    """A message with the content of a mapping, as ``ros2 topic pub`` reads it."""
    types = message.get_fields_and_field_types()
    for name, given in content.items():
        value = given
        if isinstance(given, dict):
            value = filled(getattr(message, name), given)
        elif isinstance(given, list) and isinstance(given[0], dict):
            _, package, kind = re.findall(r'\w+', types[name])
            value = [filled(of_type(f'{package}/msg/{kind}')(), each) for each in given]
        setattr(message, name, value)
    return message


def of_type(name):
    package, kind, own = name.split('/')
    return getattr(importlib.import_module(f'{package}.{kind}'), own)


def carry_out(command, words, node, wait):
    """Do what a command of ``ros2`` does, and return what is answered."""
    if command == 'topic pub':
        topic, kind, content = words[-3:]
        message = filled(of_type(kind)(), yaml.safe_load(content))
        publisher = node.create_publisher(type(message), topic, 10)
        wait(publisher.get_subscription_count, what=f'the subscription of {topic}')
        publisher.publish(message)
        return None
    if command == 'service call':
        service, kind, *content = words
        called = of_type(kind)
        request = filled(called.Request(), yaml.safe_load(content[0]) if content else {})
    else:
        name, parameter, value = words
        service, called = f'{name}/set_parameters_atomically', SetParametersAtomically
        changed = Parameter(parameter, value=yaml.safe_load(value)).to_parameter_msg()
        request = called.Request(parameters=[changed])
    client = node.create_client(called, service)
    wait(client.service_is_ready, what=service)
    answer = wait(asking(client, request), what=f'the answer of {service}')
    answer = getattr(answer, 'result', answer)
    assert getattr(answer, 'success', True), answer
    assert getattr(answer, 'successful', True), answer
    return answer


FIRST_MOTION = re.search(r'## First motion\n(.*?)\n## ', DRIVING, re.DOTALL)[1]


@once
def test_nodes_take_what_the_documents_ask_of_them(
    start_process, ros_node, statuses, spin_until, tmp_path
):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    hand = {'command_joints': [*THREE['joints'], 'gripper'], 'poses.rest.elbow': 1.5}
    for name, module, parameters in (
        ('arm', 'node', {**THREE, **hand}),
        ('arms', 'node', {**TWO, 'arms': ['left', 'right']}),
        ('sim', 'sim', TWO),
    ):
        file = parameter_file(tmp_path / f'{name}.yaml', parameters)
        start_process(module, '--ros-args', '--params-file', file)
    text = ''.join(document.read_text() for document in DOCUMENTS).replace(FIRST_MOTION, '')
    for command, words in requests(text):
        carry_out(command, words, ros_node, partial(spin_until, ros_node))
    assert statuses
    assert all(each.status[0].level != DiagnosticStatus.ERROR for each in statuses)


@once
def test_the_steps_of_a_first_motion_move_a_scara_a_little_from_where_it_is(
    start_process, ros_node, statuses, spin_until, tmp_path
):
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    file, wait = CONFIG / 'machines/scara_nivuciis.yaml', partial(spin_until, ros_node)
    (settings,) = map(yaml.safe_load, blocks('yaml', FIRST_MOTION))
    own = parameter_file(tmp_path / 'own.yaml', settings)
    away = ('-p', 'initial.joint1:=0.9', '-p', 'initial.joint2:=-1.4')
    start_process('sim', '--ros-args', '--params-file', file, *away)
    start_process('node', *DRIVEN, '--params-file', file, '--params-file', own)
    wait(lambda: statuses and values(statuses[-1])['code'] == 'READY')
    tips, poses, given = [], [], {}
    for command, words in requests(FIRST_MOTION):
        statuses.clear()
        content = re.sub(r'\b[A-Z]+\b', lambda word: str(given[word[0]]), words[-1])
        answer = carry_out(command, [*words[:-1], content], ros_node, wait)
        if words[0].endswith('stop'):
            tip, joints = re.search(r'tip at \((.*)\) m, (.*)\.', answer.message).groups()
            assert 'e-' not in tip + joints  # tiny numbers
            tips.append([*map(float, tip.split(','))])
            poses.append({name: float(q) for name, q in map(str.split, joints.split(', '))})
            x, y, z = tips[-1]
            given.update(X=x - 0.02, Y=y, Z=z, JOINT='joint1', POSITION=poses[-1]['joint1'] + 0.1)
        if re.search('/(joint_)?target$', words[1]):
            for at_goal in ('false', 'true'):
                wait(lambda say=at_goal: statuses and values(statuses[-1])['at_goal'] == say)
            assert values(statuses[-1])['code'] == 'REACHED'
    first, turned, _ = poses
    assert f'tip at ({", ".join(f"{x:.3f}" for x in tips[0])}) m' in FIRST_MOTION
    assert turned == pytest.approx({**first, 'joint1': first['joint1'] + 0.1}, abs=0.02)
    x, y, z = tips[1]
    assert tips[2] == pytest.approx([x - 0.02, y, z], abs=0.01)


def test_the_arms_in_the_documents_are_arms(tmp_path):
    from ik2d_ros.robot.from_urdf import load_arm

    file = tmp_path / 'arm.yaml'
    names = []
    for text in blocks('yaml', README + TUTORIAL):
        file.write_text(text)
        names.append(load_arm(file).names)
    assert names == [
        ('shoulder', 'elbow'),
        ('waist', 'shoulder', 'elbow', 'wrist_roll'),
        ('waist', 'shoulder', 'elbow', 'wrist'),
    ]


def test_every_public_name_has_its_place_in_the_pages_of_the_api():
    pages = ''.join(page.read_text() for page in (ROOT / 'doc/api').glob('*.rst'))
    entry = r'^\.\. (?:auto\w+|py:data):: ik2d_ros\.(?:\w+\.)*(\w+)$'
    named = re.findall(entry, pages, re.MULTILINE)
    assert {*kinematics.__all__, 'load_arm', 'ArmClient', 'Outcome'} <= set(named)
    assert len(named) == len(set(named))


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
