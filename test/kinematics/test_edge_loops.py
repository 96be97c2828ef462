"""The exact outline: what is inside it is reached, what is outside is not, and it is the edge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arms import LIMITS, chains, random_chain, random_limits, random_poses, sliding_chains
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.arm.outline import Segments, distances, inside
from ik2d_ros.arm.polygons import polygons
from ik2d_ros.kinematics import Chain, solve_batch
from ik2d_ros.kinematics.proof.edge_loops import area, edge_loops
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.proof.proof_many import decide_many, reached_many

CHORD = 1e-5  # reaches
NEAR = 3e-5  # reaches; places so near to the edge are asked nothing
THIN = 1e-4  # reaches; an area that is narrower everywhere may be none


def sides_of(loops):
    corners = [np.stack([each.real, each.imag], axis=1) for each in polygons(loops, CHORD)]
    corners = [np.empty((0, 2)), *corners]
    return Segments(
        np.concatenate(corners), np.concatenate([np.roll(each, -1, axis=0) for each in corners])
    )


def is_outline(chain, loops, rng):
    """Whether loops are around what a chain reaches, and around nothing else."""
    size = chain.reach.outer
    sides = sides_of(loops)
    tips = chain.forward(random_poses(chain, 100, rng))[:, -1] / size
    places = np.concatenate([tips, rng.uniform(-1.05, 1.05, (200, 2))])
    places = places[distances(sides, places) > NEAR]
    answers = solve_batch(chain, size * places, tolerance=1e-9 * size)
    assert answers.proven.all()
    assert (inside(sides, places) == (answers.error <= 1e-9 * size)).all()
    corners = size * sides.begin[:: 1 + len(sides.begin) // 500]
    assert solve_batch(chain, corners, tolerance=1e-12 * size).error.max() <= 1e-9 * size


def is_thin(chain, rng):
    """Whether the joints move the tip along one line only, or hardly beside it, in any pose."""
    q = random_poses(chain, 50, rng, corners=0.0)
    steps = 1e-4 * np.eye(len(chain))
    moved = [chain.forward(q + step)[:, -1] - chain.forward(q - step)[:, -1] for step in steps]
    ranges = np.minimum(chain.upper - chain.lower, 1.0)
    columns = np.stack(moved, axis=2) / 2e-4 * ranges / (chain.reach.outer or 1.0)
    return len(chain) == 1 or np.linalg.svd(columns, compute_uv=False)[:, 1].max() < THIN


@settings(max_examples=25)
@given(st.one_of(chains(), sliding_chains()), st.integers(0, 2**32 - 1))
def test_inside_is_what_can_be_reached(chain, seed):
    rng = np.random.default_rng(seed)
    loops = edge_loops(chain)
    assert loops is not None
    if loops:
        is_outline(chain, loops, rng)
    else:
        assert is_thin(chain, rng)


@pytest.mark.parametrize('kind', LIMITS)
@pytest.mark.parametrize('count', range(2, 7))
def test_inside_is_what_can_be_reached_within_limits_of_any_kind(kind, count):
    rng = np.random.default_rng([count, len(kind)])
    chain = random_chain(count, rng, random_limits(kind, count, rng))
    is_outline(chain, edge_loops(chain), rng)


@pytest.mark.parametrize('lengths', [(1.0, 1.0), (0.5, 0.5, 0.5), (1.0, 0.5, 0.5)])
@pytest.mark.parametrize('turn', [0.5 * math.pi, math.pi, 1.5 * math.pi])
def test_arcs_that_touch_or_end_in_one_point_are_told_apart(lengths, turn):
    """Equal links and right angles: many pieces of the edge meet in the same points."""
    rng = np.random.default_rng(len(lengths))
    for limits in ((-turn, turn), (0.0, turn), (-0.5 * math.pi, turn)):
        chain = Chain.from_lengths(lengths, [limits] * len(lengths))
        is_outline(chain, edge_loops(chain), rng)


def test_a_ring_has_two_circles_and_a_disc_one():
    for lengths, radii in (((0.6, 0.4), [1.0, 0.2]), ((0.5, 0.5), [1.0]), ((0.3, 0.4, 0.3), [1.0])):
        loops = edge_loops(Chain.from_lengths(lengths))
        found = sorted((loop.radius.tolist() for loop in loops), reverse=True)
        assert found == [[pytest.approx(radius)] for radius in radii]
        areas = sorted(map(area, loops), reverse=True)
        signs = [1.0, -1.0]
        assert areas == [
            pytest.approx(sign * math.pi * radius**2)
            for sign, radius in zip(signs, radii, strict=False)
        ]


def test_two_joints_of_a_quarter_turn_enclose_what_integration_gives():
    """The area between shoulder and elbow limits is the shoulder's range times that of d^2 / 2."""
    chain = Chain.from_lengths([0.6, 0.4], [(-0.4, 0.9), (0.5, 2.0)])
    squares = [0.6**2 + 0.4**2 + 2.0 * 0.6 * 0.4 * math.cos(bend) for bend in (0.5, 2.0)]
    (loop,) = edge_loops(chain)
    assert area(loop) == pytest.approx(0.5 * 1.3 * (squares[0] - squares[1]), rel=1e-9)


@settings(max_examples=10)
@given(st.integers(2, 5), st.sampled_from(sorted(LIMITS)), st.integers(0, 2**32 - 1))
def test_the_area_is_that_of_a_fine_grid(count, kind, seed):
    rng = np.random.default_rng(seed)
    chain = random_chain(count, rng, random_limits(kind, count, rng))
    loops = edge_loops(chain)
    ticks = np.linspace(-1.0, 1.0, 101)[:-1] + 0.01
    places = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    size = chain.reach.outer
    reached = solve_batch(chain, size * places, tolerance=1e-9 * size).error <= 1e-9 * size
    around = sum(float(loop.sizes.sum()) for loop in loops)
    # Each cell that the outline runs through counts in whole or not at all.
    assert sum(map(area, loops)) == pytest.approx(4e-4 * reached.sum(), abs=0.01 * around + 1e-3)


@pytest.mark.parametrize('kind', ['symmetric', 'asymmetric', 'mixed'])
def test_what_is_reached_is_told_without_the_poses_as_with_them(kind):
    """A chain of so many pieces that they are looked at in parts."""
    rng = np.random.default_rng(5)
    proof = proof_of(random_chain(6, rng, random_limits(kind, 6, rng)))
    targets = rng.uniform(-1.05, 1.05, (400, 2)) @ (1, 1j)
    starts = np.clip(0.0, *np.array(proof.limits).T[:, :, None]).repeat(400, axis=1)
    expected = decide_many(proof, targets, starts).reached
    assert 0 < expected.sum() < 400
    assert (reached_many(proof, targets) == expected).all()


def test_parts_follow_each_other():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        chain = random_chain(4, rng, random_limits('asymmetric', 4, rng))
        for loop in edge_loops(chain):
            ends = loop.points(loop.begin + loop.length)
            assert np.abs(ends - np.roll(loop.points(loop.begin), -1)).max() < 1e-5


def test_a_line_or_a_point_has_no_outline_and_beyond_the_proof_there_is_none():
    assert edge_loops(Chain.from_lengths([0.5], [(-1.0, 1.0)])) == []
    assert edge_loops(Chain.from_lengths([0.5, 0.2], [(0.3, 0.3), (0.1, 0.1)])) == []
    assert edge_loops(Chain.from_lengths([0.0])) == []
    assert edge_loops(Chain.from_lengths([0.1] * 11, [(-1.0, 1.0)] * 11)) is None
