"""``ik2d`` as people and shells see it."""

from __future__ import annotations

import json
import math
import os
import sys

import pytest
from harness import CONFIG, load_configuration, run_program
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros import __version__, cli
from ik2d_ros.commands import parser
from ik2d_ros.commands.solve import ask
from ik2d_ros.kinematics.kernel import kernel_name
from ik2d_ros.pilot.answer import Situation
from ik2d_ros.pilot.outcome import KEYS, length, text_of
from ik2d_ros.pilot.plan import plan_target
from ik2d_ros.pilot.request import Point

SHIPPED = sorted(path.stem for path in CONFIG.glob('*.yaml'))

# r = 0.55 m, limits of 2.6 rad: one target for each answer.
TWO_BONE = {
    'REACHED': (True, '0.3', '0.1'),
    'TOO_FAR': (False, '0.7', '0'),
    'TOO_NEAR': (False, '0.01', '0'),
    'JOINT_LIMIT': (False, '0.1', '0'),
}


@pytest.fixture
def solved(run):
    """``ik2d solve --json``, read back."""

    def solved(*arguments):
        status, out, err = run('solve', *arguments, '--json')
        assert (status, err) == (0, '')
        return json.loads(out, parse_constant=lambda text: pytest.fail(f'{text} is not JSON'))

    return solved


@pytest.mark.parametrize(('code', 'case'), TWO_BONE.items())
def test_every_answer_has_a_code_and_a_reason(run, solved, code, case):
    reachable, x, y = case
    answer = solved('two_bone', x, y)
    assert (answer['code'], answer['reachable']) == (code, reachable)
    status, out, err = run('solve', 'two_bone', x, y)
    assert (status, err) == (0, '')
    said = dict(line.split(':', 1) for line in out.splitlines() if ':' in line[:11])
    assert said['reachable'].split()[0].strip(';') == ('yes' if reachable else 'no')
    assert said['reason'].strip().endswith('.')
    assert said['error'].strip() == length(answer['error'])
    assert 'deg off' not in said['angle']
    for name, q in answer['joints'].items():
        assert f' {name} {q + 0.0:.6g} rad ({math.degrees(q) + 0.0:.3g} deg)\n' in out


@pytest.mark.parametrize('angle', ['0.2', '-1e-1', '-.3', '6.2'])
def test_a_target_is_solved_at_an_angle(run, solved, angle):
    target = ('three_link', '0.35', '0.3', '--angle', angle)
    said = solved(*target)
    assert said['code'] == 'REACHED'
    assert math.remainder(said['angle'] - float(angle), math.tau) == pytest.approx(0.0, abs=1e-6)
    turned = math.degrees(math.remainder(float(angle), math.tau))
    assert f'({turned:.3g} deg), ' in run('solve', *target)[1]


def test_a_missed_angle_is_reported_and_may_be_tolerated(run, solved):
    target = ('three_link', '0.35', '0.3', '--angle', '2.5')
    said = solved(*target)
    assert (said['code'], said['reachable']) == ('TIP_ANGLE', False)
    assert said['error'] <= 1e-6 < said['angle_error']
    off = f'{math.degrees(said["angle_error"]):.3g} deg off'
    assert run('solve', *target)[1].count(off) == 2  # as the reason, and beside the angle
    assert solved(*target, '--angle-tolerance', 1.01 * said['angle_error'])['code'] == 'REACHED'


def test_unknown_keys_and_suspicious_values_are_reported(run, tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    use_sim_time: true\n    joints: [a]\n'
        '    chain: {a: {length: 1.0, max_velocity: 90.0}}\n    turn_table: {joint: w}\n'
    )
    _, _, err = run('urdf', file)
    assert err.count("unknown parameters: 'turn_table.joint'") == 1
    assert err.count('90 rad/s: degrees per second?') == 1
    assert 'use_sim_time' not in err


@pytest.mark.parametrize('command', ['solve', 'path'])
def test_targets_out_of_the_plane_are_refused(run, tmp_path, command):
    """In the node's words, unless they are to be projected."""
    arm, points = tmp_path / 'arm.yaml', tmp_path / 'points.csv'
    arm.write_text(
        '/**:\n  ros__parameters:\n    joints: [a, b]\n    base: {rpy: [1.5708, 0.0, 0.0]}\n'
        '    chain: {a: {length: 0.3}, b: {length: 0.25}}\n'
    )
    points.write_text('0.15,0.0,0.05\n0.15,0.5,0.05\n')
    arguments = {'solve': ('0.15', '0.5', '0.05'), 'path': (points,)}[command]
    status, _, err = run(command, arm, *arguments)
    assert status == 2
    assert "0.5 m out of the arm's plane, more than the plane_tolerance of 0.011 m" in err
    status, out, _ = run(command, arm, *arguments, '--plane-tolerance', 'inf')
    assert status == 0
    assert '500 mm out of' in out


