"""Answers to targets, as plain data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from node_client import TWO

from ik2d_ros.kinematics import Plane
from ik2d_ros.pilot.answer import Answer, Going, Refused, Situation, Solved
from ik2d_ros.pilot.outcome import KEYS, length, text_of
from ik2d_ros.pilot.parameters import Configuration, configuration_from_parameters
from ik2d_ros.pilot.plan import plan_path, plan_target
from ik2d_ros.pilot.request import Joints, Missing, Path, Point, Pose, Target

PARAMETERS: dict[str, object] = {**TWO, 'plane_tolerance': 0.01, 'target_timeout': 0.5}

UPRIGHT = {'base.rpy': [math.pi / 2, 0.0, 0.0], 'base.xyz': [0.02, 0.03, 0.1]}
WAIST = {**UPRIGHT, 'turntable.joint': 'waist'}
LIFT = {'lift.joint': 'quill', 'lift.min_position': -0.1, 'lift.max_position': 0.2}
THREE: dict[str, object] = {
    'joints': ['shoulder', 'elbow', 'wrist'],
    'chain.shoulder.length': 0.3,
    'chain.elbow.length': 0.25,
    'chain.elbow.offset': 0.2,
    'chain.wrist.length': 0.1,
    'chain.wrist.axis': -1,
}
ARMS = {
    'plane': THREE,
    'upright': {**THREE, **UPRIGHT},
    'turntable': {**THREE, **WAIST},
    'lift': {**THREE, **LIFT},
}
# One step of a search reaches nothing with three joints.
SHORT = {**THREE, 'solver': 'ccd', 'max_iterations': 1}

ABROAD = Point((0.3, 0.2, 0.0), frame_id='map')

# For each code: a target, the situation, its level in diagnostic_msgs/DiagnosticStatus,
# ``reachable``, and a word of the message.
TARGETS = {
    'REACHED': (Point((0.3, 0.2, 0.0)), {}, 0, 'true', 'reached'),
    'TOO_FAR': (Point((1.0, 0.0, 0.0)), {}, 1, 'false', 'ends 450 mm from it'),
    'TOO_NEAR': (
        Point((0.01, 0.0, 0.0)),
        {},
        1,
        'false',
        'too close to the base. The closest pose ends',
    ),
    'JOINT_LIMIT': (Point((0.1, 0.0, 0.0)), {}, 1, 'false', 'elbow at its largest position, 2.6'),
    'NOT_CONVERGED': (Point((0.3, 0.2, 0.0)), {}, 1, 'unknown', 'stopped after 1 iterations'),
    'INVALID_TARGET': (Point((math.nan, 0.0, 0.0)), {}, 2, 'unknown', 'is not finite'),
    'UNKNOWN_FRAME': (ABROAD, {'frame': Missing('why')}, 2, 'unknown', "'map'"),
    'OUT_OF_PLANE': (Point((0.3, 0.2, 0.02)), {}, 2, 'unknown', 'plane_tolerance of 0.01 m'),
    'STALE_TARGET': (Point((0.3, 0.2, 0.0)), {'age': 0.6}, 3, 'unknown', 'target_timeout of 0.5 s'),
    'NO_CLOCK': (Point((0.3, 0.2, 0.0)), {'clock_fault': 'a picture'}, 2, 'unknown', 'a picture'),
    'NO_STATE': (Point((0.3, 0.2, 0.0)), {'state_fault': 'hidden'}, 2, 'unknown', 'hidden'),
}
REFUSED = [code for code, (*_, level, _, _) in TARGETS.items() if level > 1]
PROVEN = ['REACHED', 'TOO_FAR', 'TOO_NEAR', 'JOINT_LIMIT']


def configure(**changes: object) -> Configuration:
    return configuration_from_parameters({**PARAMETERS, **changes})


def path_of(points: list[tuple[float, ...]]) -> Path:
    return Path(lambda: np.array(points))


def ask(target: Target, configuration: Configuration | None = None, **situation: Any) -> Answer:
    configuration = configuration or configure()
    plan = plan_path if isinstance(target, Path) else plan_target
    return plan(target, Situation(configuration.arm.home, **situation), configuration)


@pytest.mark.parametrize('code', TARGETS)
def test_each_code_has_its_level_and_keys_and_the_arm_goes_or_holds(code: str) -> None:
    """For a query it holds, whose pose need not be known."""
    target, situation, level, reachable, words = TARGETS[code]
    arm = SHORT if code == 'NOT_CONVERGED' else {}
    closest, hold = (
        ask(target, configure(**arm, unreachable=choice), **situation)
        for choice in ('closest', 'hold')
    )
    report = closest.report
    said = dict(zip(KEYS, map(text_of, report.values()), strict=True))
    assert report.level == level
    assert words in report.message
    assert (said['code'], said['reachable']) == (code, reachable)
    assert said['proven'] == ('true' if code in PROVEN else 'false')
    assert isinstance(closest, Refused) == (code in REFUSED)
    if isinstance(closest, Refused):
        assert (said['solver'], said['iterations'], said['error']) == ('', '0', 'nan')
    else:
        assert said['solver'] in ('two_bone', 'ccd')
        assert (said['x'], said['y']) == (repr(target.point[0]), repr(target.point[1]))
    assert isinstance(closest, Going) == (code not in REFUSED)
    assert isinstance(hold, Going) == (code == 'REACHED')
    asked = ask(target, configure(**arm), moves=False, **situation)
    assert asked.report.code == ('REACHED' if code == 'NO_STATE' else code)
    assert not isinstance(asked, Going)
    assert not asked.report.at_goal
    for result in (closest, hold):
        assert result.report.code == code
        assert result.report.at_goal == isinstance(result, Going)


@pytest.mark.parametrize('age', [0.6, -0.6])
def test_targets_are_stale_beyond_the_timeout_before_and_after_now(age: float) -> None:
    target = TARGETS['REACHED'][0]
    stale = ask(target, age=age).report
    assert stale.code == 'STALE_TARGET'
    assert ('0.6 s in the future' in stale.message) == (age < 0)
    assert ask(target, age=math.copysign(0.4, age)).report.code == 'REACHED'
    assert ask(target, configure(target_timeout=0.0), age=age).report.code == 'REACHED'


@pytest.mark.parametrize('kind', ARMS)
@given(
    st.tuples(st.floats(-0.2, 0.2), st.floats(0.2, 0.3)),
    st.one_of(st.floats(-0.03, 0.03), st.floats(-0.6, 0.6)),
    st.one_of(st.sampled_from([math.nan, 0.0, math.inf]), st.floats(0.0, 0.1)),
    st.booleans(),
)
def test_beyond_the_plane_tolerance_a_target_is_refused(
    kind: str, point: tuple[float, float], off: float, tolerance: float, moves: bool
) -> None:
    """A point or a path. Closer, it is projected, and the message says how far off it is."""
    parameters = {**ARMS[kind], 'base.xyz': [0.0, 0.0, 0.0], 'plane_tolerance': tolerance}
    configuration = configuration_from_parameters(parameters)
    # The plane is x-y, or x-z, with y against its normal.
    (x, y), is_upright = point, kind in ('upright', 'turntable')
    places = [(x, -off, y) if is_upright else (x, y, off) for x, off in ((x, off), (-x, 0.0))]
    most = 0.02 * (0.3 + 0.25 + 0.1) if math.isnan(tolerance) else tolerance
    for target, name in (
        (Point(places[0]), 'The target is'),
        (path_of(places), 'Point 1 of the path is'),
    ):
        report = ask(target, configuration, moves=moves).report
        is_carried = kind in ('turntable', 'lift')
        if abs(off) > most + 1e-9 and not is_carried:
            assert report.code == 'OUT_OF_PLANE'
            assert f"{name} {abs(off):.5g} m out of the arm's plane" in report.message
            assert abs(report.point.out_of_plane) == pytest.approx(abs(off))
        elif abs(off) < most - 1e-9 or is_carried:
            assert report.code != 'OUT_OF_PLANE'
            is_told = abs(off) > 1.1e-6 and not is_carried
            is_edge = 0.9e-6 < abs(off) < 1.1e-6
            assert is_edge or ('and projected into it' in report.message) == is_told
            assert not is_told or f'{length(abs(off))} out of' in report.message


angles = st.floats(-math.pi, math.pi)


def turn_to(direction: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """A quaternion that turns the x-axis into a direction, by half a turn about their middle."""
    x, y, z = direction
    along = (y * y + z * z) / (1.0 - x) if x < 0.0 else 1.0 + x  # 1 + x, without rounding
    return (along, y, z, 0.0) if along else (0.0, 0.0, 1.0, 0.0)


def heading(configuration: Configuration, positions: tuple[float, ...]) -> float:
    """The direction of the last link frame's x-axis in the plane, in rad."""
    arm = configuration.arm
    joints = zip(arm.chain.joints, arm.in_plane(positions), strict=True)
    return sum(joint.axis * q + joint.offset for joint, q in joints)


