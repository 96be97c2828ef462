"""``ik2d import-urdf`` and ``ik2d check``: from a robot description to an arm and back."""

from __future__ import annotations

import shlex

import pytest
from descriptions import ARM, PublicLimb, fixed, joint, robot
from harness import load_configuration

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.from_urdf import load_arm, with_description

GOOD = robot(*ARM, joint('neck', 'base', 'head', axis='0 0 1'))


@pytest.fixture
def file(tmp_path):
    for module in ('defusedxml', 'xacro'):
        pytest.importorskip(module, reason=f'{module} is not installed')
    path = tmp_path / 'arm.urdf'
    path.write_text(GOOD)
    return path


@pytest.fixture
def output(tmp_path):
    return tmp_path / 'arm.yaml'


def test_the_only_arm_of_a_robot_is_written_and_checked(run, file, output):
    status, out, err = run('import-urdf', file, '-o', output)
    assert (status, out) == (0, '')
    assert "from the link 'base' to the link 'tool'" in err
    arm = load_arm(output)
    assert arm.names == ('shoulder', 'elbow')
    assert arm.base_frame == 'base'
    assert load_configuration(output).arm == arm
    assert "# - from the link 'base' to the link 'tool'" in output.read_text()
    assert '# Imported by: ik2d import-urdf' in output.read_text()
    status, out, _ = run('check', output, '--urdf', file)
    assert (status, 'verdict:     the same' in out) == (0, True)


def test_a_table_is_written_as_a_wall(run, file, output):
    assert run('import-urdf', file, '--table', '-0.5', '-o', output)[0] == 0
    (wall,) = load_arm(output).walls
    assert (wall.name, wall.point, wall.normal) == ('table', (0.0, 0.0, -0.5), (0.0, 0.0, 1.0))


def test_the_options_are_written_to_the_file(run, file, output):
    roll = joint('roll 1', 'fore', 'tool', axis='1 0 0', xyz=(0.2, 0.0, 0.0))
    file.write_text(robot(*ARM[:2], roll))
    options = (
        '--base base --tip tool --tip-offset -0.1,0,0.02 --hold roll_1=-0.5 '
        '--limits elbow=-1.5,0.5 --limits shoulder=none --velocity elbow=1.5'
    )
    given = [option.replace('_', ' ') for option in options.split()]
    assert run('import-urdf', file, *given, '-o', output)[0] == 0
    text = output.read_text()
    for words in ('--limits elbow=-1.5,0.5', '--velocity elbow=1.5', "--hold 'roll 1=-0.5'"):
        assert words in text
    parameters = load_parameters(output)
    assert parameters['hold.roll 1'] == -0.5
    assert parameters['tip_frame'] == 'tool'
    assert parameters['command_joints'] == ['shoulder', 'elbow', 'roll 1']
    assert 'chain.shoulder.min_position' not in parameters
    assert parameters['tip_offset'] == [-0.1, 0.0, 0.02]
    assert run('check', output, '--urdf', file)[0] == 0
    assert run('check', output, '--urdf', file, '--tip', 'tool')[0] == 1  # another link, its origin


def test_the_base_is_base_link_by_default_as_in_the_node(run, file, output):
    on_a_column = (
        fixed('base', 'base_link', (0.0, 0.0, 0.75)),
        ARM[0].replace('"base"', '"base_link"'),
    )
    file.write_text(robot(*on_a_column, *ARM[1:]))
    assert run('import-urdf', file, '-o', output)[0] == 0
    described = {'robot_description': file.read_text()}
    assert load_arm(output) == arm_from_parameters(with_description(described)[0])
    assert load_arm(output).base_frame == 'base_link'


def test_the_command_can_be_pasted_from_the_head_of_the_file(run, file, output):
    folder = 'with spaces ' * 12
    (file.parent / folder).mkdir()
    moved = file.rename(file.parent / folder / file.name)
    assert run('import-urdf', moved, '-o', output)[0] == 0
    head = output.read_text().splitlines()[0]
    words = shlex.split(head.removeprefix('# Imported by: '))
    assert words == ['ik2d', 'import-urdf', str(moved), '-o', str(output)]


