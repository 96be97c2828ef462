"""The tasks by which :mod:`tuning` compares numbers; each returns (reached, error, jumps)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test'))

from arms import in_annulus, random_limits, random_poses

from ik2d_ros.kinematics import Arm, Chain, Lift, Plane, Status, Turntable, solve, solve_batch

STEPS = 120  # Of a path.
JUMP = 0.5  # rad in a step; a smooth path of so many steps needs less.
FEWER = 8  # Long chains take so many times longer than short ones.


def chains(count, *kinds):
    rng = np.random.default_rng(1)
    for joints, kind in kinds:
        limits = random_limits(kind, joints, rng) if kind else None
        chain = Chain.from_lengths([1.0 / joints] * joints, limits)
        some = count if joints < 10 else max(8, count // FEWER)
        poses, starts = (random_poses(chain, some, rng) for _ in range(2))
        yield chain, poses, chain.forward(poses)[:, -1], starts, rng


def total(answers):
    status = np.array([answer.status for answer in answers])
    error = sum(a.error + a.angle_error for a in answers if a.status is not Status.REACHED)
    return int((status == Status.REACHED).sum()), float(error), 0


def single(count):
    """Targets from afar, within limits and without."""
    given = list(chains(count, (3, None), (6, None), (3, 'symmetric'), (6, 'symmetric'),
                        (6, 'one-sided')))  # fmt: skip
    return lambda: total([
        solve(chain, target, solver, start, tolerance=1e-9)
        for chain, _, targets, starts, _ in given
        for solver in ('hybrid', 'ccd')
        for target, start in zip(targets, starts, strict=True)
    ])  # fmt: skip


def forbidden(count):
    """Targets that limits forbid, mostly."""
    given = [
        (chain, in_annulus(chain, len(starts), rng), starts)
        for chain, _, _, starts, rng in chains(
            count, (4, 'narrow'), (6, 'one-sided'), (12, 'narrow')
        )
    ]
    return lambda: total([
        solve(chain, target, start=start, tolerance=1e-9)
        for chain, targets, starts in given
        for target, start in zip(targets, starts, strict=True)
    ])  # fmt: skip


def long(count):
    """Chains that are too long for a proof."""
    given = list(chains(count, (12, 'symmetric'), (14, 'one-sided'), (12, 'narrow')))
    return lambda: total([
        solve(chain, target, start=start, tolerance=1e-9)
        for chain, _, targets, starts, _ in given
        for target, start in zip(targets, starts, strict=True)
    ])  # fmt: skip


def angle(count):
    """Targets at tip angles."""
    given = list(chains(count, (3, None), (6, None), (4, 'symmetric'), (6, 'one-sided'),
                        (12, 'symmetric')))  # fmt: skip
    return lambda: total([
        solve(chain, target, start=start, angle=chain.tip_angle(pose.tolist()), tolerance=1e-9)
        for chain, poses, targets, starts, _ in given
        for pose, target, start in zip(poses, targets, starts, strict=True)
    ])  # fmt: skip


def angles(count):
    """Many at tip angles at once, most of which limits forbid."""
    given = [
        (chain, targets, starts, rng.uniform(-np.pi, np.pi, 8 * len(targets)))
        for chain, _, targets, starts, rng in chains(
            count, (4, 'narrow'), (5, 'asymmetric'), (6, 'one-sided'), (8, 'narrow')
        )
    ]

    def run():
        reached, error = 0, 0.0
        for chain, targets, starts, asked in given:
            several = np.tile(targets, (8, 1))
            found = solve_batch(
                chain, several, start=np.tile(starts, (8, 1)), angle=asked, tolerance=1e-9
            )
            hit = found.status == Status.REACHED
            missed = found.error[~hit].sum() + found.angle_error[~hit].sum()
            reached, error = reached + int(hit.sum()), error + float(missed)
        return reached, error, 0

    return run


def space(count):
    """Targets for arms with a turntable or a lift."""
    plane, given = Plane.from_pose((0.1, 0.02, 0.2), (np.pi / 2.0, 0.0, 0.0)), []
    for chain, _, _, _, rng in chains(count, (2, 'symmetric'), (3, 'one-sided'), (4, 'symmetric')):
        turn = Turntable((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), -1.5, 1.5)
        targets = rng.uniform(-1.2, 1.2, (count, 3))
        given.append((Arm(chain, plane=plane, turntable=turn), targets))
        given.append((Arm(chain, plane=plane, lift=Lift(1, -0.3, 0.3)), targets))
    return lambda: total([solve(arm, target) for arm, targets in given for target in targets])


def batch(count):
    """Many at once."""
    given = [
        (chain, np.concatenate([targets, in_annulus(chain, len(targets), rng)]))
        for chain, _, targets, _, rng in chains(count, (2, None), (6, None), (6, 'one-sided'))
    ]

    def run():
        reached, error = 0, 0.0
        for chain, targets in given:
            found = solve_batch(chain, np.tile(targets, (8, 1)), tolerance=1e-9)
            hit = found.status == Status.REACHED
            reached, error = reached + int(hit.sum()), error + float(found.error[~hit].sum())
        return reached, error, 0

    return run


def paths(_):
    """Paths within limits."""
    lap = np.linspace(0.0, 2.0 * np.pi, STEPS, endpoint=False)
    circle = np.stack([0.55 + 0.2 * np.cos(lap), 0.2 * np.sin(lap)], axis=1)
    eight = np.stack([0.5 + 0.3 * np.sin(lap), 0.2 * np.sin(2.0 * lap)], axis=1)

    def run():
        jumps = 0
        for joints in (4, 6):
            for limits in ([(-2.0, 2.0)] * joints, [(-3.1, 3.1), *[(0.0, 2.6)] * (joints - 1)]):
                chain = Chain.from_lengths([1.0 / joints] * joints, limits)
                for points in (circle, eight):
                    q = solve(chain, points[0], tolerance=1e-9).q
                    for point in points:
                        after = solve(chain, point, start=q, tolerance=1e-9).q
                        jumps += bool(np.abs(after - q).max() > JUMP)
                        q = after
        return 0, 0.0, jumps

    return run


def all_tasks(count):
    """Return each task by its name, with so many targets for each chain."""
    makers = (single, forbidden, long, angle, angles, space, batch, paths)
    return {maker.__name__: maker(count) for maker in makers}
