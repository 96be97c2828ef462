"""The demo's check: an independent forward kinematics, and the pose that belongs to each target."""

from __future__ import annotations

import math

import pytest
from carried import carried
from hypothesis import example, given
from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.demo.monitor import (
    Monitor,
    SentPose,
    SentStatus,
    judge,
    tip_place,
)
from ik2d_ros.kinematics import Chain, Joint
from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.report import Report

ZERO = 0.0, 0.0, 0.0
coordinate = st.floats(-3.0, 3.0)
angle = st.floats(-7.0, 7.0)
joints = st.builds(
    Joint,
    name=st.uuids().map(str),
    link=st.tuples(coordinate, coordinate),
    lower=st.just(-1.0),
    upper=st.just(1.0),
    offset=angle,
    axis=st.sampled_from([1, -1]),
    type=st.sampled_from(['revolute', 'prismatic']),
)


def arm_of(chain, xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0)):
    n = len(chain)
    return ArmDescription(chain, (0.0,) * n, (MotionLimits(),) * n, base_xyz=xyz, base_rpy=rpy)


def said(sent, stamp, code):
    outcome = Code[code]
    return SentStatus(sent, stamp, Report.of(outcome, ''))


q3 = st.tuples(*[coordinate] * 3)
ONE_JOINT = arm_of(Chain([Joint('hinge', link=(1.0, 0.0))]))


@example(
    [Joint('rail', (5e-324, 5e-324), -1.0, 1.0, type='prismatic')], (1.0,) * 6, *[(0.0,) * 3] * 2
)
@given(
    st.lists(joints, min_size=1, max_size=6).filter(lambda js: any(any(j.link) for j in js)),
    st.tuples(*[angle] * 6),
    st.tuples(coordinate, coordinate, coordinate),
    st.tuples(angle, angle, angle),
)
def test_two_forward_kinematics_agree(chain_joints, positions, xyz, rpy):
    """They share no code, so that one finds the other's mistakes."""
    arm = arm_of(Chain(chain_joints), xyz, rpy)
    q = positions[: len(chain_joints)]
    assert tip_place(arm, q) == pytest.approx(arm.kinematics.forward(q), abs=1e-9)


@given(arm=carried(arm_of(Chain.from_lengths([0.3, 0.25]), (0.1, 0.2, 0.3), (0.4, 1.0, 2.0))), q=q3)
def test_the_tip_is_where_the_arm_in_space_has_it(arm, q):
    q = q[: len(arm.names)]
    assert tip_place(arm, q) == pytest.approx(arm.kinematics.forward(q), abs=1e-9)


@given(*[st.tuples(coordinate, coordinate, coordinate)] * 2, st.tuples(angle, angle, angle))
def test_without_a_joint_that_carries_the_plane_a_target_counts_as_projected(point, xyz, rpy):
    arm = arm_of(ONE_JOINT.chain, xyz, rpy)
    x, y, _ = arm.kinematics.plane.locate(point)
    expected = math.dist((x, y), (math.cos(0.3), math.sin(0.3)))
    judged = judge(arm, point, (0.3,), said(0, 0, 'REACHED').said)
    assert judged.distance == pytest.approx(expected, abs=1e-9)


@st.composite
def merges(draw):
    """What a node sends while it follows targets, and each topic's messages in some arrival order.

    Poses are repeated by a timer at any time; each target's solve sends its pose and then its
    status. Each topic arrives in order, but the topics may overtake each other.
    """
    now, targets, poses, statuses = 1000, [], [], []
    for number in range(draw(st.integers(1, 6))):
        targets.append((now, number))
        for _ in range(draw(st.integers(0, 2))):
            now += draw(st.integers(1, 50))
            poses.append(SentPose(now, (float(max(0, number - 1)),)))  # the one before
        now += draw(st.integers(1, 50))
        poses.append(SentPose(now, (float(number),)))
        now += 1
        statuses.append(said(now, targets[-1][0], 'REACHED'))
        for _ in range(draw(st.integers(0, 2))):
            now += draw(st.integers(1, 50))
            poses.append(SentPose(now, (float(number),)))
        now += 1
    poses.append(SentPose(now + 100, poses[-1].positions))
    queues = [targets, poses, statuses]
    picks = draw(st.permutations([i for i, queue in enumerate(queues) for _ in queue]))
    return [(i, queues[i].pop(0)) for i in picks]


@given(merges())
def test_each_target_gets_its_own_pose_in_any_order_of_arrival(arrivals):
    """Targets are where the arm's tip is at an angle of their number; the distance tells."""
    monitor = Monitor(ONE_JOINT)
    samples, seen = [], set()
    late = 0
    for kind, message in arrivals:
        if kind == 0:
            stamp, number = message
            seen.add(stamp)
            monitor.add_target(stamp, (math.cos(number), math.sin(number), 0.0))
        elif kind == 1:
            monitor.add_pose(message)
        else:
            monitor.add_status(message)
        before = monitor.unmatched
        samples += monitor.samples()
        late += monitor.unmatched - before
    assert len(samples) + late == sum(kind == 2 for kind, _ in arrivals)
    assert all(sample.distance < 1e-12 for sample in samples)
    places = [sample.positions for sample in samples]
    assert places == sorted(places)
    if [kind for kind, _ in arrivals if kind == 0] == [kind for kind, _ in arrivals][: len(seen)]:
        assert late == 0


@pytest.mark.parametrize(
    ('target', 'later'), [(None, 6), (77, 7)], ids=['target never seen', 'pose lost']
)
def test_messages_that_were_lost_are_counted_and_not_guessed(target, later):
    monitor = Monitor(ONE_JOINT)
    if target is not None:
        monitor.add_target(target, (math.cos(1.0), math.sin(1.0), 0.0))
    monitor.add_pose(SentPose(1, (0.0,), number=5))
    monitor.add_status(said(3, 77, 'REACHED'))
    monitor.add_pose(SentPose(4, (1.0,), number=later))
    assert list(monitor.samples()) == []
    assert monitor.unmatched == 1


def test_a_status_that_is_told_again_is_no_other_answer():
    monitor = Monitor(ONE_JOINT)
    monitor.add_target(77, (1.0, 0.0, 0.0))
    samples = []
    for sent, code in enumerate(['REACHED', 'REACHED', 'TOO_FAR', 'TOO_FAR', 'REACHED']):
        monitor.add_status(said(10 * sent, 77, code))
        for before_and_after in (-1, 1):
            monitor.add_pose(SentPose(10 * sent + before_and_after, (0.0,)))
        samples += monitor.samples()
    assert [sample.status.code for sample in samples] == ['REACHED', 'TOO_FAR', 'REACHED']
    assert monitor.unmatched == 0
