"""What real robot descriptions hold: each case that was seen in one, by name."""

from __future__ import annotations

import math

import numpy as np
import pytest
from descriptions import ARM, arm_of, difference, doubts, fixed, imported, joint, robot

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.candidates import the_tip
from ik2d_ros.robot.choice import Choice
from ik2d_ros.robot.comparison import compare
from ik2d_ros.robot.importing import Imported
from ik2d_ros.robot.urdf_text import read_robot

PRECISE = 1e-9  # m
PAN = joint('pan', 'base', 'body', axis='0 0 1', xyz=(0.0, 0.0, 0.1))
ON_PAN = (
    joint('shoulder', 'body', 'upper', xyz=(0.1, 0.03, 0.3)),
    joint('elbow', 'upper', 'fore', xyz=(0.3, 0.0, 0.0)),
)


def held(result: Imported) -> set[str]:
    return {name[5:] for name in result.parameters if name.startswith('hold.')}


def planar(result: Imported) -> list[str]:
    return list(result.joints)


# 1. Axes not quite parallel.


@pytest.mark.parametrize('angle', [1e-8, 4e-6, 3e-4, 1e-3, 1.6e-3, 4.9e-3])
def test_axes_that_are_not_quite_parallel_are_accepted_to_the_bound_that_is_told(
    angle: float,
) -> None:
    text = robot(
        joint('shoulder', 'base', 'upper'),
        joint('elbow', 'upper', 'fore', xyz=(0.3, 0.0, 0.0), rpy=(angle, 0.0, 0.0)),
        fixed('fore', 'tool', (0.2, 0.0, 0.0)),
    )
    result = imported(text)
    found = difference(text, result)
    assert found <= result.bound + PRECISE
    assert angle * 0.2 <= result.bound <= 5.0 * angle * 0.2
    words = [remark.text for remark in result.remarks if 'not quite parallel' in remark.text]
    assert len(words) == 1
    assert "'elbow'" in words[0]
    assert f'{angle:.2g} rad' in words[0]
    told = float(words[0].split('at most ')[1].split(' m')[0])
    assert result.bound <= told <= 1.2 * result.bound


def test_a_lift_that_is_not_quite_upright_is_accepted_to_the_bound_that_is_told() -> None:
    lift = joint('lift', 'fore', 'hand', 'prismatic', rpy=(3.14, 0.0, 0.0))
    text = robot(*ARM[:2], lift, fixed('hand', 'tool', (0.1, 0.0, 0.0)))
    result = imported(text)
    assert PRECISE < difference(text, result) <= result.bound <= 2.0 * 1.6e-3
    longer = imported(text, choice=Choice(limits={'lift': (0.0, 10.0)}))
    assert difference(text, longer) <= longer.bound <= 10.0 * 1.6e-3


@pytest.mark.parametrize('axis', ['0 0.004 1', '0.004 0 1'])
def test_a_slide_that_is_not_quite_along_its_turntable_is_accepted_to_the_bound_that_is_told(
    axis: str,
) -> None:
    text = robot(
        joint('torso', 'root', 'base', 'prismatic', axis='0 0 1'),
        joint('pan', 'base', 'body', axis=axis),
        *ON_PAN,
        fixed('fore', 'tool', (0.2, 0.0, 0.0)),
    )
    result = imported(text)
    assert PRECISE < difference(text, result) <= result.bound <= 2.1 * 2.0 * 0.004
    assert 'the tip is off by at most 0.016 m' in doubts(result)


@pytest.mark.parametrize('angle', [5.1e-3, 0.02, 0.1, 0.4])
def test_axes_that_are_further_apart_are_refused_with_the_joint_and_the_angle(
    angle: float,
) -> None:
    text = robot(
        joint('shoulder', 'base', 'upper'),
        joint('elbow', 'upper', 'fore', xyz=(0.3, 0.0, 0.0), rpy=(angle, 0.0, 0.0)),
        fixed('fore', 'tool', (0.2, 0.0, 0.0)),
    )
    with pytest.raises(ConfigError, match=rf"'elbow' is not parallel.*{angle:.6g} rad") as refused:
        imported(text)
    assert '--hold elbow=0' in str(refused.value)
    result = imported(text, choice=Choice(hold={'elbow': 0.5}))
    assert planar(result) == ['shoulder']
    assert difference(text, result, {'elbow': 0.5}) < PRECISE


def test_a_last_joint_that_leans_is_held_where_the_tip_is_on_its_axis() -> None:
    swivel = joint('swivel', 'fore', 'wrist', axis='1 0 0', xyz=(0.2, 0.0, 0.0))
    flange = joint('flange', 'wrist', 'end', xyz=(0.0, 0.1, 0.0), axis='0 1 0.1')
    text = robot(*ARM[:2], swivel, flange)
    result = imported(text, 'end')
    assert planar(result) == ['shoulder', 'elbow']
    assert held(result) == {'swivel', 'flange'}
    assert difference(text, result, {'flange': 0.7}) < PRECISE
    for tip in ((0.1, 0.0), (0.0, 0.0, 0.1)):
        with pytest.raises(ConfigError, match=r"joint 'flange' is not parallel to 'shoulder'"):
            imported(text, 'end', Choice(tip=tip))
    with pytest.raises(ConfigError, match=r"joint 'flange' is not parallel to 'shoulder'"):
        imported(robot(*ARM[:2], flange.replace('wrist', 'fore')), 'end')


def test_a_turntable_that_leans_out_of_the_plane_is_refused_with_the_angle() -> None:
    leaning = joint('pan', 'base', 'body', axis=f'0 {math.sin(0.02)!r} {math.cos(0.02)!r}')
    text = robot(leaning, *ON_PAN, fixed('fore', 'tool', (0.2, 0.0, 0.0)))
    with pytest.raises(ConfigError, match=r"'pan'.*leans out of it by 0\.02 rad"):
        imported(text)


def test_a_turntable_that_all_but_lies_in_the_plane_is_exact() -> None:
    leaning = joint('pan', 'base', 'body', axis=f'0 {math.sin(4e-4)!r} {math.cos(4e-4)!r}')
    text = robot(leaning, *ON_PAN, fixed('fore', 'tool', (0.2, 0.0, 0.0)))
    assert difference(text, imported(text)) < PRECISE