def test_angles_may_be_in_degrees(run):
    command = 'solve', 'three_link', '0.3', '0.1'
    assert run(*command, '--start', '90 deg', '-90deg', '0') == run(
        *command, '--start', str(math.pi / 2.0), str(-math.pi / 2.0), '0'
    )
    assert 'degrees?' in run(*command, '--angle', '90')[2]
    status, out, err = run(*command, '--angle', '-90 deg')
    assert (status, err) == (0, '')
    assert '(-90 deg)' in out


coordinate = st.floats(-1.5, 1.5).map(str)

OPTIONS = [
    ([], {}),
    (['--solver', 'ccd', '--max-iterations', '1'], {'solver': 'ccd', 'max_iterations': 1}),
    (['--tolerance', '0.1', '--bend', 'negative'], {'tolerance': 0.1, 'bend': 'negative'}),
]


@settings(deadline=None, max_examples=20)
@given(
    config=st.sampled_from(SHIPPED), x=coordinate, y=coordinate, options=st.sampled_from(OPTIONS)
)
def test_the_answer_matches_the_node(config, x, y, options):
    """The arm is at home."""
    words, overrides = options
    arguments = parser.prepared(['solve', config, x, y, '--json', *words])
    said, text = ask(parser.build_parser().parse_args(arguments))
    configuration = load_configuration(CONFIG / f'{config}.yaml', overrides)
    home = configuration.arm.home
    target = Point(configuration.arm.kinematics.plane.point(float(x), float(y)))
    node = plan_target(target, Situation(home, moves=False), configuration).report
    published = {key: text_of(each) for key, each in zip(KEYS, node.values(), strict=True)}
    assert (said['code'], said['solver']) == (published['code'], published['solver'])
    assert json.dumps(said['reachable']).replace('null', 'unknown') == published['reachable']
    assert json.dumps(said['proven']) == published['proven']
    assert (said['error'], said['iterations']) == (node.error, node.iterations)
    assert node.message in text
    commanded = plan_target(target, Situation(home), configuration).solution.q.tolist()
    assert [*said['joints'].values()] == commanded


SOLVE = ['solve', 'two_bone', '1', '2']


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (['sove'], ["'sove'", 'solve', 'demo']),
        (['solve', 'two_bone', 'nan', '1'], ['X', "'nan'", 'finite']),
        (['solve', 'so101', '1', '2'], ['shoulder_pan', 'X Y Z', "'base_link'"]),
        (['solve', 'two_bones', '1', '2'], ['two_bones', *SHIPPED, "did you mean 'two_bone'"]),
        (['urdf', 'rrbott'], ['no such file', "`ik2d machines` lists; did you mean 'rrbot'?"]),
        (['urdf', 'go2'], ['--node /', 'make demo: ARM_NODE=/']),  # a robot with several legs
        (['solve', __file__, '1', '2'], [__file__]),
        ([*SOLVE, '--solver', 'cdc'], ['solver', 'cdc', 'auto', 'ccd']),
        (['solve', 'snake', '1', '2', '--solver', 'two_bone'], ["'solver'", '10 joints']),
        ([*SOLVE, '--start', '1'], ['--start', '2', 'shoulder, elbow']),
        (['demo', '--port', '70000'], ['--port', '70000', '65535']),
        (['plot', 'two_bone', '-o', 'reach.gif'], ['reach.gif', '.png', '.svg', '.pdf']),
    ],
)
def test_an_error_is_one_line_that_names_the_allowed_values(
    run, tmp_path, monkeypatch, arguments, said
):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*arguments)
    assert (status, out, err.count('\n')) == (2, '', 1)
    assert err.startswith('ik2d')
    assert [words for words in said if words not in err] == []
    assert not list(tmp_path.iterdir())


def test_the_version_names_the_kernel(run):
    assert run('--version') == (0, f'ik2d_ros {__version__}, solver: {kernel_name()}\n', '')


def test_help_lists_the_exit_statuses(run):
    for command in parser.COMMANDS:
        status, out, _ = run(command, '--help')
        assert status == 0
        assert 'exit status:' in out
        assert all(f'\n  {number}  ' in out for number in ('0', '1', '2'))
    status, out, _ = run('--help')
    assert run() == (status, out, '') == (0, out, '')
    assert all(command in out for command in parser.COMMANDS)


def test_a_pipe_that_is_closed_ends_it_quietly():
    read, closed = os.pipe()
    os.close(read)
    command = f'"$0" -m ik2d_ros.cli solve two_bone 0 1 >&{closed}'
    done = run_program('bash', '-c', command, sys.executable, pass_fds=[closed])
    os.close(closed)
    assert (done.returncode, done.stdout, done.stderr) == (cli.BROKEN_PIPE, '', '')
