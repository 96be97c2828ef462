"""How far random paths can be followed, and how far judges of another kind get.

    python benchmarks/paths.py [--paths 1000] [--only NAME]

Paths of ten shipped machines and ten random chains with limits; half of the paths of arms with
three joints or more ask for a tip angle. The judges use nothing of the package. All
poses: is the tip on the lines, also between the poses, and does no joint jump? An end: do Newton
steps from many poses find none at the next point? ``PATH_JUMP``: does a crowd of poses, which small
random moves carry along the path, get no farther? If it does, a larger crowd looks again in smaller
steps.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path as File
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(File(__file__).resolve().parents[1] / 'test'))
from arms import headings, random_chain
from space import tip

from ik2d_ros.kinematics import Arm, Chain, Path, Status, solve_path
from ik2d_ros.robot.from_urdf import load_arm

MACHINES = File(__file__).resolve().parents[1] / 'config' / 'machines'
SHIPPED = [
    *('asr_twodof', 'braccio', 'finger_edu', 'omx', 'pincher'),
    *('px150', 'scara_icube', 'so101', 'vx300', 'wx250'),
]
CORNERS = 4
NEAR = 1e-9  # Reaches; so near Newton steps come to a goal.
REACHED, ANGLE = 1e-6, 1e-3  # m and rad that count as reached,
ASIDE, LARGEST = 1e-4, 0.05  # m from the lines, and rad or m that a joint moves at once: allowed.
STARTS = 200  # For a pose at one point.


class Crowd(NamedTuple):
    """Poses on each path, steps along it, and how far a joint may move at a step, in rad or m."""

    poses: int
    steps: int
    fast: float


COARSE, FINE = Crowd(64, 300, 0.3), Crowd(150, 6000, 0.05)


class Task(NamedTuple):
    """A path: (CORNERS, d) points in m, then a tip angle in rad for each if they have one."""

    arm: Chain | Arm
    goals: np.ndarray
    is_aimed: bool

    @property
    def line(self) -> np.ndarray:
        return self.goals[:, :-1] if self.is_aimed else self.goals

    def at(self, lengths: np.ndarray) -> np.ndarray:
        """Goals (..., d) at lengths along the path, in m."""
        sizes = np.linalg.norm(np.diff(self.line, axis=0), axis=1)
        along = np.append(0.0, np.cumsum(sizes))
        return np.stack([np.interp(lengths, along, column) for column in self.goals.T], axis=-1)


def arms() -> dict[str, Chain | Arm]:
    """Ten machines, and ten chains with limits, of two to six joints."""
    random = np.random.default_rng(1)
    found: dict[str, Chain | Arm] = {
        name: load_arm(MACHINES / f'{name}.yaml').kinematics for name in SHIPPED
    }
    for k, joints in enumerate((2, 2, 3, 3, 3, 4, 4, 5, 6, 6)):
        kind = ('symmetric', 'asymmetric', 'narrow')[k % 3]
        found[f'random, {joints} joints, {k + 1}'] = random_chain(joints, random, kind)
    return found


def forward(arm: Chain | Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tips (..., d) in m and tip angles (...,) in rad of poses (..., n)."""
    chain = getattr(arm, 'chain', arm)
    return tip(arm, q), headings(chain, q[..., len(arm) - len(chain) :])[-1]


def gaps(arm: Chain | Arm, q: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """(..., d) from poses to goals in m, the angle, if there is one, in rad."""
    there, heading = forward(arm, q)
    if goals.shape[-1] == there.shape[-1]:
        return goals - there
    turn = np.remainder(goals[..., -1] - heading + np.pi, 2 * np.pi) - np.pi
    return np.concatenate([goals[..., :-1] - there, turn[..., None]], axis=-1)


def ranges(arm: Chain | Arm) -> tuple[np.ndarray, np.ndarray]:
    return np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)


def task(arm: Chain | Arm, random: np.random.Generator, kind: int) -> Task:
    """Points of poses, each not far from the one before; one path in two is moved about.

    Of four kinds the second has one tip angle, and the fourth one for each point, if it can.
    """
    low, high = ranges(arm)
    moves = np.cumsum(random.normal(0.0, 0.35, (CORNERS, len(low))), axis=0)
    q = np.clip(random.uniform(low, high) + moves, low, high)
    points, angles = forward(arm, q)
    if random.random() < 0.5 and not (isinstance(arm, Arm) and arm.turntable is None):
        points[1:] += random.normal(0.0, 0.1, points[1:].shape) * arm.size
    if not kind % 2 or len(getattr(arm, 'chain', arm)) < 3:
        return Task(arm, points, False)
    turns = angles if kind % 4 == 3 else np.repeat(angles[:1], CORNERS)
    return Task(arm, np.column_stack([points, np.unwrap(turns)]), True)