# 2. Axes of another length, or absent.


def test_a_tip_that_rounding_alone_moves_is_not_affected() -> None:
    text = robot(
        joint('pan', 'base', 'body', axis='0 2e-7 1', xyz=(0.0, 0.0, 0.1)),
        joint('shoulder', 'body', 'upper', xyz=(0.1, 0.03, 0.3)),
        joint('elbow', 'upper', 'fore', xyz=(0.3, 0.0, 0.0), axis='1e-22 1 0'),
        fixed('fore', 'tool', (0.2, 0.0, 0.0)),
    )
    words = ' '.join(remark.text for remark in imported(text).remarks)
    assert "'pan', by 2e-07 rad; the tip is not affected" in words


def test_an_axis_need_not_be_of_unit_length() -> None:
    text = robot(
        joint('pan', 'base', 'body', axis='0 0 2'),
        joint('shoulder', 'body', 'upper', axis='1 0 .5', xyz=(0.1, 0.0, 0.0), rpy=(0.0, 0.0, 0.3)),
        fixed('upper', 'tool', (0.2, 0.4, 0.0)),
    )
    turned = text.replace('1 0 .5', '3 0 0')
    assert difference(turned, imported(turned)) < PRECISE
    with pytest.raises(ConfigError, match="'pan', before the plane"):
        imported(text)


def test_an_axis_that_is_absent_is_x() -> None:
    text = robot(
        joint('shoulder', 'base', 'upper', axis=''),
        joint('elbow', 'upper', 'fore', axis='1 0 0', xyz=(0.0, 0.3, 0.0)),
        fixed('fore', 'tool', (0.0, 0.2, 0.0)),
    ).replace('</joint>', '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>', 1)
    result = imported(text)
    assert planar(result) == ['shoulder', 'elbow']
    assert difference(text, result) < PRECISE


# 3. and 4. Limits and velocities that cannot be meant.


def with_elbow(limit: str, kind: str = 'revolute') -> str:
    return robot(
        ARM[0],
        joint('elbow', 'upper', 'fore', kind, xyz=(0.3, 0.0, 0.0), limit=limit),
        ARM[2],
    )


@pytest.mark.parametrize(
    ('limit', 'words'),
    [
        ('', "'elbow' has no limits"),
        ('<limit effort="1" velocity="1"/>', "'elbow' has no limits"),
        ('<limit lower="0" upper="0" effort="1" velocity="1"/>', "'elbow' has the limits 0 to 0"),
        ('<limit lower="1" upper="1" effort="1" velocity="1"/>', '1 to 1, which leave it no way'),
        ('<limit lower="1" upper="-1" effort="1" velocity="1"/>', "'elbow' has a lower limit, 1"),
        (
            '<limit lower="1" upper="-1" effort="1" velocity="1"/>',
            'in rad, such as --limits elbow=-1,1, or --limits elbow=none if it turns without end',
        ),
        ('<limit lower="-1e16" upper="1e16" effort="1" velocity="1"/>', 'too large to be meant'),
        ('<limit lower="-inf" upper="inf" effort="1" velocity="1"/>', 'too large to be meant'),
    ],
)
def test_limits_that_cannot_be_meant_are_asked_for(limit: str, words: str) -> None:
    text = with_elbow(limit)
    with pytest.raises(ConfigError, match=words) as refused:
        imported(text)
    assert '--limits elbow=' in str(refused.value)
    result = imported(text, choice=Choice(limits={'elbow': (-0.5, 0.7)}))
    assert arm_of(result).limits[1] == (-0.5, 0.7)
    assert result.notes['chain.elbow.min_position'] == 'given by --limits'
    endless = imported(text, choice=Choice(limits={'elbow': None}))
    assert arm_of(endless).limits[1] == (-math.inf, math.inf)


def test_all_that_is_missing_is_asked_for_at_once() -> None:
    text = with_elbow('').replace('lower="-2" upper="2"', '')
    with pytest.raises(ConfigError, match=r"'shoulder' has no limits.*'elbow' has no limits"):
        imported(text)


def test_a_continuous_joint_has_no_limits() -> None:
    result = imported(
        with_elbow('<limit lower="0" upper="0" effort="1" velocity="1"/>', 'continuous')
    )
    assert arm_of(result).limits[1] == (-math.inf, math.inf)


@pytest.mark.parametrize(('bound', 'doubtful'), [(math.pi, False), (6.2832, True), (10, True)])
def test_limits_of_two_turns_and_more_are_taken_with_a_warning(
    bound: float, doubtful: bool
) -> None:
    result = imported(
        with_elbow(f'<limit lower="{-bound}" upper="{bound}" effort="1" velocity="1"/>')
    )
    assert arm_of(result).limits[1] == (-bound, bound)
    assert ('are two turns or more' in doubts(result)) == doubtful


def test_poses_that_are_compared_are_near_though_limits_are_not() -> None:
    endless = '<limit lower="-999999" upper="999999" effort="1" velocity="1"/>'
    text = robot(
        joint('turn', 'world', 'a', axis='0 0 1', limit=endless),
        joint('drive', 'a', 'b', 'prismatic', rpy=(0.0, 0.0, 0.3), axis='1 0 0', limit=endless),
        fixed('b', 'tool', (0.1, 0.2, 0.0)),
    )
    arm = arm_of(imported(text))
    found = compare(arm, read_robot(text, 'r'), 'tool', Choice(), 100)
    assert found.largest < PRECISE


@pytest.mark.parametrize('tag', ['ros2_control', 'safety_controller'])
def test_narrower_limits_in_another_tag_are_told(tag: str) -> None:
    soft = '<safety_controller k_velocity="1" soft_lower_limit="-1" soft_upper_limit="1"/>'
    control = (
        '<ros2_control name="c" type="system"><joint name="elbow"><command_interface '
        'name="position"><param name="min">-1</param><param name="max">1</param>'
        '</command_interface></joint></ros2_control>'
    )
    text = with_elbow('<limit lower="-2" upper="2" effort="1" velocity="1"/>')
    if tag == 'ros2_control':
        text = text.replace('</robot>', f'{control}</robot>')
    else:
        text = text.replace('</joint>', f'{soft}</joint>')
    result = imported(text)
    assert f"'elbow': {tag} in the same file has narrower limits, -1 to 1 rad" in doubts(result)
    assert '--limits elbow=-1,1' in doubts(result)


