"""Triangles that are dropped, or left for later, are none that matter."""

import math

import numpy as np
import pytest
from arms import LIMITS, random_chain, random_limits, random_poses

from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.tip_angle import tip_angle_poses
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    EXACT,
    angle_proof_of,
    had_many,
    posed,
    turned,
)

COUNT = 150


@pytest.fixture
def unsifted(monkeypatch):
    """Makes all triangles be solved."""

    def all_of_them(_table, _limits, met, _asked):
        return met, np.full(len(met.e), np.nan)

    return lambda: monkeypatch.setattr(tip_angle_poses, 'sifted', all_of_them)


def some_targets(chain, rng):
    pose, starts = (chain.bends_many(random_poses(chain, COUNT, rng)).T for _ in range(2))
    turned_by = np.cumsum(pose, axis=0)
    lengths = np.array(chain.unit_lengths)[:, None]
    goals = (lengths * np.exp(1j * turned_by)).sum(axis=0)
    other = rng.uniform(-math.pi, math.pi, COUNT)
    return goals, np.where(rng.random(COUNT) < 0.3, turned_by[-1], other), starts


def least(found):
    off = np.full(COUNT, np.inf)
    good = (found.error <= EXACT) & (found.strayed <= 0.0)
    np.minimum.at(off, found.which[good], np.abs(found.off[good]))
    return off


def compared(chain, rng, unsifted):
    proof, asked = angle_proof_of(chain), some_targets(chain, rng)
    loosely = (1e-6, 0.01)
    with np.errstate(all='ignore'):
        now = (
            had_many(proof, *asked[:2]),
            least(turned(proof, *asked)),
            least(turned(proof, *asked, loosely)),
            sorted(map(tuple, posed(proof, *asked).bends.T.round(6).tolist())),
        )
        unsifted()
        every = posed(proof, *asked)
        had = np.zeros(COUNT, dtype=bool)
        had[every.which] = True
        closest, loose = turned(proof, *asked), turned(proof, *asked, loosely)
    assert (now[0] == had).all()
    for one, other in ((now[1], least(closest)), (now[2], least(loose))):
        np.testing.assert_allclose(one[~had], other[~had], rtol=0.0, atol=1e-12)
    assert now[3] == sorted(map(tuple, every.bends.T.round(6).tolist()))


@pytest.mark.parametrize('kind', sorted(LIMITS))
@pytest.mark.parametrize('joints', [3, 5, 7])
def test_what_is_found_is_what_all_triangles_find(kind, joints, unsifted):
    rng = np.random.default_rng([joints, sorted(LIMITS).index(kind)])
    chain = random_chain(joints, rng, random_limits(kind, joints, rng))
    if chain.limited:
        compared(chain, rng, unsifted)


@pytest.mark.parametrize('short', [0.0, 1e-9, 1e-6, 3e-3])
def test_short_links_and_what_is_next_to_straight_are_found(short, unsifted):
    rng = np.random.default_rng(4)
    limits = [(-2.0, 0.0), (0.0, math.pi), (-math.pi / 2, 1.0), (0.0, 0.5)]
    compared(Chain.from_lengths([0.4, short, 0.4, 0.3], limits), rng, unsifted)


def test_a_triangle_with_a_short_side_does_not_hide_a_closer_one(unsifted):
    limits = [(2.41, 2.82), (-4.02, -2.0), (0.82, 3.32)]
    chain = Chain.from_lengths([0.49, 0.259, 0.251], limits)
    compared(chain, np.random.default_rng(1), unsifted)
