"""How far random paths can be followed, beside a judge of another kind.

    python benchmarks/paths.py [--paths 1000] [--plain]

On each of ten shipped machines and of ten random chains with limits: the verdict of ``solve_path``
from any shape, and that of a crowd of poses that small random moves carry along the path, from many
shapes, with nothing of the package but forward kinematics. Where the crowd gets farther, a larger
one looks again in smaller steps. Tips are also measured between the poses of each path.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path as File
from typing import NamedTuple

import numpy as np
from problems import ask, random_joints

from ik2d_ros.kinematics import Arm, Chain, Path, Status, solve_path
from ik2d_ros.node.parameters import load_configuration

MACHINES = File(__file__).resolve().parent.parent / 'config' / 'machines'
SHIPPED = (
    'asr_twodof',
    'braccio',
    'finger_edu',
    'omx',
    'pincher',
    'px150',
    'scara_icube',
    'so101',
    'vx300',
    'wx250',
)
CORNERS = 4
NEAR = 1e-7  # Reaches; so near the crowd comes to the path.
FAST = 0.3  # rad or reaches, that a joint of the crowd may move at a step; finely, less.


class Crowd(NamedTuple):
    """How a crowd looks: poses on each path, steps along it, and what it does for a step."""

    poses: int
    steps: int
    fast: float


COARSE, FINE = Crowd(48, 150, FAST), Crowd(400, 1500, 0.5 * FAST)


def arms(seed: int) -> dict[str, Chain | Arm]:
    """Ten machines, and ten chains with limits, of two to six joints."""
    random = np.random.default_rng(seed)
    found: dict[str, Chain | Arm] = {}
    for name in SHIPPED:
        configuration = load_configuration(MACHINES / f'{name}.yaml')
        found[name] = configuration.arm.kinematics
    for k, joints in enumerate((2, 2, 3, 3, 3, 4, 4, 5, 6, 6)):
        rows = random_joints(random, joints, ('symmetric', 'asymmetric', 'narrow')[k % 3])
        found[f'random, {joints} joints, {k + 1}'] = ask(random, rows, None, 1).built()
    return found


def tips(arm: Chain | Arm, q: np.ndarray) -> np.ndarray:
    """(..., d) in m."""
    return arm.forward(q) if isinstance(arm, Arm) else arm.forward(q)[..., -1, :]


def ranges(arm: Chain | Arm) -> tuple[np.ndarray, np.ndarray]:
    return np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)


def corners(arm: Chain | Arm, random: np.random.Generator) -> np.ndarray:
    """(CORNERS, d) points of poses, each not far from the one before; one in two is moved about."""
    low, high = ranges(arm)
    moves = np.cumsum(random.normal(0.0, 0.35, (CORNERS, len(low))), axis=0)
    points = tips(arm, np.clip(random.uniform(low, high) + moves, low, high))
    if random.random() < 0.5 and not (isinstance(arm, Arm) and arm.turntable is None):
        points[1:] += random.normal(0.0, 0.1, points[1:].shape) * arm.size
    return points


# --- the crowd ---


def nudged(arm: Chain | Arm, q: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses (..., n) moved towards points (..., d) by Newton steps, and whether they got there."""
    size, tiny = arm.size, 1e-6
    for _ in range(12):
        tip = tips(arm, q)
        error = points - tip
        if (np.linalg.norm(error, axis=-1) < NEAR * size).all():
            break
        columns = [(tips(arm, q + tiny * unit) - tip) / tiny for unit in np.eye(q.shape[-1])]
        slopes = np.stack(columns, axis=-1)
        free = np.ones(q.shape, dtype=bool)
        for _ in range(3):  # Joints that meet a limit stay there.
            some = slopes * free[..., None, :]
            square = some @ np.swapaxes(some, -1, -2)
            square += 1e-9 * size**2 * np.eye(square.shape[-1])
            pull = np.linalg.solve(square, error[..., None])
            move = (np.swapaxes(some, -1, -2) @ pull)[..., 0]
            stopped = free & ((q + move < arm.lower) | (q + move > arm.upper))
            if not stopped.any():
                break
            free &= ~stopped
        largest = np.abs(move).max(axis=-1, keepdims=True)
        q = np.clip(
            q + move * np.minimum(1.0, 0.5 / np.maximum(largest, 1e-12)), arm.lower, arm.upper
        )
    return q, np.linalg.norm(points - tips(arm, q), axis=-1) < 10 * NEAR * size