@pytest.mark.parametrize('velocity', ['0', '1000', '10000', 'inf'])
def test_a_velocity_that_cannot_be_meant_is_left_out(velocity: str) -> None:
    text = with_elbow(f'<limit lower="-1" upper="1" effort="0" velocity="{velocity}"/>')
    result = imported(text)
    assert 'chain.elbow.max_velocity' not in result.parameters
    assert result.parameters['chain.shoulder.max_velocity'] == 3.0
    assert f'theirs is {float(velocity):g} rad/s: elbow; give --velocity elbow=' in doubts(result)
    for choice in (Choice(velocities={'elbow': 2.5}), Choice(velocity=2.5)):
        given = imported(text, choice=choice)
        assert given.parameters['chain.elbow.max_velocity'] == 2.5
        assert given.parameters['chain.shoulder.max_velocity'] == 3.0
        assert given.notes['chain.elbow.max_velocity'] == 'given by --velocity'


def test_effort_and_velocity_may_be_missing() -> None:
    result = imported(with_elbow('<limit lower="-1" upper="1"/>'))
    assert arm_of(result).limits[1] == (-1.0, 1.0)
    assert 'theirs is missing: elbow' in doubts(result)


# 5. The chain is not the longest parallel run.


def test_a_wheel_that_is_parallel_too_is_held() -> None:
    text = robot(
        *ARM[:2],
        joint(
            'wheel', 'fore', 'tire', xyz=(0.2, 0.0, 0.0), limit='<limit effort="1" velocity="9"/>'
        ),
    )
    result = imported(text, 'tire')
    assert planar(result) == ['shoulder', 'elbow']
    assert held(result) == {'wheel'}
    assert any("'wheel' is held at 0 rad" in remark.text for remark in result.remarks)


def test_a_nameless_wheel_turns_without_end_and_moves_nothing() -> None:
    text = robot(*ARM[:2], joint('j7', 'fore', 'w', 'continuous', xyz=(0.2, 0.0, 0.0), limit=''))
    assert planar(imported(text, 'w')) == ['shoulder', 'elbow']


@pytest.mark.parametrize('kind', ['revolute', 'continuous'])
def test_a_leg_ends_at_the_hub_of_its_wheel_unless_a_link_before_is_there(kind: str) -> None:
    wheel = joint('wheel', 'fore', 'tire', kind, xyz=(0.2, 0.0, 0.0))
    leg = robot(*ARM[:2], wheel)
    assert the_tip(read_robot(leg, 'r'), 'base') == 'tire'
    assert doubts(imported(leg, 'tire')) == ''
    anchored = robot(*ARM[:2], wheel, fixed('fore', 'anchor', (0.2, 0.0, 0.0)))
    assert the_tip(read_robot(anchored, 'r'), 'base') == 'anchor'
    mounted = robot(*ARM[:2], fixed('fore', 'mount', (0.2, 0, 0)), wheel.replace('fore', 'mount'))
    assert the_tip(read_robot(mounted, 'r'), 'base') == 'mount'


@pytest.mark.parametrize('kind', ['continuous', 'prismatic'])
def test_a_wheel_that_is_steered_or_sprung_is_no_arm(kind: str) -> None:
    fork = joint('fork', 'base', 'fork_link', kind, axis='0 0 1', xyz=(-0.2, 0.0, 0.0))
    roll = joint('roll', 'fork_link', 'wheel_link', 'continuous', xyz=(0.0, 0.0, -0.02))
    assert the_tip(read_robot(robot(*ARM, fork, roll), 'r'), 'base') == 'tool'
    with pytest.raises(ConfigError, match='found no planar arm'):
        the_tip(read_robot(robot(fork, roll), 'r'), 'base')
    pendulum = robot(fork, roll).replace('wheel_link', 'rod')
    assert the_tip(read_robot(pendulum, 'r'), 'base') == 'rod'


def test_the_jaw_of_a_gripper_that_is_parallel_too_is_held() -> None:
    jaw = joint('jaw', 'fore', 'jaw_link', xyz=(0.2, 0.0, 0.0))
    text = robot(*ARM[:2], jaw, fixed('jaw_link', 'tool', (0.05, 0.0, 0.0)))
    result = imported(text)
    assert planar(result) == ['shoulder', 'elbow']
    assert held(result) == {'jaw'}
    assert difference(text, result) < PRECISE


def test_a_roll_that_carries_the_fixed_jaw_is_no_gripper() -> None:
    roll = joint('roll', 'fore', 'Fixed_Jaw', axis='1 0 0', xyz=(0.06, 0.0, 0.0))
    grip = joint('grip', 'Fixed_Jaw', 'Moving_Jaw', axis='0 0 1', xyz=(0.02, 0.02, 0.0))
    tip = fixed('Fixed_Jaw', 'fixed_jaw_tip', (0.1, 0.01, 0.0))
    text = robot(PAN, *ON_PAN, roll, grip, tip, fixed('fore', 'motor', (0, 0, 0)))
    assert the_tip(read_robot(text, 'r'), 'base') == 'fixed_jaw_tip'
    result = imported(text, 'fixed_jaw_tip')
    assert planar(result) == ['shoulder', 'elbow']
    assert "'roll' is held at 0 rad: it turns about another axis" in doubts(result)


def test_a_jaw_that_another_follows_needs_no_telling_name() -> None:
    left = joint('j5', 'fore', 'left', xyz=(0.2, 0.01, 0.0))
    right = joint('j6', 'fore', 'right', xyz=(0.2, -0.01, 0.0), more='<mimic joint="j5"/>')
    text = robot(*ARM[:2], left, right, fixed('left', 'tool', (0.05, 0.0, 0.0)))
    assert planar(imported(text)) == ['shoulder', 'elbow']


