"""Odd cases, each seen in a real robot description."""

from __future__ import annotations

import math
import re
import shlex
from typing import Any

import numpy as np
import pytest
from descriptions import ARM, LIMIT, ROLL, arm_of, difference, doubts, fixed, imported, joint, robot
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from random_robots import NAMES

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.find import ImportOptions, the_tip
from ik2d_ros.robot.urdf import read_robot

PRECISE = 1e-9  # m
PAN = joint('pan', 'base', 'body', axis='0 0 1', xyz=(0.0, 0.0, 0.1))
ON_PAN = (
    joint('shoulder', 'body', 'upper', xyz=(0.1, 0.03, 0.3)),
    joint('elbow', 'upper', 'fore', xyz=(0.3, 0.0, 0.0)),
)

TOOL = fixed('fore', 'tool', (0.2, 0.0, 0.0))
SLIDING_BASE = (
    joint('torso', 'root', 'base', 'prismatic', axis='0 0 1'),
    joint('pan', 'base', 'body', axis='0.004 0 1'),
    *ON_PAN,
    TOOL,
)
LEANING_LIFT = (
    *ARM[:2],
    joint('lift', 'fore', 'hand', 'prismatic', rpy=(3.14, 0.0, 0.0)),
    fixed('hand', 'tool', (0.1, 0.0, 0.0)),
)


def leaning_elbow(angle: float) -> tuple[str, ...]:
    return (
        joint('shoulder', 'base', 'upper'),
        joint('elbow', 'upper', 'fore', xyz=(0.3, 0.0, 0.0), rpy=(angle, 0.0, 0.0)),
        TOOL,
    )


@pytest.mark.parametrize(
    ('joints', 'name', 'angle', 'most'),
    [
        (leaning_elbow(4e-6), 'elbow', 4e-6, 2e-6),
        (LEANING_LIFT, 'lift', 1.6e-3, 4e-3),
        (SLIDING_BASE, 'torso', 4e-3, 2e-2),
    ],
)
def test_axes_that_are_nearly_parallel_are_accepted_and_reported(
    joints: tuple[str, ...], name: str, angle: float, most: float
) -> None:
    result = imported(robot(*joints))
    found = difference(robot(*joints), result)
    assert PRECISE < found < most
    (words,) = [remark.text for remark in result.remarks if 'not quite parallel' in remark.text]
    assert f"'{name}', by {angle:.2g} rad; in 200 random poses the tip is off by" in words
    if found > 1e-6:
        told = float(words.split('off by ')[1].split(' m')[0])
        assert 0.3 * told < found < 3.0 * told
    assert ('not quite parallel' in doubts(result)) == (found > 1e-4)


NECK = joint('neck', 'base', 'head')
LIFT = joint('lift', 'fore', 'hand', 'prismatic')
SLANT = joint('slant', 'fore', 'hand', 'prismatic', axis='0.1 1 0')
WRIST = joint('wrist', 'fore', 'hand', xyz=(0.2, 0, 0), more='<mimic joint="elbow"/>')
HAND = fixed('hand', 'tool', (0.1, 0.0, 0.0))
REFUSED = {
    'not parallel': (leaning_elbow(5.1e-3), "'elbow' is not .*0.0051 rad.*--hold elbow=0"),
    'a slanting slide': (
        (*ARM[:2], SLANT, HAND),
        r"'slant' slides neither .* 0\.0996\d* rad \(5\.71 deg\) off",
    ),
    'turntable and lift': ((PAN, *ON_PAN, LIFT, HAND), 'pan, lift all carry the plane.*--hold'),
    'a bend that follows': (
        (*ARM[:2], WRIST, HAND),
        r"'wrist'.*follows 'elbow' \(mimic\).*--tip fore",
    ),
    'a slide across the turntable': (
        (joint('torso', 'root', 'base', 'prismatic', axis='1 0 0'), PAN, *ON_PAN, TOOL),
        r"'torso' slides before the turntable 'pan'.*--hold tor",
    ),
    'two rolls': (
        (
            *ARM[:2],
            ROLL,
            joint('spin', 'hand', 'end', axis='1 0 0'),
            fixed('end', 'tool', (1, 0, 0)),
        ),
        r'roll, spin all turn the tip .* has one roll; .*--hold roll=0.* leaves',
    ),
    'a base that moves': ((*ARM, NECK), "'tool' is not behind the base 'head'.*such as 'base'"),
}


