"""What a message says of a target or a path is true: every number in it, by other means."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from carried import described
from harness import examples
from space import ARMS, random_pose, tip, turned

from ik2d_ros.kinematics import Chain, Status
from ik2d_ros.pilot.outcome import explain
from ik2d_ros.planning.settings import Settings

COUNT, SEED = 300, 7
NUMBER = r'(-?\d[\d.]*(?:e[+-]?\d+)?)'
UNITS = {'um': 1e-6, 'mm': 1e-3, 'm': 1.0}


def numbers(pattern, message):
    """The numbers of a pattern in a message, in which N is a number; None if it is not there."""
    found = re.search(pattern.replace('N', NUMBER), message)
    return found and [float(number) for number in found.groups()]


KINDS = [kind for kind in ARMS if 'roll' not in kind]


def random_arm(kind, rng):
    """An arm, mostly with a tool; a target, often next to what it reaches."""
    arm = ARMS[kind](rng)
    size = arm.chain.reach.outer
    if rng.random() < 0.6:
        tool = tuple(rng.uniform(-1.0, 1.0, 2) * size * rng.choice([0.1, 0.5, 2.0]))
        arm = replace(arm, chain=Chain(arm.chain.joints, tool))
    near = tip(arm, random_pose(arm, rng))
    if rng.random() < 0.2:
        near = np.array(arm.plane.point(0.0, 0.0))
    return arm, near + rng.normal(0.0, 1.0, 3) * size * rng.choice([0.001, 0.1, 1.0])


def in_plane(arm, target):
    """(k, 3) coordinates of a target in the plane, as a turntable carries that to it, or nearest.

    And how far the target and the plane are from the axis at its height, for a turntable.
    """
    x, y, normal = np.array(arm.plane.axes)
    axes = np.array([x, y, normal])
    if arm.turntable is None:
        return [axes @ (target - arm.plane.origin)], (0.0, 0.0)
    # Turned back, the target is that far from the plane at 0: a cosine of the turn.
    axis, about = np.array(arm.turntable.axis), arm.turntable.xyz

    def back(turn):
        return axes @ (turned(np.array(target), about, axis, np.array(-turn)) - arm.plane.origin)

    there, aside, behind = (back(turn)[2] for turn in (0.0, math.pi / 2, math.pi))
    middle = 0.5 * (there + behind)
    cosine, sine = there - middle, aside - middle
    size, phase = math.hypot(cosine, sine), math.atan2(sine, cosine)
    unit = axis / np.linalg.norm(axis)
    radius = np.linalg.norm(np.cross(target - np.array(about), unit))
    apart = math.acos(min(max(-middle / (size or 1.0), -1.0), 1.0))
    upright = math.sqrt(1.0 - (unit @ normal) ** 2)
    return [back(phase + apart), back(phase - apart)], (radius, abs(middle) / upright)


def annulus(chain):
    if any(joint.slides for joint in chain.joints):
        return chain.reach
    lengths = [math.hypot(*joint.link) for joint in chain.joints]
    return max(0.0, 2.0 * max(lengths) - sum(lengths)), sum(lengths)


def check_distances(message, arm, target, solution):
    """The numbers of a target beyond the reach, or inside of the inner one."""
    places, (radius, beside) = in_plane(arm, target)
    tool, (inner, outer) = arm.chain.tool, annulus(arm.chain)
    gaps = [max(math.dist(place[:2], tool) - outer, inner - math.dist(place[:2], tool))
            for place in places]  # fmt: skip
    off = max(0.0, beside - radius)
    if found := numbers("N m beside the arm's plane, however", message):
        assert solution.status is Status.TOO_NEAR
        assert found == pytest.approx([off], rel=2e-3, abs=1e-8)
        return
    distance, gap = numbers(r'N m from the base.*?, N m (?:beyond|inside)', message)
    least = next(
        least
        for place, least in zip(places, gaps, strict=True)
        if math.hypot(*place[:2]) == pytest.approx(distance, rel=1e-3, abs=1e-8)
        and least == pytest.approx(min(gaps), abs=1e-9)
    )
    edge = outer if solution.status is Status.TOO_FAR else inner
    if reach := numbers(r'reach of N m', message):
        assert not any(tool)
        assert reach[0] == pytest.approx(edge, rel=1e-4)
        assert gap == pytest.approx(abs(distance - edge), rel=2e-3, abs=2e-3 * distance)
    else:
        assert gap == pytest.approx(min(least, solution.error), rel=1e-3, abs=1e-8)
    if 'joint limits' in message:
        assert solution.error > least
    elif not arm.chain.joints[0].slides:
        assert solution.error <= 1.01 * math.hypot(least, off) + 1e-5


def check_message(message, arm, target, solution):
    where = target if arm.turntable or arm.lift else in_plane(arm, target)[0][0][:2]
    here = tip(arm if arm.turntable or arm.lift else arm.chain, solution.q)
    if found := re.search(rf'(?:ends|reached, to) {NUMBER} (um|mm|m)\b', message):
        told = float(found[1]) * UNITS[found[2]]
        assert told == pytest.approx(math.dist(here, where), rel=6e-3, abs=1e-9)
    else:
        assert 'less than 1 um' in message or solution.status is Status.TIP_ANGLE
        assert math.dist(here, where) < 1.1e-6
    q = dict(zip(arm.names, zip(solution.q, arm.limits, strict=True), strict=True))
    for name, end, value in re.findall(rf'(\w+) at its (\w+) position, {NUMBER}', message):
        position, limits = q[name]
        assert position == limits[end == 'largest']
        assert position == pytest.approx(float(value), rel=1e-5, abs=1e-9)
    if solution.status in (Status.TOO_FAR, Status.TOO_NEAR):
        check_distances(message, arm, target, solution)


@pytest.mark.parametrize('kind', KINDS)
def test_every_number_about_a_target_is_true(kind):
    rng, seen = np.random.default_rng(SEED), set()
    for _ in range(examples(COUNT)):
        arm, target = random_arm(kind, rng)
        solution = Settings().solve(described(arm), tuple(target), random_pose(arm, rng))
        message = explain(solution, described(arm), tuple(target))
        check_message(message, arm, target, solution)
        seen.add(solution.status)
    assert {Status.REACHED, Status.TOO_FAR} < seen