def test_arguments_of_xacro_may_stand_anywhere(run, file, output):
    text = GOOD.replace('"shoulder"', '"$(arg prefix)shoulder"').replace(
        '<robot name="r">', '<robot name="r"><xacro:arg name="prefix" default="x_"/>'
    )
    file.write_text(text.replace('<robot', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"', 1))
    assert run('import-urdf', file, '--tip', 'tool', 'prefix:=left/', '-o', output)[0] == 0
    assert load_arm(output).names == ('left/shoulder', 'elbow')
    assert run('check', output, 'prefix:=left/', '--urdf', file)[0] == 0


def test_what_is_imported_with_a_note_is_checked_with_the_same_note(run, file, output):
    file.write_text(robot(ARM[0], ARM[1].replace('rpy="0.0', 'rpy="0.004'), ARM[2]))
    status, _, err = run('import-urdf', file, '-o', output)
    [note] = [line for line in err.splitlines() if 'not quite parallel' in line]
    status, out, _ = run('check', output, '--urdf', file)
    assert (status, note in out, 'as imported' in out) == (0, True, True)
    text = output.read_text()
    output.write_text(text.replace('link: [0.3, ', 'link: [0.302, '))
    assert output.read_text() != text
    status, out, _ = run('check', output, '--urdf', file)
    assert (status, 'DIFFERENT' in out, 'note' in out) == (1, True, False)
    assert 'difference:  2.' in out


@pytest.mark.parametrize('name', ['al5d', 'pincher', 'so100', 'wx250'])
def test_a_shipped_arm_is_as_imported_in_whatever_plane_its_angles_count(run, file, name):
    tip = load_parameters(find_config(name))['tip_frame']
    file.write_text(PublicLimb(name, 'ik2d').text.replace('"tip"', f'"{tip}"'))
    assert run('check', name, '--urdf', file)[0] == 0


def test_an_arm_that_lacks_a_joint_of_the_robot_is_different(run, file, output):
    assert run('import-urdf', file, '--tip', 'tool', '-o', output)[0] == 0
    wrist = joint('wrist', 'fore', 'hand', xyz=(0.2, 0.0, 0.0))
    file.write_text(robot(*ARM[:2], wrist, fixed('hand', 'tool', (0.1, 0.0, 0.0))))
    status, out, err = run('check', output, '--urdf', file)
    assert (status, 'DIFFERENT' in out, err) == (1, True, '')


@pytest.mark.parametrize('names', [['end0'], ['end0', 'end1', 'end2']])
def test_ends_of_arms_are_a_list_where_a_robot_has_several_ends(run, file, names):
    ends = [fixed('tool', name, (0.0, 0.0, 0.1)) for name in names]
    wrist = joint('wrist', 'fore', 'odd', 'prismatic', axis='0 1 0.1')
    file.write_text(robot(*ARM, *ends, wrist))
    status, _, err = run('import-urdf', file)
    first, *others = err.splitlines()
    assert (status, 'the robot has several ends;' in first, first[-1]) == (2, True, ':')
    # To the odd one leads no arm.
    assert others == [f'  {name} (with shoulder, elbow)' for name in names]


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (('--tip', 'tol'), "the tip: there is no link 'tol'; links are"),
        (('--base', 'bse'), "the base: there is no link 'bse'"),
        (('--hold', 'elbo=0'), "there is no joint 'elbo'"),
        (('--hold', 'elbow'), 'it must be JOINT=POSITION'),
        (('--limits', 'elbow=1'), 'it must be LOWER,UPPER or none'),
        (('--limits', 'elbow=1,-1'), 'the lower one below the upper one'),
        (('--limits', 'elbow=1,1'), 'to fix a joint: --hold'),
        (('--velocity', 'elbow=0'), 'a number of rad/s or m/s > 0'),
        (('--tip-offset', '1'), 'it must be X,Y,Z in m'),
        (('--package', 'a=/nowhere'), 'it must be a folder'),
        (('--arg', 'a=1'), 'NAME:=VALUE'),
        (('--base', 'head', '--tip', 'tool'), "is not behind the base 'head'"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(run, file, arguments, words):
    status, out, err = run('import-urdf', file, *arguments)
    assert (status, out, err.count('\n')) == (2, '', 1)
    assert words in err