@pytest.mark.parametrize('kind', ARMS)
@given(st.tuples(*[st.floats(-2.5, 2.5)] * 4), st.tuples(*[st.floats(-2.5, 2.5)] * 4), angles)
def test_the_last_link_points_along_the_x_axis_of_a_pose(
    kind: str, there: tuple[float, ...], here: tuple[float, ...], roll: float
) -> None:
    """And the tip is there, whatever the roll about that axis, wherever the plane is carried."""
    configuration = configuration_from_parameters(ARMS[kind])
    arm = configuration.arm
    there, here = (arm.clamped(pose[-len(arm.names) :]) for pose in (there, here))
    plane, angle = arm.plane_at(there), heading(configuration, there)
    x, y, z = arm.kinematics.forward(there).tolist()
    u, v, n = plane.axes
    direction = [math.cos(angle) * a + math.sin(angle) * b for a, b in zip(u, v, strict=True)]
    if kind != 'turntable':
        # Out of the plane, it is projected; with a turntable, both turns have their own shadow.
        direction = [0.8 * a + 0.6 * math.sin(roll) * b for a, b in zip(direction, n, strict=True)]
    ax, ay, az = direction
    length = math.hypot(ax, ay, az)
    pointing = ax / length, ay / length, az / length
    target = Pose((x, y, z), turn_to(pointing))
    result = plan_target(target, Situation(here), configuration)
    assert isinstance(result, Going)
    assert result.report.code == 'REACHED'
    tip = arm.kinematics.forward(result.positions)
    assert math.dist(tip, (x, y, z)) <= 1e-6
    assert arm.clamped(result.positions) == result.positions
    # Where it is in the plane, as that stands then.
    point = result.report.point
    assert arm.plane_at(result.positions).point(*point) == pytest.approx((x, y, z), abs=1e-9)
    assert result.report.target == (x, y, z)
    assert apart_from(configuration, result.positions, pointing) <= 1e-6
    assert result.report.angle_error <= 1e-6
    lean = abs(math.asin(sum(map(float.__mul__, pointing, arm.plane_at(result.positions).axes[2]))))
    assert (f'leans {lean:.3g} rad out' in result.report.message) == (lean >= 1e-3)


