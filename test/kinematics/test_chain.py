"""Laws of the chain: forward kinematics, the annulus, and what a chain refuses."""

import math
import pickle

import pytest
from arms import chains, poses
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, ChainError, Ik2dError, Joint, solve


@given(st.data())
def test_no_pose_leaves_the_annulus(data):
    chain = data.draw(chains())
    distance = math.hypot(*chain.forward(data.draw(poses(chain)))[-1])
    slack = 1e-12 * (1 + chain.reach.outer)
    assert chain.reach.inner - slack <= distance <= chain.reach.outer + slack


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


def test_limits_are_kept_as_given():
    chain = Chain.from_lengths([1, 1], limits=[(-0.1, 0.2), None])
    assert chain.lower.tolist() == [-0.1, -math.inf]
    assert chain.upper.tolist() == [0.2, math.inf]
    assert [joint.continuous for joint in chain.joints] == [False, True]
    with pytest.raises(ValueError, match='read-only'):
        chain.lower[0] = 0.0


def test_equal_chains_are_equal_and_hash_alike():
    first, second = (Chain.from_lengths([1, 2], [(0, 1), None]) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert hash(pickle.loads(pickle.dumps(first))) == hash(second)
    assert first != Chain.from_lengths([1, 2])


@pytest.mark.parametrize(
    ('make', 'words'),
    [
        (lambda: Chain([]), 'at least one joint'),
        (lambda: Chain.from_lengths([]), 'at least one joint'),
        (lambda: Chain([Joint('a', (1, 0)), Joint('a', (1, 0))]), 'unique.*a'),
        (lambda: Chain(None), 'list of joints, not of None'),
        (lambda: Chain(Joint('a', (1, 0))), 'list of joints'),
        (lambda: Chain.from_lengths(5), 'list of numbers in m, not 5'),
        (lambda: Chain.from_lengths([1], 5), 'limits are 5; give .*None for each'),
        (lambda: Joint('a', (1, 0), axis=[1, 1]), r"'a'.*axis is \[1, 1\]"),
        (lambda: Chain(['a']), "'a' is not a Joint"),
        (lambda: Joint('', (1, 0)), 'name'),
        (lambda: Joint('a', (1, 0, 0)), "'a'.*two numbers"),
        (lambda: Joint('a', (math.nan, 0)), "'a'.*nan.*finite"),
        (lambda: Joint('a', ('x', 0)), "'a'.*'x'.*finite"),
        (lambda: Joint('a', (1, 0), lower=1.0), "'a'.*without upper"),
        (lambda: Joint('a', (1, 0), upper=1.0), "'a'.*without lower"),
        (lambda: Joint('a', (1, 0), 1.0, -1.0), "'a'.*1.0 is above upper limit -1.0"),
        (lambda: Joint('a', (1, 0), -math.inf, 1.0), "'a'.*-inf.*finite"),
        (lambda: Joint('a', (1, 0), axis=0), "'a'.*axis is 0.*[+]1 or -1"),
        (lambda: Joint('a', (1, 0), axis=True), "'a'.*axis"),
        (lambda: Joint('a', (1, 0), offset=math.inf), "'a'.*offset.*inf"),
        (lambda: Chain.from_lengths([1, -0.5]), "'joint2'.*-0.5.*0 or more"),
        (lambda: Chain.from_lengths([1, 'long']), "'joint2'.*'long'"),
        (lambda: Chain.from_lengths([1, 1], [None]), r'limits are \[None\]; give .* each of 2'),
        (lambda: Chain.from_lengths([1], [(0, 1, 2)]), "'joint1'.*limits"),
        (lambda: Chain.from_lengths([1e308, 1e308]), r"'joint1'.*1e\+308.*at most 1000000, in m"),
        (lambda: Chain.from_lengths([1, 1]).forward([0.0]), 'q has shape'),
        (lambda: Chain.from_lengths([1, 1]).forward('far'), "'far'"),
    ],
)
def test_what_is_refused_is_named(make, words):
    with pytest.raises(Ik2dError, match=words) as caught:
        make()
    assert isinstance(caught.value, ValueError)


def test_a_bad_chain_is_a_chain_error():
    with pytest.raises(ChainError):
        Chain([])


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
