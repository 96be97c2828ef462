"""The light body stands for the exact one: few triangles, nowhere far from it."""

from __future__ import annotations

import numpy as np
import pytest
from arms import random_chain, random_limits
from space import random_arm

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.light_body import light_body
from ik2d_ros.arm.swept import swept_body
from ik2d_ros.kinematics import Arm, Chain, Lift, Plane, Turntable

MOST_TRIANGLES = 4000


def volume(body):
    a, b, c = np.moveaxis(body.vertices[body.triangles] - body.vertices.mean(axis=0), 1, 0)
    return np.einsum('ij,ij->i', a, np.cross(b, c)).sum() / 6.0


def gap(points, others):
    """The largest distance of any of the points from the nearest of the others."""
    parts = np.array_split(points, 1 + len(points) // 500)
    away = [np.linalg.norm(part[:, None] - others, axis=2).min(axis=1).max() for part in parts]
    return max(away)


def lifted(rng):
    chain = random_chain(3, rng, random_limits('asymmetric', 3, rng))
    return Arm(chain, Plane.from_pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), lift=Lift(-1, -0.1, 0.4))


@pytest.mark.parametrize('kind', ['free', 'half', 'lift'])
def test_it_is_like_the_exact_body(kind):
    rng = np.random.default_rng(7)
    arm = lifted(rng) if kind == 'lift' else random_arm(3, 'asymmetric', kind, rng)
    area = reach_area(arm.chain)
    exact, light = swept_body(arm, *area), light_body(arm, *area)
    assert 0 < len(light.triangles) <= min(MOST_TRIANGLES, len(exact.triangles))
    corners = light.triangles
    assert (corners[:, [0, 1, 2]] != corners[:, [1, 2, 0]]).all()
    assert volume(light) == pytest.approx(volume(exact), rel=0.05)
    surface = exact.vertices[exact.triangles].mean(axis=1)[::20]
    assert gap(light.vertices[::5], exact.vertices) < 0.1 * arm.size
    # The corners of a lift's walls are only above and below.
    assert gap(surface, light.vertices) < (0.3 if kind == 'lift' else 0.15) * arm.size


def test_a_turntable_that_cannot_turn_has_one_too():
    arm = random_arm(2, 'asymmetric', 'free', np.random.default_rng(8))
    fixed = Arm(arm.chain, arm.plane, Turntable(arm.turntable.xyz, arm.turntable.axis, 0.3, 0.3))
    assert np.isfinite(light_body(fixed, *reach_area(arm.chain)).vertices).all()


def test_nothing_is_swept_without_a_carrier_or_without_an_end():
    chain = Chain.from_lengths([0.3, 0.2])
    area = reach_area(chain)
    for arm in (Arm(chain), Arm(chain, lift=Lift())):
        assert not len(light_body(arm, *area).triangles)


@pytest.mark.parametrize('length', [0.0, 1e-6, 1e3])
def test_arms_of_any_size_have_one(length):
    chain = Chain.from_lengths([length, 0.5 * length])
    plane = Plane.from_pose((length, 0.0, 0.0), (np.pi / 2.0, 0.0, 0.0))
    light = light_body(Arm(chain, plane, Turntable()), *reach_area(chain))
    assert np.isfinite(light.vertices).all()
    assert len(light.triangles) > 0