def carried(
    arm: Chain | Arm, lines: np.ndarray, crowd: Crowd, random: np.random.Generator
) -> np.ndarray:
    """How far, as a share, a crowd gets along each of many paths (k, CORNERS, d)."""
    low, high = ranges(arm)
    count = len(lines)
    sizes = np.linalg.norm(np.diff(lines, axis=1), axis=-1)
    places = np.concatenate([np.zeros((count, 1)), np.cumsum(sizes, axis=1)], axis=1)
    q = random.uniform(low, high, (count, crowd.poses, len(low)))
    got = np.zeros(count)
    alive = np.ones((count, crowd.poses), dtype=bool)
    rows = np.arange(count)[:, None]
    for step in range(crowd.steps + 1):
        share = step / crowd.steps
        points = np.array(
            [
                [np.interp(share * along[-1], along, xs) for xs in line.T]
                for along, line in zip(places, lines, strict=True)
            ]
        )
        before = q
        if step:
            # The dead begin again from poses of the living, moved a little.
            pick = np.argsort(~alive + random.random(alive.shape) * 0.5, axis=1)
            living = np.maximum(alive.sum(axis=1), 1)[:, None]
            source = pick[rows, random.integers(0, 1 << 30, alive.shape) % living]
            before = np.where(alive[..., None], q, q[rows, source])
            some = random.random(alive.shape)[..., None] < 0.7
            noise = random.normal(0.0, 0.25 * crowd.fast, q.shape) * some
            q = np.clip(before + noise, arm.lower, arm.upper)
        goals = np.broadcast_to(points[:, None], (count, crowd.poses, points.shape[-1]))
        # What did not get there once tries again without noise.
        q, there = nudged(arm, q, goals)
        if step:
            again, reached = nudged(arm, before, goals)
            far = np.abs(q - before).max(axis=-1) > crowd.fast
            q = np.where((there & ~far)[..., None], q, again)
            there = (there & ~far) | reached
            there &= np.abs(q - before).max(axis=-1) <= crowd.fast
            there &= alive.any(axis=1)[:, None]
        alive = there
        got = np.where(alive.any(axis=1), share, got)
        if not alive.any():
            break
    return got


# --- the comparison ---


def from_line(path: Path, arm: Chain | Arm, line: np.ndarray) -> float:
    """How far the tip leaves the lines, between the poses of a path, too, in m."""
    if not len(path.q):
        return 0.0
    shares = np.linspace(0.0, 1.0, 9)[:, None]
    moved = path.q[:-1, None] + shares * np.diff(path.q, axis=0)[:, None]
    points = tips(arm, np.concatenate([moved.reshape(-1, path.q.shape[1]), path.q]))
    begin, along = line[:-1], np.diff(line, axis=0)
    away = points[:, None] - begin
    share = np.clip((away * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-300), 0, 1)
    return float(np.linalg.norm(away - share[..., None] * along, axis=-1).min(axis=1).max())


def reached_anyhow(arm: Chain | Arm, target: np.ndarray, random: np.random.Generator) -> bool:
    """Whether Newton steps find a pose at a point from any of many."""
    low, high = ranges(arm)
    q = random.uniform(low, high, (200, len(low)))
    q, _ = nudged(arm, q, np.broadcast_to(target, (200, len(target))))
    return bool(np.linalg.norm(tips(arm, q) - target, axis=-1).min() < 9e-7)


def compare(name: str, arm: Chain | Arm, count: int, seed: int, plain: bool) -> list[str]:
    """One row of the table."""
    random = np.random.default_rng(seed)
    lines = np.array([corners(arm, random) for _ in range(count)])
    paths, times = [], []
    for line in lines:
        begin = time.perf_counter()
        paths.append(solve_path(arm, line))
        times.append(1e3 * (time.perf_counter() - begin))
    aside = max(from_line(path, arm, line) for path, line in zip(paths, lines, strict=True))
    moves = max((np.abs(np.diff(path.q, axis=0)).max(initial=0.0) for path in paths), default=0.0)
    got = carried(arm, lines, COARSE, random)
    shares = np.array([path.end / path.total if path.total else 1.0 for path in paths])
    shorter = np.flatnonzero(got > shares + 1.5 / COARSE.steps)
    wrong = []
    for k in shorter:
        if plain:
            print(
                f'  {name}, path {k}: {paths[k].status.name} at {shares[k]:.4f}, crowd {got[k]:.4f}'
            )
        fine = carried(arm, lines[k : k + 1], FINE, random)[0]
        if fine > shares[k] + 3 / FINE.steps:
            wrong.append(k)
            if plain:
                print(f'    still, finely: {fine:.4f}\n{lines[k].tolist()}', flush=True)
    for k, path in enumerate(paths):
        is_out = path.status not in (Status.REACHED, Status.PATH_JUMP)
        if is_out and k not in wrong and reached_anyhow(arm, path.target, random):
            wrong.append(k)
            print(f'  {name}, path {k}: {path.status.name}, but reached')
    crowds = int((got < shares - 1.5 / COARSE.steps).sum())
    statuses = [path.status for path in paths]
    jumps = statuses.count(Status.PATH_JUMP)
    whole = statuses.count(Status.REACHED)
    return [
        name,
        str(len(arm)),
        str(count),
        str(whole),
        str(jumps),
        str(count - whole - jumps),
        f'{count - len(wrong)}',
        str(crowds),
        f'{1e6 * aside:.1f}',
        f'{moves:.3f}',
        f'{np.median(times):.2f}',
        f'{max(times):.0f}',
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--paths', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='')
    parser.add_argument('--plain', action='store_true', help='say where the two disagree')
    arguments = parser.parse_args()
    print(
        '| arm | joints | paths | whole | jump | other end | agrees | crowd shorter | um aside |',
        end='',
    )
    print(' largest move | ms, median | ms, most |\n|---|' + '--:|' * 11)
    for name, arm in arms(arguments.seed).items():
        if arguments.only in name:
            row = compare(name, arm, arguments.paths, arguments.seed, arguments.plain)
            print('| ' + ' | '.join(row) + ' |', flush=True)


if __name__ == '__main__':
    main()
