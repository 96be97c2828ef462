"""Commands of several limbs as one: nothing lost, nothing early, and nothing faster than a limb."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.merging import FORGOTTEN, MOST, USUAL, Merging

JOINTS = ('a1', 'b1', 'gripper', 'a2', 'b2')
LIMBS = {'a': ('a1', 'a2'), 'b': ('b2', 'b1')}
STANDS = {'a': (0.1, 0.4), 'b': (0.5, 0.2)}


def measured(holds=None):
    merging = Merging(JOINTS, holds or {'gripper': math.nan})
    merging.measure(JOINTS, (0.1, 0.2, 0.3, 0.4, 0.5))
    return merging


arrivals = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20)


@given(arrivals)
def test_each_limb_goes_through_its_own_commands_one_by_one(per_tick):
    """Whatever arrives between two ticks; and each is commanded as long as any waits."""
    merging = measured()
    sent, seen = {'a': 0, 'b': 0}, {'a': 0, 'b': 0}
    for counts in (*per_tick, *[(0, 0)] * (3 * len(per_tick) + 1)):
        for limb, count in zip('ab', counts, strict=True):
            for _ in range(count):
                sent[limb] += 1
                assert merging.hear(LIMBS[limb], (sent[limb], -sent[limb])) == ''
        assert merging.is_behind == any(sent[limb] - seen[limb] > USUAL for limb in 'ab')
        step = merging.step()
        assert (step is None) == (sent == seen)
        if step is None:
            continue
        pose = dict(zip(JOINTS, step.pose, strict=True))
        assert pose['gripper'] == 0.3
        for limb, names in LIMBS.items():
            seen[limb] += seen[limb] < sent[limb]
            expected = (seen[limb], -seen[limb]) if seen[limb] else STANDS[limb]
            assert tuple(pose[name] for name in names) == expected
    assert sent == seen


def test_nothing_is_commanded_before_every_joint_is_known():
    merging = Merging(JOINTS, {'gripper': math.nan})
    assert merging.step() is None
    assert merging.missing() == list(JOINTS)
    assert merging.hear(LIMBS['a'], (1.0, 2.0)) == ''
    assert merging.missing() == ['b1', 'gripper', 'b2']
    assert merging.step() is None
    merging.measure(['b1', 'gripper', 'b2', 'wheel'], [math.nan, 0.3, 0.5, 0.0])
    assert merging.missing() == ['b1']
    merging.measure(['b1'], [0.2])
    assert merging.step().pose == (1.0, 0.2, 0.3, 2.0, 0.5)
    assert merging.step() is None


def test_others_stay_where_they_stood_when_the_first_limb_moved():
    merging = measured()
    merging.measure(['b1'], [-0.2])
    merging.hear(LIMBS['a'], (1.0, 2.0))
    assert merging.step().pose == (1.0, -0.2, 0.3, 2.0, 0.5)
    merging.measure(JOINTS, (9.0,) * 5)
    merging.hear(LIMBS['b'], (3.0, 4.0), 0.04)
    assert merging.step() == ((1.0, 4.0, 0.3, 2.0, 3.0), 0.04)


def test_a_joint_is_held_where_it_is_to_be_held():
    merging = measured({'gripper': 0.7})
    merging.hear(LIMBS['a'], (1.0, 2.0))
    assert merging.step().pose[2] == 0.7
    merging.hold({'gripper': math.nan})
    merging.hear(LIMBS['a'], (1.0, 2.0))
    assert merging.step().pose[2] == 0.3


@pytest.mark.parametrize(
    ('names', 'positions', 'words'),
    [
        (['a1', 'tail'], [0.0, 0.0], "joints tail are not the controller's; its joints are a1"),
        (['a1', 'a2'], [0.0], 'one position for each joint'),
        (['a1', 'a1'], [0.0, 0.0], 'one position for each joint'),
        ([], [], 'one position for each joint'),
        (['a1', 'a2'], [0.0, math.nan], 'must be finite'),
        (['a1', 'a2'], [math.inf, 0.0], 'must be finite'),
    ],
)
def test_a_command_that_cannot_be_used_is_refused(names, positions, words):
    merging = measured()
    assert words in merging.hear(names, positions)
    assert merging.step() is None


def test_a_limb_that_is_too_fast_is_told_of():
    merging = measured()
    answers = [merging.hear(LIMBS['a'], (float(number), 0.0)) for number in range(MOST + 1)]
    assert answers[:-1] == [''] * MOST
    assert 'a1, a2 are commanded at a higher rate' in answers[-1]


def test_a_joint_belongs_to_one_limb_whatever_the_order():
    merging = measured()
    assert merging.hear(['a1', 'a2'], (1.0, 2.0)) == ''
    assert merging.hear(['a2', 'a1'], (4.0, 3.0)) == ''
    assert 'a1, b1 has joints of the limb a1, a2' in merging.hear(['b1', 'a1'], (0.0, 0.0))
    assert [merging.step().pose[0] for _ in range(2)] == [1.0, 3.0]
    assert merging.step() is None


def test_a_limb_that_is_silent_for_long_gives_its_joints_free():
    """As after one stray message with the wrong joints."""
    merging = measured()
    assert merging.hear(['a1', 'b1'], (0.0, 0.0)) == ''
    assert merging.step() is not None
    assert 'has joints of the limb' in merging.hear(LIMBS['a'], (1.0, 2.0))
    for _ in range(FORGOTTEN + 1):
        assert merging.step() is None
    assert merging.hear(LIMBS['a'], (1.0, 2.0)) == ''
    assert merging.step().pose[0] == 1.0
