"""Arms whose plane a turntable or a lift carries, or nothing, for tests that state laws."""

import math
from dataclasses import replace

from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Arm, Lift, Turntable

# Tiny numbers are 0: MuJoCo refuses denormal numbers.
places = st.floats(-2.0, 2.0).map(lambda x: x if abs(x) > 1e-6 else 0.0)
limits = st.floats(-6.0, 6.0).map(lambda x: x if abs(x) > 1e-6 else 0.0)

NONE = MotionLimits()


def described(arm: Arm, home=None, motion=()) -> ArmDescription:
    """The description of an arm of the library, by default at home where it is closest to 0."""
    home = (0.0,) * len(arm) if home is None else tuple(map(float, home))
    return ArmDescription(
        arm.chain,
        home,
        tuple(motion) or (NONE,) * len(home),
        base_xyz=arm.plane.origin,
        base_rpy=arm.plane.rpy(),
        turntable=arm.turntable,
        lift=arm.lift,
        walls=tuple(arm.walls),
        roll=arm.roll,
    )


@st.composite
def carried(draw, arm: ArmDescription, motion=NONE):
    """The arm of a description with a turntable, a lift or nothing before its plane."""
    kind = draw(st.sampled_from(['turntable', 'lift', None]))
    if kind is None:
        return arm
    lower, upper = draw(
        st.one_of(st.just((None, None)), st.tuples(limits, limits).map(sorted).map(tuple))
    )
    name = 'waist'
    while name in {arm.base_frame, *arm.names}:
        name += '_'
    if kind == 'lift':
        joint = Lift(draw(st.sampled_from([1, -1])), lower, upper, name)
    else:
        u, v, _ = arm.kinematics.plane.axes
        turn = draw(st.floats(-math.pi, math.pi))
        axis = [math.cos(turn) * a + math.sin(turn) * b for a, b in zip(u, v, strict=True)]
        if draw(st.booleans()):  # as most have it: upright, in an upright plane
            arm = replace(arm, base_rpy=(math.pi / 2, 0.0, draw(places)))
            axis = [0.0, 0.0, draw(st.sampled_from([1.0, -1.0]))]
        xyz = draw(st.tuples(places, places, places))
        joint = Turntable(xyz, tuple(axis), lower, upper, name)
    return replace(arm, home=(0.0, *arm.home), motion=(motion, *arm.motion), **{kind: joint})
