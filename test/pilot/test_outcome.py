"""What a report says of a target is true, by other means, and is read as it was written."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from harness import examples
from space import ARMS, described, random_pose, tip

from ik2d_ros.kinematics import Chain, Status
from ik2d_ros.pilot.outcome import KEYS, Code, Level, Report, explain, text_of
from ik2d_ros.planning.settings import Settings

COUNT, SEED = 100, 7
NUMBER = r'(-?\d[\d.]*(?:e[+-]?\d+)?)'
UNITS = {'um': 1e-6, 'mm': 1e-3, 'm': 1.0}
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


@pytest.mark.parametrize('kind', KINDS)
def test_every_number_about_a_target_is_true(kind):
    rng, seen = np.random.default_rng(SEED), set()
    for _ in range(examples(COUNT)):
        arm, target = random_arm(kind, rng)
        solution = Settings().solve(described(arm), tuple(target), random_pose(arm, rng))
        message = explain(solution, described(arm), tuple(target))
        is_carried = arm.turntable is not None or arm.lift is not None
        where = target if is_carried else arm.plane.locate(tuple(target))[:2]
        off = math.dist(tip(arm if is_carried else arm.chain, solution.q), where)
        if found := re.search(rf'(?:ends|reached, to) {NUMBER} (um|mm|m)\b', message):
            assert float(found[1]) * UNITS[found[2]] == pytest.approx(off, rel=6e-3, abs=1e-9)
        else:
            assert 'less than 1 um' in message
            assert off < 1.1e-6
        pose = dict(zip(arm.names, zip(solution.q, arm.limits, strict=True), strict=True))
        for name, end, value in re.findall(rf'(\w+) at its (\w+) position, {NUMBER}', message):
            position, limits = pose[name]
            assert position == limits[end == 'largest']
            assert position == pytest.approx(float(value), rel=1e-5, abs=1e-9)
        seen.add(solution.status)
    assert {Status.REACHED, Status.TOO_FAR} < seen


def test_solver_statuses_have_a_code_of_their_name_and_its_level() -> None:
    for status in Status:
        level = Level.OK if status is Status.REACHED else Level.WARN
        assert Code[status.name].level is level


@pytest.mark.parametrize('code', [*Code, None])
def test_a_report_is_read_as_it_was_written(code: Code | None) -> None:
    """Or as one of a later version, whose code and level are unknown here."""
    wall = 'the table on which the arm stands, to the left of the door'
    parts = {'target': (0.1, -0.2, 1 / 3), 'error': 1 / 3, 'moving': True, 'wall': wall}
    later = Report('FROM_LATER', Level.STALE, None, 'So it is.', **parts)
    report = Report.of(code, 'So it is.', **parts) if code else later
    values = dict(zip(KEYS, map(text_of, report.values()), strict=True))
    heard = Report.read(report.level if code else 255, report.message, values)
    assert repr(heard) == repr(report), 'as texts: NaN is not equal to NaN'