@pytest.mark.parametrize('kind', ['prismatic', 'continuous'])
def test_what_follows_a_finger_elsewhere_is_of_the_gripper_too(kind: str) -> None:
    finger = joint('left_finger', 'fore', 'left', axis='1 0 0', xyz=(0.2, 0.01, 0.0))
    follows = '<mimic joint="left_finger" multiplier="0.001"/>'
    hub = fixed('fore', 'hub', (0.2, 0.0, 0.0))
    pinion = joint('j7', 'hub', 'pinion', kind, axis='1 0 0', xyz=(0.02, 0.0, 0.01), more=follows)
    text = robot(PAN, *ON_PAN, finger, hub, pinion, fixed('fore', 'output', (0.15, 0.0, 0.0)))
    assert the_tip(read_robot(text, 'r'), 'base') == 'output'
    there = imported(text, 'pinion')
    assert planar(there) == ['shoulder', 'elbow']
    assert ": it follows 'left_finger' of the gripper" in doubts(there)


def test_two_slides_beside_one_another_at_the_end_are_jaws_whatever_their_names() -> None:
    left = joint('j7', 'fore', 'l7', 'prismatic', xyz=(0.2, 0.0, 0.0))
    right = joint('j8', 'fore', 'l8', 'prismatic', xyz=(0.2, 0.0, 0.0), axis='0 -1 0')
    text = robot(PAN, *ON_PAN, left, right)
    assert the_tip(read_robot(text, 'r'), 'base') == 'fore'
    jaw = imported(text, 'l7')
    assert planar(jaw) == ['shoulder', 'elbow']
    assert "'j7' is held at 0 m: it is part of a gripper" in doubts(jaw)
    alone = imported(robot(*ARM[:2], left), 'l7')
    assert alone.parameters['lift.joint'] == 'j7'


def test_a_wrist_that_rolls_the_gripper_is_no_part_of_it_though_named_after_it() -> None:
    wrist = joint('wrist', 'fore', 'palm', xyz=(0.2, 0.0, 0.0))
    roll = joint('gripper_roll', 'palm', 'gripper', axis='1 0 0', xyz=(0.05, 0.0, 0.0))
    base = fixed('gripper', 'gripper_base', (0.01, 0.0, 0.0))
    left = joint('finger_1', 'gripper_base', 'l', xyz=(0.03, 0.01, 0.0))
    right = joint('finger_2', 'gripper_base', 'r', xyz=(0.03, -0.01, 0.0))
    text = robot(*ARM[:2], wrist, roll, base, left, right)
    assert the_tip(read_robot(text, 'r'), 'base') == 'gripper_base'
    assert planar(imported(text, 'gripper_base')) == ['shoulder', 'elbow', 'wrist']
    # A finger of two phalanges carries one joint: it is a finger.
    phalanx = joint('finger_3', 'l', 'nail', xyz=(0.03, 0.0, 0.0))
    text = robot(*ARM[:2], wrist, roll, base, left, right, phalanx)
    assert the_tip(read_robot(text, 'r'), 'base') == 'gripper_base'


def test_a_joint_that_carries_two_jaws_is_none_whatever_its_name() -> None:
    upright = [part.replace('0 1 0', '0 0 1') for part in ARM[:2]]
    down = joint('gripper_joint', 'fore', 'hand', 'prismatic', axis='0 0 1', xyz=(0.2, 0.0, 0.0))
    jaws = (
        joint('finger_1', 'hand', 'f1', 'prismatic', xyz=(0.0, 0.02, -0.1)),
        joint('finger_2', 'hand', 'f2', 'prismatic', xyz=(0.0, -0.02, -0.1), axis='0 -1 0'),
    )
    text = robot(*upright, down, *jaws)
    assert the_tip(read_robot(text, 'r'), 'base') == 'hand'
    assert imported(text, 'hand').parameters['lift.joint'] == 'gripper_joint'
    geared = [jaw.replace('</joint>', '<mimic joint="gripper_joint"/></joint>') for jaw in jaws]
    assert the_tip(read_robot(robot(*upright, down, *geared), 'r'), 'base') == 'fore'


def test_slides_beside_one_another_that_carry_arms_are_none() -> None:
    sides = [
        part
        for side in 'ab'
        for part in (
            joint(f'{side}1', 'fore', f'{side}2', 'prismatic', axis='1 0 0'),
            joint(f'{side}3', f'{side}2', f'{side}4', xyz=(0.3, 0.0, 0.0)),
            fixed(f'{side}4', f'{side}5', (0.2, 0.0, 0.0)),
        )
    ]
    assert planar(imported(robot(*ARM[:2], *sides), 'a5')) == ['shoulder', 'elbow', 'a1', 'a3']


def test_a_balancer_that_follows_the_joint_beside_it_is_no_gripper() -> None:
    follows = '<mimic joint="shoulder" multiplier="-0.2"/>'
    barrel = joint('j7', 'body', 'barrel', xyz=(-0.2, 0.0, 0.1), more=follows)
    rod = joint('j8', 'barrel', 'rod', 'prismatic', axis='0 0 1', more=follows)
    text = robot(PAN, *ON_PAN, fixed('fore', 'tool', (0.2, 0.0, 0.0)), barrel, rod)
    assert the_tip(read_robot(text, 'r'), 'base') == 'tool'
    result = imported(text)
    assert planar(result) == ['shoulder', 'elbow']
    assert result.parameters['turntable.joint'] == 'pan'
    assert doubts(result) == ''
    assert difference(text, result) < PRECISE
    assert "'j7' is held at 0 rad: it follows 'shoulder' of the linkage" in doubts(
        imported(text, 'rod')
    )


def test_a_dummy_joint_about_another_axis_is_held() -> None:
    text = robot(*ARM[:2], joint('end', 'fore', 'tool', axis='1 0 0', xyz=(0.2, 0.1, 0.0)))
    result = imported(text)
    assert planar(result) == ['shoulder', 'elbow']
    assert held(result) == {'end'}
    assert result.parameters['command_joints'] == ['shoulder', 'elbow', 'end']


