"""Laws of the chain: its annulus, its limits, and what is equal."""

import math
import pickle

import pytest

from ik2d_ros.kinematics import Arm, Chain, Joint, Plane, Turntable, solve


@pytest.mark.parametrize(
    ('lengths', 'inner', 'outer'),
    [
        ([0.5], 0.5, 0.5),
        ([0.3, 0.25], 0.05, 0.55),
        ([0.25, 0.3], 0.05, 0.55),
        ([1, 1, 1], 0, 3),
        ([5, 1, 1], 3, 7),
        ([0, 2, 0], 2, 2),
    ],
)
def test_the_annulus_of_known_arms(lengths, inner, outer):
    assert Chain.from_lengths(lengths).reach == pytest.approx((inner, outer))


def test_equal_chains_and_arms_are_equal_and_hash_alike():
    def made(*carrier):
        chain = Chain.from_lengths([1, 2], [(0, 1), None])
        return chain, Arm(chain, Plane.from_pose((0.0,) * 3, (0.0,) * 3), *carrier)

    for one, same, other in zip(made(), made(), made(Turntable(axis=(0.0, 1.0, 0.0))), strict=True):
        assert one == same
        assert hash(one) == hash(same) == hash(pickle.loads(pickle.dumps(one)))
        assert isinstance(one, Chain) or hash(one) != hash(other)
    assert made()[0] != Chain.from_lengths([1, 2])


def test_limits_are_kept_as_given():
    chain = Chain.from_lengths([1, 1], limits=[(-0.1, 0.2), None])
    assert chain.lower.tolist() == [-0.1, -math.inf]
    assert chain.upper.tolist() == [0.2, math.inf]
    assert [joint.continuous for joint in chain.joints] == [False, True]
    with pytest.raises(ValueError, match='read-only'):
        chain.lower[0] = 0.0


@pytest.mark.parametrize('turns', [(0, 1), (-2, 0), (3, -1)])
def test_whole_turns_of_an_absolute_joint_change_nothing(turns):
    """Where both limits of positions and of bends hold, too."""

    def linkage(turns):
        offsets = [turn * 2.0 * math.pi - 0.5 for turn in turns]
        return Chain(
            [
                Joint('upper', (0.3, 0.0), 0.0, 1.0),
                Joint('fore', (0.25, 0.0), -0.3, 0.3, offsets[0], 1, 'revolute', True, -2.0, -0.4),
                Joint('hand', (0.1, 0.0), -1.0, 1.0, offsets[1], 1, 'revolute', True, -0.2, 0.9),
            ]
        )

    plain, turned = linkage((0, 0)), linkage(turns)
    assert turned.middle == pytest.approx(plain.middle, abs=1e-9)
    assert turned.settled([0.0, 0.3, -1.0]) == pytest.approx(plain.settled([0.0, 0.3, -1.0]))
    for target in ((0.55, 0.1), (0.5, 0.2), (0.3, 0.3)):
        assert solve(turned, target).status is solve(plain, target).status
