"""Arguments that make no sense are refused by name, with the value and what is allowed."""

import math

import pytest

from ik2d_ros.kinematics import (
    ArgumentError,
    Arm,
    Chain,
    ChainError,
    Ik2dError,
    Joint,
    Lift,
    Plane,
    Roll,
    Turntable,
    Wall,
    solve,
    solve_batch,
    solve_path,
    timed,
)

TWO = Chain.from_lengths([0.3, 0.25])
THREE = Chain.from_lengths([0.3, 0.25, 0.2])
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))
TURNED = Arm(TWO, UPRIGHT, Turntable())
LINE = [(0.3, 0.1)] * 2
PATH = solve_path(TWO, [(0.3, 0.2), (0.4, 0.1)])


def joint(**fields):
    return lambda: Joint('a', (1.0, 0.0), **fields)


def asked(chain=THREE, target=(0.3, 0.2), **options):
    return lambda: solve(chain, target, **options)


def batch(targets=((0.1, 0.2),), chain=TWO, **options):
    return lambda: solve_batch(chain, targets, **options)


def path(points=LINE, **options):
    return lambda: solve_path(TWO, points, **options)


def times(limits=((1.0, 1.0),) * 2, speed=0.1, along=PATH):
    return lambda: timed(along, limits, speed)


def quaternion(xyz, *numbers):
    return lambda: Plane.from_quaternion(xyz, numbers)


TABLE = Wall((0.0, 0.0, 0.0), (0.0, 0.0, 2.0), 0.01, 'table')
SHOULDER = Joint('shoulder', (1.0, 0.0), 0.0, 0.5)
ELBOW = Joint('elbow', (1.0, 0.0), 1.0, 2.0, absolute=True, min_bend=-1.0, max_bend=0.2)