def test_an_upright_arm_of_seven_joints_is_not_taken_for_its_parallel_rolls() -> None:
    turns = [('0 0 1', 0.1), ('0 1 0', 0.2)] * 3 + [('0 0 1', 0.1)]
    joints = [
        joint(f'j{i}', f'l{i}', f'l{i + 1}', axis=axis, xyz=(0.0, 0.0, z))
        for i, (axis, z) in enumerate(turns)
    ]
    text = robot(*joints, fixed('l7', 'tool', (0.0, 0.0, 0.1)))
    result = imported(text)
    assert planar(result) == ['j1', 'j3', 'j5']
    assert result.parameters['turntable.joint'] == 'j0'
    assert held(result) == {'j2', 'j4', 'j6'}
    assert difference(text, result) < PRECISE


def test_rolls_that_stand_a_little_beside_one_another_are_no_plane() -> None:
    turns = [('0 0 1', 0.1), ('0 1 0', 0.2)] * 3 + [('0 0 1', 0.1)]
    joints = [
        joint(f'j{i}', f'l{i}', f'l{i + 1}', axis=axis, xyz=(0.0, 0.006 * (i % 2 == 0), z))
        for i, (axis, z) in enumerate(turns)
    ]
    text = robot(*joints, fixed('l7', 'camera', (0.06, 0.0, 0.1)))
    result = imported(text, 'camera')
    assert planar(result) == ['j1', 'j3', 'j5']
    assert result.parameters['turntable.joint'] == 'j0'


def test_the_user_has_the_last_word_on_the_joints_of_the_plane() -> None:
    jaw = joint('jaw', 'fore', 'jaw_link', xyz=(0.2, 0.0, 0.0))
    text = robot(*ARM[:2], jaw, fixed('jaw_link', 'tool', (0.05, 0.0, 0.0)))
    everything = imported(text, choice=Choice(joints=('shoulder', 'elbow', 'jaw')))
    assert planar(everything) == ['shoulder', 'elbow', 'jaw']
    assert difference(text, everything) < PRECISE
    one = imported(text, choice=Choice(joints=('elbow',)))
    assert planar(one) == ['elbow']
    with pytest.raises(ConfigError, match='in the order from base to tip'):
        imported(text, choice=Choice(joints=('elbow', 'shoulder')))
    with pytest.raises(ConfigError, match=r"no joint 'elbo' moves .*did you mean 'elbow'"):
        imported(text, choice=Choice(joints=('elbo',)))


# 6. No tip link.


def test_an_arm_without_a_tip_link_is_warned_of_and_gets_its_tip_by_option() -> None:
    text = robot(*ARM[:2])
    result = imported(text, 'fore')
    assert result.parameters['chain.elbow.link'] == [0.0, 0.0]
    assert "'elbow' does not move the tip, which is on its axis (it has no tip link)" in doubts(
        result
    )
    assert '--tip-offset' in doubts(result)
    flat = imported(text, 'fore', Choice(tip=(0.2, -0.1)))
    assert flat.parameters['chain.elbow.link'] == pytest.approx([0.2, -0.1])
    assert 'chain.elbow.link' in flat.notes
    assert 'does not move the tip' not in doubts(flat)
    deep = imported(text, 'fore', Choice(tip=(0.2, 0.05, 0.1)))
    assert deep.parameters['chain.elbow.link'] == pytest.approx([0.2, -0.1])
    assert difference(text, deep, offset=(0.2, 0.05, 0.1)) < PRECISE


# 7. The tip behind further joints.


@pytest.mark.parametrize(
    ('kind', 'axis'), [('revolute', '1 0 0'), ('prismatic', '0 1 0'), ('floating', '1 0 0')]
)
def test_joints_on_the_way_that_are_not_the_planes_are_held_or_lift_it(
    kind: str, axis: str
) -> None:
    text = robot(
        PAN,
        *ON_PAN,
        joint('gripper', 'fore', 'hand', kind, xyz=(0.1, 0.0, 0.0), axis=axis),
        fixed('hand', 'tool', (0.1, 0.0, 0.02)),
    )
    result = imported(text)
    assert planar(result) == ['shoulder', 'elbow']
    assert "'gripper' is held at 0" in doubts(result)
    if kind != 'floating':
        assert difference(text, result) < PRECISE
        there = imported(text, choice=Choice(hold={'gripper': 0.3}))
        assert there.parameters['hold.gripper'] == 0.3
        assert there.notes['hold.gripper'] == 'given by --hold'
        assert difference(text, there, {'gripper': 0.3}) < PRECISE


def test_the_only_end_is_the_tip_and_of_several_the_user_chooses() -> None:
    alone = read_robot(robot(*ARM), 'r')
    assert the_tip(alone, 'base') == 'tool'
    branches = robot(
        *ARM, joint('other', 'upper', 'b', xyz=(0.1, 0, 0)), fixed('b', 'cam', (1, 0, 0))
    )
    with pytest.raises(ConfigError, match=r'tool \(shoulder, elbow\), cam \(shoulder, other\)'):
        the_tip(read_robot(branches, 'r'), 'base')


def test_ends_to_which_no_arm_leads_are_told_where_the_user_is_to_choose() -> None:
    skew = (
        joint('a1', 'base', 'a2'),
        joint('a3', 'a2', 'a4', xyz=(0.2, 0.0, 0.0), axis='0 1 0.1'),
        fixed('a4', 'near', (0.1, 0.1, 0.0)),
        joint('a5', 'a4', 'a6', xyz=(0.2, 0.0, 0.0)),
        fixed('a6', 'far', (0.1, -0.1, 0.0)),
    )
    words = r"two joints or more behind 'base'; on the way to 'far', joint 'a3' is not parallel"
    with pytest.raises(ConfigError, match=words):
        the_tip(read_robot(robot(*skew), 'r'), 'base')
    other = joint('other', 'upper', 'b', xyz=(0.1, 0.0, 0.0))
    words = r'b \(shoulder, other\); none leads to near, far: name one of these to see why$'
    with pytest.raises(ConfigError, match=words):
        the_tip(read_robot(robot(*ARM, other, *skew), 'r'), 'base')
    assert the_tip(read_robot(robot(*ARM, *skew), 'r'), 'base') == 'tool'


