"""Three joints alone reach a target at an angle, exactly, the others held."""

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import LIMITS, random_chain, random_limits, random_poses

from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.links import Links, tips
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.tip_angle.tip_angle_begun import Asked
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim
from ik2d_ros.kinematics.tip_angle.tip_angle_triples import close_three, triples
from ik2d_ros.kinematics.tip_angle.tip_angle_triples_many import close_three_many

COUNT = 60


def chain_of(kind, joints, sliding, rng):
    """A chain of that kind, with so many of its joints prismatic."""
    chain = random_chain(joints, rng, random_limits(kind, joints, rng))
    slides = rng.choice(joints, sliding, replace=False)
    return Chain(
        [
            replace(joint, lower=-0.5, upper=rng.uniform(0.0, 1.5), type='prismatic')
            if k in slides
            else joint
            for k, joint in enumerate(chain.joints)
        ]
    )


def asked_of(chain, rng, same_start):
    """Points and angles of poses, and where to start."""
    q, begun = random_poses(chain, COUNT, rng), random_poses(chain, COUNT, rng)
    if same_start:
        begun[:] = begun[0]
    x, y = chain.forward(q)[:, -1].T / chain.size
    headings = np.asarray(chain.tip_angles(q)) + chain.tip_direction
    starts = np.ascontiguousarray(chain.bends_many(begun).T)
    return Asked(x + 1j * y, headings, starts)


@pytest.mark.parametrize('kind', LIMITS)
@pytest.mark.parametrize(('joints', 'sliding'), [(4, 0), (6, 0), (9, 0), (4, 1), (5, 2), (5, 3)])
def test_what_three_joints_reach_is_there_and_inside_the_limits(kind, joints, sliding):
    rng = np.random.default_rng(joints)
    chain = chain_of(kind, joints, sliding, rng)
    asked = asked_of(chain, rng, False)
    bends, met = close_three_many(chain, asked)
    assert met.any()
    lower, upper = np.array(chain.bend_limits).T[:, :, None]
    assert ((bends >= lower) & (bends <= upper)).all()
    assert (np.sum(bends != asked.starts, axis=0)[met] <= 3).all()
    assert (bends == asked.starts)[:, ~met].all()
    links = Links.of(chain)
    assert np.abs(tips(links, bends) - asked.goals)[met] == pytest.approx(0.0, abs=1e-12)
    _, turns = links_many(links.fixed, links.lengths, bends)
    off = np.exp(1j * (turns.sum(axis=0) - asked.headings)[met])
    assert np.angle(off) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize('same_start', [False, True])
@pytest.mark.parametrize('sliding', [0, 1, 2])
@pytest.mark.parametrize('kind', LIMITS)
def test_many_are_closed_as_each_is(kind, sliding, same_start):
    rng = np.random.default_rng(5)
    chain = chain_of(kind, 5, sliding, rng)
    asked = asked_of(chain, rng, same_start)
    if same_start:
        one = asked.starts[:, :1]
        asked = asked._replace(starts=np.broadcast_to(one, asked.starts.shape))
    bends, met = close_three_many(chain, asked)
    for k in range(COUNT):
        problem = problem_of(chain, complex(asked.goals[k]))
        aim = Aim(problem, float(asked.headings[k]), 1e-9, 1e-9)
        alone = close_three(aim, at(problem, asked.starts[:, k].tolist()), chain)
        assert (alone is not None) == met[k]
        if alone is not None:
            assert bends[:, k] == pytest.approx(alone.bends, abs=1e-9)


def test_joints_that_cannot_move_close_nothing():
    rng = np.random.default_rng(1)
    limits = [(-1.0, 1.0), (0.5, 0.5), (-2.0, 2.0), (0.1, 0.1), (-1.5, 1.0)]
    assert triples(random_chain(5, rng, limits)) == ((0, 2, 4),)
    chain = random_chain(4, rng, [(-math.pi, math.pi)] * 4)
    assert len(triples(chain)) == 4


def test_of_three_joints_one_slides_at_the_most():
    rng = np.random.default_rng(2)
    chain = chain_of('symmetric', 6, 4, rng)
    slides = [joint.slides for joint in chain.joints]
    assert triples(chain)
    assert all(sum(slides[joint] for joint in three) <= 1 for three in triples(chain))