def apart_from(
    configuration: Configuration, positions: tuple[float, ...], pointing: tuple[float, ...]
) -> float:
    """The angle between the last link and a direction projected into the plane, in rad."""
    axes = configuration.arm.plane_at(positions).axes
    wanted = math.atan2(*(sum(map(float.__mul__, pointing, axis)) for axis in axes[1::-1]))
    return abs(math.remainder(heading(configuration, positions) - wanted, math.tau))


@pytest.mark.parametrize('kind', ARMS)
@given(st.tuples(*[st.floats(-2.0, 2.0)] * 4), st.tuples(*[st.floats(-0.2, 0.2)] * 4), angles)
def test_on_a_path_of_poses_the_last_link_points_as_they_do(
    kind: str, first: tuple[float, ...], moves: tuple[float, ...], turn: float
) -> None:
    """In whatever frame they come. Poses on the way are those of a path that can be followed.

    At a turntable's axis, both turns lead on, and what the tip may be off turns the plane far.
    """
    configuration = configuration_from_parameters(ARMS[kind])
    arm = configuration.arm
    frame = Plane.from_pose((0.1, -0.2, 0.3), (0.0, 0.0, turn))
    ends = [arm.clamped(first[-len(arm.names) :])]
    ends.append(arm.clamped([q + by for q, by in zip(ends[0], moves, strict=False)]))
    if arm.turntable is not None:
        sides = [
            arm.plane_at(end).locate((*arm.kinematics.forward(end).tolist(),))[0]
            - arm.plane_at(end).locate(arm.turntable.xyz)[0]
            for end in ends
        ]
        assume(sides[0] * sides[1] > 0.0 and min(map(abs, sides)) > 0.1)
    rows, pointings = [], []
    for end in ends:
        angle, (u, v, _) = heading(configuration, end), arm.plane_at(end).axes
        pointing = [math.cos(angle) * a + math.sin(angle) * b for a, b in zip(u, v, strict=True)]
        pointings.append((pointing[0], pointing[1], pointing[2]))
        there = frame.locate((*arm.kinematics.forward(end).tolist(),))
        rows.append((*there, *turn_to(frame.direction(pointings[-1]))))
    path = Path(lambda: np.array(rows), frame_id='table')
    result = plan_path(path, Situation(ends[0], frame=frame), configuration)
    assert isinstance(result, Solved), result.report
    if result.report.code == 'REACHED':
        assert isinstance(result, Going)
        poses = result.goal.pose, result.positions
        for pose, pointing in zip(poses, pointings, strict=True):
            assert apart_from(configuration, pose, pointing) <= 1.1e-3