def test_an_arm_that_moves_its_tip_nowhere_is_none_beside_one_that_does() -> None:
    head = (
        joint('yaw', 'base', 'neck', axis='0 0 1', xyz=(0.0, 0.0, 0.5)),
        joint('nod', 'neck', 'head', xyz=(0.0, 0.0, 0.1)),
    )
    assert the_tip(read_robot(robot(*ARM, *head), 'r'), 'base') == 'tool'
    assert the_tip(read_robot(robot(*head), 'r'), 'base') == 'head'
    # It can be compared all the same.
    nodding = arm_of(imported(robot(*head), 'head'))
    assert compare(nodding, read_robot(robot(*ARM, *head), 'r'), '', Choice(), 10).tip == 'head'
    eye = fixed('head', 'eye', (0.05, 0.0, 0.0))
    with pytest.raises(ConfigError, match=r'tool \(shoulder, elbow\), eye \(yaw, nod\)$'):
        the_tip(read_robot(robot(*ARM, *head, eye), 'r'), 'base')


def test_ends_behind_joints_that_slide_alone_are_not_told() -> None:
    slides = joint('x', 'base', 'a', 'prismatic'), joint('y', 'a', 'b', 'prismatic', axis='1 0 0')
    with pytest.raises(ConfigError, match=r"behind 'base'; name its end with --tip to see why$"):
        the_tip(read_robot(robot(*slides, fixed('base', 'sign', (0, 0, 1))), 'r'), 'base')


def test_a_camera_beside_the_roll_hides_no_tool_on_its_axis() -> None:
    across = joint('across', 'fore', 'wrist', axis='1 0 0', xyz=(0.1, 0.0, 0.0))
    flange = joint('flange', 'wrist', 'hand', xyz=(0.0, 0.1, 0.0))
    arm = (*ARM[:2], across, flange, fixed('hand', 'tool', (0.0, 0.1, 0.0)))
    beside = 'hand', '{}', (0.0, 0.05, 0.06)
    camera, probe = (fixed(*beside).replace('{}', name) for name in ('camera_link', 'probe'))
    words = r'tool \(shoulder, elbow\), camera_link \(shoulder, elbow, flange\)$'
    with pytest.raises(ConfigError, match=words):
        the_tip(read_robot(robot(*arm, camera), 'r'), 'base')
    assert the_tip(read_robot(robot(*arm, probe), 'r'), 'base') == 'probe'
    bracket, mount = fixed('fore', 'bracket', (0.1, 0.0, 0.1)), fixed(*beside)
    mast = mount.replace('{}', 'camera_link')
    assert the_tip(read_robot(robot(*arm[:-1], mast, bracket), 'r'), 'base') == 'camera_link'


def test_behind_the_two_leaves_of_a_gripper_its_carrier_is_the_end() -> None:
    left = joint('left', 'fore', 'l', 'prismatic', xyz=(0.2, 0.01, 0.0))
    right = joint(
        'right', 'fore', 'r', 'prismatic', xyz=(0.2, -0.01, 0.0), more='<mimic joint="left"/>'
    )
    assert the_tip(read_robot(robot(*ARM[:2], left, right), 'r'), 'base') == 'fore'
    assert the_tip(read_robot(robot(*ARM, left, right), 'r'), 'base') == 'tool'


@pytest.mark.parametrize('name', ['hand_sc', 'hand_collision', 'wrist_camera'])
def test_a_tip_beside_links_for_collisions_and_sensors_is_taken(name: str) -> None:
    beside = fixed('fore', name, (0.2, 0.0, 0.0))
    assert the_tip(read_robot(robot(*ARM, beside), 'r'), 'base') == 'tool'
    assert the_tip(read_robot(robot(*ARM[:2], beside), 'r'), 'base') == name


def test_a_roll_on_whose_axis_the_tip_is_needs_no_checking() -> None:
    roll = joint('roll', 'fore', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0))
    straight = imported(robot(*ARM[:2], roll, fixed('hand', 'tool', (0.1, 0.0, 0.0))))
    assert any('any position will do' in remark.text for remark in straight.remarks)
    assert doubts(straight) == ''
    bent = imported(robot(*ARM[:2], roll, fixed('hand', 'tool', (0.1, 0.0, 0.01))))
    assert "'roll' is held at 0 rad" in doubts(bent)


# 8. The turntable.


@pytest.mark.parametrize('axis', ['0 0 1', '0 0 -1', '1 0 0', '-1 0 0', '0.6 0 -0.8'])
def test_a_turntable_may_point_anywhere_in_the_plane_and_stand_beside_it(axis: str) -> None:
    pan = joint('pan', 'base', 'body', axis=axis, xyz=(0.03, 0.02, 0.1), rpy=(0.1, -0.2, 0.3))
    text = robot(pan, *ON_PAN, fixed('fore', 'tool', (0.2, 0.04, 0.05)))
    result = imported(text)
    assert result.parameters['turntable.joint'] == 'pan'
    assert result.parameters['turntable.xyz'] == pytest.approx([0.03, 0.02, 0.1])
    assert difference(text, result) < PRECISE


# 9. Antiparallel joints.


def test_antiparallel_joints_have_the_axis_minus_one() -> None:
    text = robot(
        ARM[0],
        joint('elbow', 'upper', 'fore', xyz=(0.3, 0.02, 0.0), axis='0 -1 0'),
        ARM[2],
    )
    result = imported(text)
    assert result.parameters['chain.shoulder.axis'] == 1
    assert result.parameters['chain.elbow.axis'] == -1
    assert difference(text, result) < PRECISE


# 10. The base.


def test_the_base_may_be_any_link_before_the_arm_and_stand_anywhere() -> None:
    text = robot(
        fixed('world', 'base', (0.1, 0.03, 0.454), (0.2, -0.4, 1.0)),
        fixed('world', 'mark', (1.0, 2.0, 3.0), (1.0, 1.0, 1.0)),
        *ARM,
    )
    for base in ('world', 'base', 'mark'):
        result = imported(text, base=base)
        assert result.parameters['base_frame'] == base
        assert difference(text, result) < PRECISE