CHAINS = [
    (lambda: Chain([]), 'at least one joint'),
    (lambda: Chain([Joint('a', (1, 0)), Joint('a', (1, 0))]), 'unique.*a'),
    (lambda: Joint('', (1, 0)), 'name'),
    (lambda: Joint('a', (1, 0, 0)), "'a'.*two numbers"),
    (joint(lower=1.0), "'a'.*without upper"),
    (joint(lower=1.0, upper=-1.0), "'a'.*lower 1.0 is above upper -1.0"),
    (joint(axis=0), "'a'.*axis is 0.*[+]1 or -1"),
    (lambda: Chain.from_lengths(0.3), 'lengths must be a list of numbers in m, not 0.3'),
    (lambda: Chain.from_lengths([1, -0.5]), "'joint2'.*-0.5.*0 or more"),
    (lambda: Chain.from_lengths([1, 1], [None]), r'limits are \[None\]; give .* each of 2'),
    (lambda: Chain.from_lengths([1], [(0, 1, 2)]), "'joint1'.*limits"),
    (lambda: Chain.from_lengths([1e308, 1e308]), r"'joint1'.*1e\+308.*to 10000, in m"),
    (joint(type='prismatic'), "joint 'a': lower and upper limit are missing.*prismatic.*in m"),
    (joint(type='screw'), "type is 'screw'; it must be one of revolute, prismatic"),
    (joint(absolute=1), "joint 'a': absolute is 1; it must be True or False"),
    (joint(absolute=True, min_bend=0.1, max_bend=0.0), 'min_bend 0.1 is above max_bend'),
    (joint(min_bend=0.1, max_bend=0.2), 'min_bend is 0.1; .* only absolute joints'),
    (joint(type='prismatic', lower=0, upper=1, absolute=True), 'absolute is True; .* False'),
    (lambda: Chain([SHOULDER, ELBOW]), 'leave no pose'),
    (lambda: Chain([ELBOW]), "'elbow'.*the first joint has none"),
    (lambda: Chain([SHOULDER], tool=(1.0, math.nan)), 'tool is'),
    (lambda: Roll(axis=(1.0, 0.0, 0.2)), 'axis is .*not both of them 0: it lies in the plane'),
    (lambda: Wall((0, 0, 0), (0, 0, 0)), 'normal .* not all of them 0'),
    (lambda: Wall((0, 0, math.inf), (0, 0, 1)), 'point is .*inf'),
    (lambda: Wall((0, 0, 0), (0, 0, 1), -0.1), 'clearance is -0.1'),
    (lambda: Wall((0, 0, 0), (0, 0, 1), name=''), 'needs a name'),
]
ARMS = [
    (lambda: Arm(TWO, UPRIGHT, Turntable(), Lift()), 'not both'),
    (lambda: Arm(TWO, UPRIGHT, Turntable(name='joint1')), 'joint1'),
    (lambda: Arm(Joint('a', (1, 0))), 'chain'),
    (lambda: Arm(TWO, Plane((0, 0, 0), UPRIGHT.axes[::-1])), 'plane.*right-handed'),
    (lambda: Arm(TWO, Plane((0, math.nan, 0), UPRIGHT.axes)), 'plane: xyz is .*nan'),
    (lambda: Arm(TWO, Plane((0, 0, 0), 'xyz')), 'plane.*unit vectors'),
    (lambda: Arm(THREE, roll=(Roll(), Roll())), 'roll is .* must be a Roll'),
    (lambda: Arm(THREE, roll=Roll(name='joint2')), 'given twice: joint2'),
    (lambda: Arm(Chain(THREE.joints, (0.1, 0.0)), roll=Roll()), 'a tool .* or a roll'),
    (lambda: Arm(TWO, UPRIGHT, walls=3), 'walls are 3; give'),
    (lambda: Arm(TWO, UPRIGHT, walls=[TABLE] * 17), 'a list of at most 16 walls'),
    (
        lambda: Arm(TWO, UPRIGHT, Turntable(axis=(0.0, 5.01e-3, 1.0), name='waist')),
        r"'waist'.*leans.*parallel to the plane, to 0\.005 rad",
    ),
    (lambda: Turntable(axis=(0, 0, 0), name='waist'), 'waist.*axis'),
    (lambda: Lift(lower=-math.inf, upper=0.0), 'lower.*finite'),
    (lambda: Plane.from_pose((0, 0, 0), (0, 0)), 'rpy'),
    (quaternion((0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0), 'zero'),
]
POSITIONS = [
    (lambda: TWO.forward([0.0]), 'q has shape'),
    (lambda: TURNED.forward([math.nan, 0, 0]), r"q.0. of joint 'turntable' is nan.*, in rad$"),
]
SOLVES = [
    (asked(target=(0.1,)), 'target is .*two numbers'),
    (asked(solver='magic'), "'magic'.*auto, two_bone, ccd, hybrid"),
    (asked(solver='two_bone'), 'exactly 2 joints.*has 3'),
    (asked(bend='up'), "'up'.*nearest, positive, negative"),
    (asked(tolerance=0.0), 'tolerance is 0.0.*above 0'),
    (asked(max_iterations=0), 'max_iterations is 0.*1 or more'),
    (asked(start=[0.0, math.nan, 0.0]), "'joint2' is nan; it must be a finite"),
    (asked(angle=math.nan), 'angle is nan; it must be a finite number'),
    (asked(angle=0.0, angle_tolerance=0.0), 'angle_tolerance is 0.0; it must be'),
    (asked(Arm(THREE), (0.4, 0.0, 0.0), roll=0.1), 'roll is 0.1; .* has no roll'),
    (asked(Arm(THREE, roll=Roll()), (0, 0, 0), roll=math.inf), 'roll is inf'),
    (asked(TWO, angle=0), 'angle needs 3 joints or more; this chain has 2'),
    (asked(TURNED, (0.1, 0.2, 0.3), start=[0.0, 0.0]), 'one for each of turntable, joint1, joint2'),
]
BATCHES = [
    (batch([1.0, 2.0]), r'shape \(2,\).*\(m, 2\)'),
    (batch([[0.0, 1.0], [math.nan, 0.0]]), r'targets\[1, 0\] is nan'),
    (batch([[0.1, 0.2], [0.3]]), 'must be an array of numbers'),
    (batch(start=[0.0]), r'start has shape \(1,\).*\(2,\) or \(1, 2\)'),
    (batch(start=[0.0, math.inf]), r'start\[1\] of .* is inf'),
    (batch(chain=THREE, angle=[0.0, 0.0]), r'shape \(2,\)'),
]
# Neither is a place in space.
for target in ((0.1, 0.2), (0.1, 0.2, math.nan)):
    SOLVES.append((asked(TURNED, target), 'target'))
    BATCHES.append((batch([target], TURNED), 'targets'))
PATHS = [
    (path([(0.3, 0.1)]), 'points are 1'),
    (path([(0.3, 0.1), (1e160, 0.1)]), r'points\[1\] is \[1e\+160, 0.1\]; .* to 10000, in m'),
    (path(path_tolerance=1e-9), 'path_tolerance is 1e-09'),
    (times([(1.0, 1.0)]), r'must be \(2, 2\)'),
    (times(along='along'), "path is 'along'; it must be a Path"),
    (times(along=solve_path(TWO, LINE)), 'no moves'),
]
ROWS = [
    *((Ik2dError, row) for row in (*ARMS, *POSITIONS)),
    *((ChainError, row) for row in CHAINS),
    *((ArgumentError, row) for row in (*SOLVES, *BATCHES, *PATHS)),
]


@pytest.mark.parametrize(('error', 'row'), ROWS, ids=[row[1] for _, row in ROWS])
def test_what_makes_no_sense_is_refused_by_name(error, row):
    make, words = row
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, Ik2dError)
    assert isinstance(caught.value, ValueError)