NEAR = (0.3, 0.2, 0.0)
ORIENTATIONS = [
    ((0.0, 0.0, 0.0, 0.0), 'the quaternion is (0, 0, 0, 0)'),
    ((math.nan, 0.0, 0.0, 1.0), 'not finite: the quaternion (nan, 0, 0, 1)'),
    ((0.0, math.inf, 0.0, 1.0), 'not finite: the quaternion (0, inf, 0, 1)'),
    ((0.0, 0.0, 0.05, 1.0), 'a tip angle needs 3 joints or more; this chain has 2'),
]


@pytest.mark.parametrize(
    ('target', 'words'),
    [
        *((Pose(NEAR, turn), words) for turn, words in ORIENTATIONS),
        *((path_of([(*NEAR, *turn)] * 2), words) for turn, words in ORIENTATIONS),
        (path_of([NEAR]), 'number of points is 1; it must be 2 to 20,000'),
        (path_of([NEAR, (math.nan, 0.0, 0.0)]), 'points[1, 0] is nan; all numbers must be'),
        (Joints(('elbo',), (0.1,)), 'The target names elbo, which'),  # without a place
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_reason(target: Target, words: str) -> None:
    result = ask(target)
    assert isinstance(result, Refused)
    assert result.report.code == 'INVALID_TARGET'
    assert words in result.report.message


@pytest.mark.parametrize('kind', ARMS)
@given(angles)
def test_a_direction_along_the_normal_is_refused(kind: str, turn: float) -> None:
    # Beside the axis, the plane would stand otherwise over the back.
    beside = {**ARMS[kind], 'base.xyz': [0.02, 0.0, 0.1]}
    configuration = configuration_from_parameters(beside)
    arm = configuration.arm
    pose = (turn, 0.4, 0.8, 0.3) if kind == 'turntable' else arm.home
    x, y, z = arm.kinematics.forward(pose).tolist()
    target = Pose((x, y, z), turn_to(arm.plane_at(pose).axes[2]))
    assert plan_target(target, Situation(pose), configuration).report.code == 'INVALID_TARGET'