def test_a_base_that_moves_beside_the_arm_is_refused() -> None:
    text = robot(*ARM, joint('neck', 'base', 'head'))
    with pytest.raises(ConfigError, match=r"'tool' is not behind the base 'head'.*such as 'base'"):
        imported(text, base='head')


def test_an_undeclared_world_is_a_link() -> None:
    text = robot(fixed('world', 'base', (0, 0, 1)), *ARM).replace('<link name="world"/>', '')
    result = imported(text)
    assert result.base == 'world'
    assert arm_of(result).base_xyz[2] == pytest.approx(1.3)


# 11. Names.


def test_any_name_goes_and_joints_may_be_listed_tip_first() -> None:
    names = ('Revolute 2', 'px100/codo-ñ__x')
    text = robot(
        fixed('Codo', 'tool', (0.2, 0.0, 0.0)),
        joint(names[1], 'Revolute 2', 'Codo', xyz=(0.3, 0.0, 0.0)),
        joint(names[0], 'Base-link', 'Revolute 2'),
    )
    result = imported(text)
    assert planar(result) == list(names)
    assert difference(text, result) < PRECISE


# 13. Mimic joints.


def test_a_joint_that_follows_the_one_before_is_refused_where_no_link_turns_so() -> None:
    wrist = joint('wrist', 'fore', 'hand', xyz=(0.2, 0, 0), more='<mimic joint="elbow"/>')
    text = robot(*ARM[:2], wrist, fixed('hand', 'tool', (0.1, 0.0, 0.0)))
    with pytest.raises(ConfigError, match=r"'wrist'.*follows 'elbow' \(mimic\).*--tip fore"):
        imported(text)


def test_the_joint_that_follows_is_named_though_another_stands_where_it_does() -> None:
    wrist = joint('wrist', 'fore', 'hand', xyz=(0.2, 0, 0), more='<mimic joint="elbow"/>')
    motor = joint('motor', 'base', 'horn')
    for follows, more in (('1', ''), ('1', '<mimic joint="motor"/>'), ('-1', '')):
        mimic = wrist.replace('"elbow"/>', f'"elbow" multiplier="{follows}"/>')
        there = joint('there', 'hand', 'end', more=more)
        text = robot(*ARM[:2], mimic, there, motor, fixed('end', 'tool', (0.1, 0.0, 0.0)))
        with pytest.raises(ConfigError, match=r"'wrist'.*follows 'elbow' \(mimic\).*--tip fore"):
            imported(text)


def test_a_tool_that_others_keep_level_is_part_of_the_arm() -> None:
    one = joint(
        'v1', 'fore', 'v', xyz=(0.2, 0, 0), more='<mimic joint="shoulder" multiplier="-1"/>'
    )
    two = joint('v2', 'v', 'hand', more='<mimic joint="elbow" multiplier="-1"/>')
    text = robot(*ARM[:2], one, two, fixed('hand', 'tool', (0.06, 0.0, 0.03)))
    result = imported(text)
    assert planar(result) == ['shoulder', 'elbow']
    assert result.parameters['command_joints'] == ['shoulder', 'elbow']
    assert difference(text, result) < PRECISE


def test_a_follower_that_is_held_is_told_of_once() -> None:
    roll = joint('roll', 'fore', 'a', axis='1 0 0', xyz=(0.2, 0.0, 0.0))
    back = joint('back', 'a', 'b', axis='-1 0 0', more='<mimic joint="roll"/>')
    result = imported(robot(*ARM[:2], roll, back, fixed('b', 'tool', (0.1, 0.1, 0.0))))
    words = [remark.text for remark in result.remarks if "'back'" in remark.text]
    assert words == ["joint 'back' is held at 0 rad: it follows 'roll', which is held"]


def test_a_joint_that_follows_a_motor_elsewhere_is_warned_of() -> None:
    motor = joint('motor', 'base', 'horn', xyz=(0.0, 0.1, 0.0))
    elbow = joint(
        'elbow', 'upper', 'fore', xyz=(0.3, 0, 0), more='<mimic joint="motor" offset="0.4"/>'
    )
    result = imported(robot(ARM[0], motor, elbow, ARM[2]))
    assert planar(result) == ['shoulder', 'elbow']
    assert "'elbow' follows 'motor' (mimic, 1 times its position, plus 0.4)" in doubts(result)


def test_a_gripper_that_mimics_is_harmless() -> None:
    left = joint('left', 'fore', 'l', 'prismatic', xyz=(0.2, 0.01, 0.0))
    right = joint(
        'right', 'fore', 'r', 'prismatic', xyz=(0.2, -0.01, 0.0), more='<mimic joint="left"/>'
    )
    assert doubts(imported(robot(*ARM, left, right))) == ''


# 14. Fixed joints with rotation.


def test_fixed_rotations_are_folded_in_and_zero_need_not_be_straight() -> None:
    text = robot(
        fixed('base', 'plate', (0.1, 0.0, 0.2), (0.3, -0.8, 2.0)),
        joint('shoulder', 'plate', 'upper', rpy=(0.0, 2.9496, 0.0)),
        fixed('upper', 'bend', (0.2, 0.05, 0.1), (math.pi, 0.5, 0.0)),
        joint('elbow', 'bend', 'fore', xyz=(0.1, 0.0, 0.0)),
        fixed('fore', 'bucket', (0.1, 0.0, 0.0), (0.5, -0.87, 0.0)),
        fixed('bucket', 'tool', (0.1, 0.02, 0.3)),
    )
    result = imported(text)
    assert result.parameters['chain.elbow.axis'] == -1
    assert difference(text, result) < PRECISE


# 15. Joints that slide.