@pytest.mark.parametrize(('joints', 'words'), REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_the_joint_and_a_remedy(joints: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        imported(robot(*joints), base='head' if NECK in joints else '')


KINDS = {'prismatic': ('0 0 1', '0 1 0'), 'revolute': ('0 0 1', '1 0 0', '0 1 0', '0.1 1 0')}
axes = st.sampled_from([(kind, axis) for kind in KINDS for axis in KINDS[kind]])


@given(st.lists(axes, min_size=2, max_size=3))
def test_a_hold_that_a_refusal_names_leaves_the_arm_that_it_says(kinds: list[Any]) -> None:
    joints = [
        joint(f'j{i}', f'l{i}', f'l{i + 1}', kind, axis=axis, xyz=(0.1, 0.02, 0.1))
        for i, (kind, axis) in enumerate(kinds)
    ]
    text = robot(*joints, fixed(f'l{len(kinds)}', 'tool', (0.1, 0.02, 0.1)))
    try:
        imported(text)
    except ConfigError as error:
        offered = re.findall(r'((?:--hold j\d=0 [^-]*?)+) leaves ((?:j\d(?:, )?)+)', str(error))
        assert offered or not any(kind == 'revolute' for kind, _ in kinds)
        sizes = []
        for holds, left in offered:
            held = dict.fromkeys(re.findall(r'--hold (j\d)', holds), 0.0)
            names = sorted(arm_of(imported(text, options=ImportOptions(hold=held))).names)
            assert names == sorted(re.findall(r'j\d', left))
            sizes.append(len(names))
        assert sizes == sorted(sizes, reverse=True)


def test_a_joint_that_floats_is_not_held() -> None:
    text = robot(joint('fl', 'world', 'base', 'floating'), *ARM)
    with pytest.raises(ConfigError, match=r"'fl' is floating: it cannot be held; .*--base base"):
        imported(text, options=ImportOptions(hold={'fl': 5.0}))


def test_the_base_may_be_any_fixed_link() -> None:
    text = robot(
        fixed('world', 'base', (0.1, 0.03, 0.454), (0.2, -0.4, 1.0)),
        fixed('world', 'mark', (1.0, 2.0, 3.0), (1.0, 1.0, 1.0)),
        *ARM,
    )
    for base in ('world', 'base', 'mark'):
        for read in (text, text.replace('<link name="world"/>', '')):  # which some leave out
            result = imported(read, base=base)
            assert result.parameters['base_frame'] == base
            assert difference(text, result) < PRECISE


@pytest.mark.parametrize('ends', [None, (0, 0), (1, -1), ('-inf', 'inf')])
def test_impossible_limits_are_requested_from_the_user(ends: tuple[Any, Any] | None) -> None:
    limit = '<limit lower="{}" upper="{}" effort="1" velocity="1"/>'.format(*ends) if ends else ''
    text = robot(ARM[0], ARM[1].replace(LIMIT, limit), ARM[2])
    words = r"'elbow' has no limits.*--limits elbow=LOWER,UPPER .*chain.elbow.max_position: UPPER"
    with pytest.raises(ConfigError, match=words):
        imported(text)
    result = imported(text, options=ImportOptions(limits={'elbow': (-0.5, 0.7)}))
    assert arm_of(result).limits[1] == (-0.5, 0.7)
    endless = imported(text, options=ImportOptions(limits={'elbow': (-math.inf, math.inf)}))
    assert arm_of(endless).limits[1] == (-math.inf, math.inf)
    assert 'no limits' not in doubts(endless)


@pytest.mark.parametrize('velocity', ['0', '1000', 'inf'])
def test_an_impossible_velocity_is_ignored(velocity: str) -> None:
    limit = f'<limit lower="-1" upper="1" effort="0" velocity="{velocity}"/>'
    text = robot(ARM[0], ARM[1].replace(LIMIT, limit), ARM[2])
    result = imported(text)
    assert 'chain.elbow.max_velocity' not in result.parameters
    assert 'velocity limit, as theirs is missing, 0, or too large to be meant: elbow; ' in doubts(
        result
    )
    for name in ('elbow', ''):
        motion = arm_of(imported(text, options=ImportOptions(velocities={name: 2.5}))).motion
        assert [limits.velocity for limits in motion] == [3.0, 2.5]


def test_a_single_end_is_the_tip_and_where_there_is_none_the_reason_is_said() -> None:
    neck = joint('neck', 'base', 'head', axis='0 0 1')
    assert the_tip(read_robot(robot(*ARM, neck), 'r'), 'base') == 'tool'
    gantry = (joint('x', 'base', 'bridge', 'prismatic'), joint('y', 'bridge', 'hook', 'prismatic'))
    with pytest.raises(ConfigError, match=r"a revolute one among them, behind 'base'.*are x, y$"):
        the_tip(read_robot(robot(*gantry), 'r'), 'base')


def test_the_plane_has_the_joints_that_move_the_tip() -> None:
    """An upright arm of seven joints has four parallel rolls, which may be a little apart."""
    turns = [('0 0 1', 0.1), ('0 1 0', 0.2)] * 3 + [('0 0 1', 0.1)]
    for apart in (0.0, 0.006):
        joints = [
            joint(f'j{i}', f'l{i}', f'l{i + 1}', axis=axis, xyz=(0.0, apart * (i % 2 == 0), z))
            for i, (axis, z) in enumerate(turns)
        ]
        result = imported(robot(*joints, fixed('l7', 'tool', (0.0, 0.0, 0.1))))
        assert result.parameters['joints'] == ['j1', 'j3', 'j5']
        assert result.parameters['turntable.joint'] == 'j0'


def test_a_link_that_may_be_missing_at_the_tip_calls_for_an_offset() -> None:
    arm, words = robot(*ARM[:2]), "'elbow' does not move the tip, which is on its axis"
    assert words in doubts(imported(arm, 'fore'))
    assert words not in doubts(imported(arm, 'fore', ImportOptions(tip=(0.2, 0.05, 0.1))))
    knee = joint('knee', 'thigh', 'shank', xyz=(0.0, 0.0, -0.3))
    leg = robot(joint('hip', 'base', 'thigh', axis='1 0 0', xyz=(0.1, 0.1, 0.0)), knee)
    assert "'knee' is held where it stands" in doubts(imported(leg, 'shank'))
    given = imported(leg, 'shank', ImportOptions(tip=(0.0, 0.0, -0.25))).parameters
    assert (given['turntable.joint'], given['joints']) == ('hip', ['knee'])
    assert given['tip_offset'] == [0.0, 0.0, -0.25]


def test_the_yaw_of_a_scara_is_its_last_joint_and_a_tip_angle_sets_it() -> None:
    upright = [each.replace('0 1 0', '0 0 1') for each in ARM[:2]]
    quill = joint('quill', 'fore', 'rod', 'prismatic', axis='0 0 -1', xyz=(0.25, 0.0, 0.0))
    yaw = joint('yaw', 'rod', 'flange', axis='0 0 1')
    result = imported(robot(*upright, quill, yaw), 'flange')
    assert (arm_of(result).names, doubts(result)) == (('quill', 'shoulder', 'elbow', 'yaw'), '')
    assert 'command_joints' not in result.parameters  # a controller may have another order
    (said,) = [str(each) for each in result.remarks if "'yaw' turns the tip" in str(each)]
    assert 'tip angle' in said
    assert '--hold' not in said
    # Without a quill, the tip may be a link that is missing.
    yaw = joint('yaw', 'fore', 'flange', axis='0 0 1', xyz=(0.25, 0.0, 0.0))
    assert "'yaw' turns the tip" in doubts(imported(robot(*upright, yaw), 'flange'))


CONTROL = (
    '<ros2_control name="c" type="system"><joint name="elbow"><command_interface name="position"/>'
    '</joint></ros2_control>'
)
WEAK = 'joints in a closed linkage or without a motor, as the file has it:'
MOTOR = joint('motor', 'base', 'horn', xyz=(0.0, 0.1, 0.0))
LED = ARM[1].replace('</joint>', '<mimic joint="motor" offset="0.4"/></joint>')
TIP_BESIDE = fixed('hand', 'tool', (0.1, 0.0, 0.01))
DOUBTS = {
    'continuous': (
        robot(*ARM).replace('"revolute"', '"continuous"'),
        'no limits for shoulder, elbow: the file calls them continuous',
    ),
    'a passive joint by its name': (
        robot(*(each.replace('"elbow"', '"Passive elbow"') for each in ARM)),
        f'{WEAK} Passive elbow; this is no serial arm',
    ),
    'a passive joint by its controllers': (
        robot(*ARM, more=CONTROL),
        f'{WEAK} shoulder;',
    ),
    'a base that floats': (
        robot(joint('fl', 'world', 'base', 'floating'), *ARM),
        r"'fl' is floating: .* targets in 'world' .* do: --base base \(parameter base_frame\)",
    ),
    'a motor elsewhere': (
        robot(ARM[0], MOTOR, LED, ARM[2]),
        rf'{WEAK} elbow;.*<joint>\.absolute',
    ),
    'a roll beside the tip': (
        robot(*ARM[:2], ROLL.replace('1 0 0', '1 0.1 0'), TIP_BESIDE),
        "'roll' is held where it stands: its axis leans out of the plane by .*--hold roll=0",
    ),
}


@pytest.mark.parametrize(('text', 'words'), DOUBTS.values(), ids=DOUBTS)
def test_a_doubt_is_one_sentence(text: str, words: str) -> None:
    (told,) = doubts(imported(text)).splitlines()
    assert re.search(words, told)


@given(st.lists(st.booleans(), min_size=2, max_size=40), st.data())
def test_every_end_of_an_arm_is_listed(jaws: list[bool], data: st.DataObject) -> None:
    """Jaws, which move, or fixed parts; and the palm, if more than one of them moves."""
    ends = [f'{data.draw(NAMES)} {i}' for i in range(len(jaws))]
    parts = [
        joint(f'j{end}', 'palm', end, 'prismatic') if moves else fixed('palm', end, (0, 0, 0.1))
        for end, moves in zip(ends, jaws, strict=True)
    ]
    text = robot(*ARM[:2], fixed('fore', 'palm', (0.2, 0.0, 0.0)), *parts)
    with pytest.raises(ConfigError) as refused:
        the_tip(read_robot(text, 'r'), 'base')
    told = '\n'.join(refused.value.lines)
    assert all(f'{shlex.quote(end)}' in told for end in ends)
    assert ('palm (with shoulder, elbow)' in told) == (sum(jaws) > 1)


def test_a_joint_behind_the_chain_that_leads_another_is_no_roll() -> None:
    led = joint('led', 'hand', 'end', xyz=(0.1, 0, 0), more='<mimic joint="roll"/>')
    text = robot(*ARM[:2], ROLL, led, fixed('end', 'tool', (0.1, 0.1, 0.1)))
    assert difference(text, imported(text)) < PRECISE


OFFSETS = st.floats(-0.2, 0.2).map(lambda x: round(x, 4))


@given(turn=st.floats(-math.pi, math.pi), place=st.tuples(*[OFFSETS] * 6), length=st.floats(0.3, 1))
@settings(max_examples=examples(40))
def test_a_last_joint_in_the_plane_is_the_roll_wherever_the_tip_is(
    turn: float, place: Any, length: float
) -> None:
    axis = f'{math.cos(turn)} 0 {math.sin(turn)}'  # the joints before turn about y
    limit = '<limit lower="-2.5" upper="2" velocity="3" effort="1"/>'
    wrist = joint('wrist', 'fore', 'hand', axis=axis, xyz=place[:3], limit=limit)
    text = robot(*ARM[:2], wrist, fixed('hand', 'tool', (0.01 + length, *place[3:5])))
    result = imported(text)
    arm = arm_of(result)
    assert (arm.names[-1], arm.limits[-1], arm.motion[-1].velocity) == ('wrist', (-2.5, 2.0), 3.0)
    assert difference(text, result) < PRECISE
    # The frame points as the tip does.
    assert np.abs(result.parameters['roll.axis']) == pytest.approx([1.0, 0.0], abs=5e-3)