# --- judges ---


def newton(arm: Chain | Arm, q: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Poses (k, n) moved towards goals (k, d), within the limits."""
    q, busy, tiny = q.copy(), np.arange(len(q)), 1e-6
    scale = np.where(
        np.arange(goals.shape[-1]) < forward(arm, q[:1])[0].shape[-1], 1 / arm.size, 1.0
    )
    for _ in range(12):
        error = gaps(arm, q[busy], goals[busy]) * scale
        far = np.linalg.norm(error, axis=-1) > NEAR
        busy, error = busy[far], error[far]
        if not len(busy):
            break
        here = q[busy]
        beside = here[:, None] + tiny * np.eye(q.shape[1])
        beside = gaps(arm, beside, goals[busy][:, None]) * scale
        slopes = np.swapaxes(error[:, None] - beside, -1, -2) / tiny
        free = np.ones(here.shape, dtype=bool)
        for _ in range(3):  # Joints that meet a limit stay there.
            some = slopes * free[:, None, :]
            square = some @ np.swapaxes(some, -1, -2) + 1e-9 * np.eye(slopes.shape[-2])
            pull = np.linalg.solve(square, error[..., None])
            move = (np.swapaxes(some, -1, -2) @ pull)[..., 0]
            stopped = free & ((here + move < arm.lower) | (here + move > arm.upper))
            if not stopped.any():
                break
            free &= ~stopped
        largest = np.maximum(np.abs(move).max(axis=-1, keepdims=True), 0.5)
        q[busy] = np.clip(here + move * 0.5 / largest, arm.lower, arm.upper)
    return q


def follows(path: Path, asked: Task) -> tuple[bool, float]:
    """Whether the poses are on the lines, up to its end, and how far from them in m."""
    arm, q, line = asked.arm, path.q, asked.line
    if not len(q):
        return path.end == 0.0, 0.0
    off = np.abs(gaps(arm, q, asked.at(path.length)))
    shares = np.linspace(0.0, 1.0, 9)[:, None]
    moved = q[:-1, None] + shares * np.diff(q, axis=0)[:, None]
    lines = np.diff(line, axis=0)
    away = forward(arm, np.concatenate([moved.reshape(-1, q.shape[1]), q]))[0][:, None] - line[:-1]
    share = np.clip((away * lines).sum(-1) / np.maximum((lines**2).sum(-1), 1e-300), 0, 1)
    aside = np.linalg.norm(away - share[..., None] * lines, axis=-1).min(axis=1).max()
    own = int(getattr(arm, 'lift', None) is not None)  # A lift goes as far as the points do.
    is_whole = np.isclose(path.end, np.linalg.norm(lines, axis=1).sum(), rtol=1e-9)
    return bool(
        (off[:, : line.shape[1]] <= 1.001 * REACHED).all()
        and (off[:, line.shape[1] :] <= 1.001 * ANGLE).all()
        and aside <= ASIDE
        and np.abs(np.diff(q, axis=0))[:, own:].max(initial=0.0) <= 1.001 * LARGEST
        and ((q >= arm.lower) & (q <= arm.upper)).all()
        and (path.length[0], path.length[-1]) == (0.0, path.end)
        and is_whole == (path.status is Status.REACHED)
    ), float(aside)


def reached_anyhow(path: Path, asked: Task, random: np.random.Generator) -> bool:
    """Whether a pose is found at the first point that is not reached, by the verdict."""
    goal, size = asked.at(np.array(path.end)), len(path.target)
    goal[:size] = path.target
    goals = np.repeat(goal[None], STARTS, axis=0)
    # At either end of what counts as this angle, too.
    goals[:, size:] += ANGLE * np.linspace(-0.9, 0.9, 3)[np.arange(STARTS) % 3, None]
    starts = random.uniform(*ranges(asked.arm), (STARTS, len(asked.arm)))
    off = np.abs(gaps(asked.arm, newton(asked.arm, starts, goals), goal[None]))
    # Beside a singular pose, a tip that is off by little turns by much.
    near = 1e-8 if asked.is_aimed else 0.9 * REACHED
    there = np.linalg.norm(off[:, :size], axis=1) < near
    return bool((there & (off[:, size:] < 0.95 * ANGLE).all(axis=1)).any())


def carried(
    asked: list[Task], totals: list[float], crowd: Crowd, random: np.random.Generator
) -> np.ndarray:
    """How far, as a share, a crowd gets along each of many paths of one kind."""
    arm = asked[0].arm
    shares = np.linspace(0.0, 1.0, crowd.steps + 1)
    every = np.stack([each.at(shares * total) for each, total in zip(asked, totals, strict=True)])
    q = random.uniform(*ranges(arm), (len(asked), crowd.poses, len(arm)))
    alive = np.ones(q.shape[:2], dtype=bool)
    got, rest = np.zeros(len(asked)), np.arange(len(asked))
    for step, share in enumerate(shares):
        # The dead begin again from poses of the living, and all are moved a little.
        pick = np.argsort(~alive + 0.5 * random.random(alive.shape), axis=1)
        source = random.integers(0, 1 << 30, alive.shape) % alive.sum(axis=1)[:, None]
        rows = np.arange(len(q))[:, None]
        before = np.where(alive[..., None], q, q[rows, pick[rows, source]])
        some = random.random((*alive.shape, 1)) < 0.7
        noise = some * random.normal(0.0, 0.25 * crowd.fast, q.shape)
        starts = np.clip(before + noise, arm.lower, arm.upper)
        goals = np.broadcast_to(every[rest, step][:, None], (*alive.shape, every.shape[-1]))
        alive = np.zeros_like(alive)
        for begin in (starts, before):  # Who did not get there goes on without noise.
            todo = ~alive
            q[todo] = newton(arm, begin[todo], goals[todo])
            off = np.linalg.norm(gaps(arm, q, goals), axis=-1)
            alive = off < 1000 * NEAR * max(arm.size, 1.0)
            if step:
                alive &= np.abs(q - before).max(axis=-1) <= crowd.fast
        still = alive.any(axis=1)
        rest, q, alive = rest[still], q[still], alive[still]
        got[rest] = share
        if not len(rest):
            break
    return got


# --- the comparison ---


def compare(name: str, arm: Chain | Arm, count: int) -> list[str]:
    """One row of the table."""
    random = np.random.default_rng(1)
    asked = [task(arm, random, k) for k in range(count)]
    paths, wrong, largest, as_far = [], {}, 0.0, 0
    for k, each in enumerate(asked):
        path = solve_path(arm, each.line, angle=each.goals[:, -1] if each.is_aimed else None)
        paths.append(path)
        is_followed, aside = follows(path, each)
        largest = max(largest, aside)
        if not is_followed or path.status is Status.NOT_CONVERGED:
            wrong[k] = 'its poses do not follow it'
        elif path.status is Status.PATH_JUMP:
            if np.linalg.norm(forward(arm, path.missed.q)[0] - path.target) > 1.001 * REACHED:
                wrong[k] = 'no other shape reaches its end'
        elif path.status is not Status.REACHED and reached_anyhow(path, each, random):
            wrong[k] = 'its end is reached'
    all_jumps = [k for k, path in enumerate(paths) if path.status is Status.PATH_JUMP]
    for is_aimed in (False, True):
        jumps = [k for k in all_jumps if asked[k].is_aimed is is_aimed]
        totals = [paths[k].total for k in jumps]
        got = carried([asked[k] for k in jumps], totals, COARSE, random) if jumps else []
        for k, total, coarse in zip(jumps, totals, got, strict=True):
            share = paths[k].end / total
            as_far += coarse >= share - 1.5 / COARSE.steps
            if coarse > share + 1.5 / COARSE.steps:
                fine = carried([asked[k]], [total], FINE, random)[0]
                if fine > share + 3 / FINE.steps:
                    wrong[k] = f'the crowd gets to {fine:.4f}'
    for k, words in wrong.items():
        print(f'  path {k}: {paths[k].status.name} at {paths[k].end:.4f} m, but {words}')
    aimed = sum(each.is_aimed for each in asked)
    whole = sum(path.status is Status.REACHED for path in paths)
    ends = whole, len(all_jumps), count - whole - len(all_jumps)
    numbers = len(arm), aimed, *ends, count - len(wrong), as_far, round(1e6 * largest)
    return [name, *map(str, numbers)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--paths', type=int, default=1000)
    parser.add_argument('--only', default='', metavar='NAME')
    given = parser.parse_args()
    print('| arm | joints | at an angle | whole | `PATH_JUMP` | other ends | agrees |', end='')
    print(' crowd as far | um aside |\n|---|' + '--:|' * 8)
    for name, arm in arms().items():
        if given.only in name:
            print('| ' + ' | '.join(compare(name, arm, given.paths)) + ' |', flush=True)


if __name__ == '__main__':
    main()