@pytest.mark.parametrize('place', [0, 1, 2, 3])
@pytest.mark.parametrize('axis', ['0 1 0', '0 -1 0'])
def test_a_lift_is_found_wherever_it_sits(place: int, axis: str) -> None:
    slide = ('prismatic', {'axis': axis, 'xyz': (0.05, 0.1, 0.0)})
    turn = ('revolute', {'axis': '0 1 0', 'xyz': (0.2, 0.0, 0.1)})
    kinds = [turn] * 3
    kinds.insert(place, slide)
    joints = [
        joint(f'j{i}', f'l{i}', f'l{i + 1}', kind, **given)  # type: ignore[arg-type]
        for i, (kind, given) in enumerate(kinds)
    ]
    text = robot(*joints, fixed('l4', 'tool', (0.1, 0.0, 0.0)))
    result = imported(text)
    assert result.parameters['lift.joint'] == f'j{place}'
    assert result.parameters['lift.axis'] == (1 if axis == '0 1 0' else -1)
    assert result.parameters['command_joints'] == ['j0', 'j1', 'j2', 'j3']
    assert difference(text, result) < PRECISE


def test_a_slide_in_the_plane_is_a_joint_of_the_chain_unless_it_is_held() -> None:
    boom = joint('boom', 'upper', 'inner', 'prismatic', axis='1 0 0', xyz=(0.1, 0, 0))
    text = robot(
        ARM[0],
        boom,
        joint('elbow', 'inner', 'fore', xyz=(0.3, 0.0, 0.0)),
        ARM[2],
    )
    slid = imported(text)
    assert planar(slid) == ['shoulder', 'boom', 'elbow']
    assert slid.parameters['chain.boom.type'] == 'prismatic'
    assert slid.parameters['chain.boom.link'] == pytest.approx([0.3, 0.0])
    assert 'of these slide: boom' in slid.remarks[0].text
    assert difference(text, slid) < PRECISE
    result = imported(text, choice=Choice(hold={'boom': 0.25}))
    assert difference(text, result, {'boom': 0.25}) < PRECISE


def test_a_slide_before_the_turntable_is_one_behind_it_if_it_is_along_its_axis() -> None:
    def torso(axis: str) -> str:
        slide = joint('torso', 'root', 'base', 'prismatic', axis=axis, xyz=(0.1, 0.0, 0.4))
        return robot(slide, PAN, *ON_PAN, fixed('fore', 'tool', (0.2, 0.01, 0.05)))

    result = imported(torso('0 0 1'))
    assert planar(result) == ['torso', 'shoulder', 'elbow']
    assert result.parameters['turntable.joint'] == 'pan'
    assert difference(torso('0 0 1'), result) < PRECISE
    with pytest.raises(ConfigError, match=r"'torso' slides before the turntable 'pan'.*--hold tor"):
        imported(torso('1 0 0'))


def test_a_slide_needs_limits_and_can_be_left_out_by_naming_the_others() -> None:
    boom = joint('boom', 'fore', 'inner', 'prismatic', axis='0.6 0 0.8', limit='')
    text = robot(*ARM[:2], boom, fixed('inner', 'tool', (0.1, 0.0, 0.0)))
    with pytest.raises(ConfigError, match=r"'boom' has no limits.*--limits boom=LOWER,UPPER in m"):
        imported(text)
    with pytest.raises(ConfigError, match=r'chain\.boom\.max_position.* must have both, in m'):
        imported(text, choice=Choice(limits={'boom': None}))
    given = Choice(limits={'boom': (0.0, 0.5)})
    assert imported(text, choice=given).parameters['chain.boom.max_position'] == 0.5
    two = imported(text, choice=Choice(joints=('shoulder', 'elbow')))
    assert planar(two) == ['shoulder', 'elbow']
    assert "'boom' is held at 0 m: it is not one of --joints" in doubts(two)
    with pytest.raises(ConfigError, match=r'it must have a joint that turns, of shoulder, elbow'):
        imported(text, choice=Choice(joints=('boom',)))


def test_a_slide_that_follows_another_is_no_joint_of_a_chain() -> None:
    first = joint('first', 'fore', 'inner', 'prismatic', axis='1 0 0')
    second = joint(
        'second', 'inner', 'rod', 'prismatic', axis='1 0 0', more='<mimic joint="first"/>'
    )
    text = robot(*ARM[:2], first, second, fixed('rod', 'tool', (0.1, 0.0, 0.0)))
    with pytest.raises(ConfigError, match=r"'second' follows 'first' \(mimic\).*--tip inner"):
        imported(text)


def test_a_slide_that_is_neither_along_nor_across_is_refused_with_the_angle() -> None:
    slant = joint('slant', 'fore', 'hand', 'prismatic', axis='0.1 1 0')
    text = robot(*ARM[:2], slant, fixed('hand', 'tool', (0.1, 0.0, 0.0)))
    with pytest.raises(ConfigError, match=r"'slant' slides 0\.0996\d+ rad off the plane's normal"):
        imported(text)


def test_both_a_turntable_and_a_lift_are_refused_until_one_is_held() -> None:
    lift = joint('lift', 'fore', 'hand', 'prismatic')
    text = robot(PAN, *ON_PAN, lift, fixed('hand', 'tool', (0.1, 0.0, 0.0)))
    with pytest.raises(ConfigError, match="'lift', 'pan' all carry the plane"):
        imported(text)
    assert 'lift.joint' in imported(text, choice=Choice(hold={'pan': 0.0})).parameters


def test_a_closed_linkage_is_warned_of() -> None:
    loop = (
        '<gazebo><joint name="rod" type="revolute"><parent>fore</parent><child>base</child>'
        '</joint></gazebo>'
    )
    assert 'closes a linkage at base, fore' in doubts(imported(robot(*ARM, more=loop)))
    assert doubts(imported(robot(*ARM))) == ''


# 16. Scale.


@pytest.mark.parametrize('scale', [0.05, 1.0, 10.0, 100.0])
def test_small_and_large_arms_are_found_alike(scale: float) -> None:
    text = robot(
        joint('shoulder', 'base', 'upper', xyz=(scale, 0.0, scale)),
        joint('elbow', 'upper', 'fore', xyz=(scale, 0.1 * scale, 0.0)),
        fixed('fore', 'tool', (0.5 * scale, 0.0, 0.0)),
    )
    result = imported(text)
    assert np.array(result.parameters['chain.shoulder.link']) == pytest.approx([scale, 0.0])
    assert difference(text, result) < PRECISE * max(scale, 1.0)
