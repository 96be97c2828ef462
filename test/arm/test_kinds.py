"""The motions and shapes of the kinds of joints agree with the chain."""

from __future__ import annotations

import cmath

from arms import chains, poses, sliding_chains
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.kinds import Pose, kind_of
from ik2d_ros.kinematics import Chain

any_chains = st.one_of(chains(), sliding_chains())


@given(st.data())
def test_the_motions_of_frames_give_the_points_of_the_chain(data: st.DataObject) -> None:
    chain = data.draw(any_chains)
    q = data.draw(poses(chain))
    points = [complex(x, y) for x, y in chain.forward(q)]
    place, angle = 0j, 0.0
    for joint, position, point, after in zip(chain.joints, q, points[:-1], points[1:], strict=True):
        assert abs(place - point) < 1e-12
        motion: Pose = kind_of(joint).motion(joint, position)
        place += cmath.rect(1.0, angle) * complex(motion.x, motion.y)
        angle += motion.angle
        place += cmath.rect(1.0, angle) * complex(*joint.link)
        assert abs(place - after) < 1e-12


@given(st.data())
def test_beams_connect_a_joint_to_the_end_of_its_link(data: st.DataObject) -> None:
    """Or they are a rail and a carriage on it."""
    joint = data.draw(any_chains).joints[0]
    (position,) = data.draw(poses(Chain([joint])))
    kind, width = kind_of(joint), 0.05
    beams = kind.beams(joint, width)
    assert all(beam.begin < beam.end for beam in beams)
    if not joint.slides:
        assert [(beam.begin, beam.end) for beam in beams] == [(0.0, joint.length)] * len(beams)
        assert beams or joint.length <= 1e-6 * width
        return
    way = joint.axis * position
    fixed = [beam for beam in beams if beam.is_fixed]
    (carried,) = [beam for beam in beams if not beam.is_fixed]
    end = joint.length + way
    assert carried.begin + way <= end + 1e-12
    assert carried.end + way >= end - 1e-12
    for beam in fixed:  # they overlap: nothing floats
        assert beam.begin <= carried.end + way
        assert beam.end >= carried.begin + way - 1e-12
    assert abs(end) <= kind.farthest(joint) + 1e-12
