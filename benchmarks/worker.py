"""One contender in a process, and a Python, of its own: loads problems, solves slices of them.

Speaks lines of JSON on its standard input and output. Times are processor times of the solving
thread, so that what else the machine does counts as little as can be; the garbage collector is off
meanwhile, as in :mod:`timeit`. What a library wants its inputs to be is prepared beforehand.

Runs in the virtual environments of the peers, so it needs nothing but NumPy and the one peer.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent


class Task(NamedTuple):
    """Prepared inputs, what solves one, and what makes joint positions (n,) of its answer."""

    inputs: Sequence[Any]
    solve: Callable[[Any], Any]
    positions: Callable[[Any], Any]


class Given(NamedTuple):
    """The problems as they come from the file; limits is None or (n, 2).

    Targets are (m, 2), or (m, 3) where the tip is to have an angle, too.
    """

    lengths: Any
    limits: Any
    targets: Any
    starts: Any

    @property
    def weights(self) -> Any:
        """(6,) what counts of a pose in space: x, y, and the rotation where there is an angle."""
        return np.array([1.0, 1.0, 0.0, 0.0, 0.0, float(self.targets.shape[1] == 3)])

    def pairs(self, convert_target: Any, convert_start: Any) -> list[Any]:
        """Yield targets and starts; a start is None where it is the last answer."""
        return [
            (convert_target(target), None if np.isnan(start[0]) else convert_start(start))
            for target, start in zip(self.targets, self.starts)  # noqa: B905
        ]


def ours(given: Given, tolerance: float, solver: str = 'hybrid') -> Task:
    sys.path.insert(0, str(HERE.parent))
    from ik2d_ros.kinematics import Chain, solve

    limits = None
    if given.limits is not None:
        limits = [None if np.isinf(low) else (low, high) for low, high in given.limits.tolist()]
    chain = Chain.from_lengths(given.lengths.tolist(), limits)
    last: Any = None

    def run(problem: Any) -> Any:
        nonlocal last
        target, start = problem
        last = solve(chain, target, solver, last if start is None else start, tolerance=tolerance).q
        return last

    def run_at_angle(problem: Any) -> Any:
        (x, y, angle), start = problem
        return solve(
            chain,
            (x, y),
            solver,
            start,
            tolerance=tolerance,
            angle=angle,
            angle_tolerance=tolerance,
        ).q

    run_any = run_at_angle if given.weights[5] else run
    return Task(given.pairs(lambda target: tuple(target.tolist()), np.copy), run_any, list)


def article(given: Given, tolerance: float, cap: int = 100) -> Task:
    sys.path.insert(0, str(HERE))
    from article_ccd import article_ccd

    lengths = given.lengths.tolist()
    limits = None if given.limits is None else [tuple(pair) for pair in given.limits.tolist()]
    last: Any = None

    def run(problem: Any) -> Any:
        nonlocal last
        target, start = problem
        last = article_ccd(
            lengths, target, last if start is None else start, tolerance, cap, limits
        )
        return last

    pairs = given.pairs(lambda target: tuple(target.tolist()), lambda start: start.tolist())
    return Task(pairs, run, list)


def ikpy(given: Given, tolerance: float) -> Task:
    import warnings

    warnings.simplefilter('ignore')
    from ikpy.chain import Chain
    from ikpy.link import OriginLink, URDFLink

    count = len(given.lengths)
    joints = [
        URDFLink(
            name=f'joint{i}',
            origin_translation=[given.lengths[i - 1] if i else 0.0, 0.0, 0.0],
            origin_orientation=[0.0, 0.0, 0.0],
            rotation=[0.0, 0.0, 1.0],
            bounds=None if given.limits is None else tuple(given.limits[i].tolist()),
        )
        for i in range(count)
    ]
    tip = URDFLink(
        name='tip',
        origin_translation=[given.lengths[-1], 0.0, 0.0],
        origin_orientation=[0.0, 0.0, 0.0],
        joint_type='fixed',
    )
    chain = Chain([OriginLink(), *joints, tip], active_links_mask=[False, *[True] * count, False])

    def run(problem: Any) -> Any:
        target, start = problem
        return chain.inverse_kinematics(target, initial_position=start)

    pairs = given.pairs(lambda xy: np.array([*xy, 0.0]), lambda q: np.array([0.0, *q, 0.0]))
    return Task(pairs, run, lambda answer: answer[1:-1])


def tinyik(given: Given, tolerance: float) -> Task:
    from tinyik import Actuator

    tokens = [token for length in given.lengths.tolist() for token in ('z', [length, 0.0, 0.0])]
    arm = Actuator(tokens)

    def run(problem: Any) -> Any:
        target, start = problem
        arm.angles = start
        arm.ee = target
        return arm.angles

    return Task(given.pairs(lambda xy: np.array([*xy, 0.0]), np.copy), run, list)


def roboticstoolbox(given: Given, tolerance: float) -> Task:
    from roboticstoolbox import ET

    limits = [None] * len(given.lengths) if given.limits is None else given.limits
    arm = None
    for length, pair in zip(given.lengths.tolist(), limits):  # noqa: B905
        joint = ET.Rz() if pair is None else ET.Rz(qlim=np.clip(pair, -np.pi, np.pi))
        arm = joint * ET.tx(length) if arm is None else arm * joint * ET.tx(length)
    limited = given.limits is not None
    residual = 0.5 * tolerance**2  # It compares half the squared distance.
    last: Any = None

    plane = given.weights

    def pose(target: Any) -> Any:
        x, y, angle = (*target, 0.0)[:3]
        matrix = np.eye(4)
        matrix[:2, 3] = x, y
        matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return matrix

    def run(problem: Any) -> Any:
        nonlocal last
        target, start = problem
        if start is None:
            start = last
        last = arm.ik_LM(target, q0=start, tol=residual, mask=plane, joint_limits=limited).q
        return last

    return Task(given.pairs(pose, np.copy), run, list)


def kdl(given: Given, tolerance: float) -> Task:
    from PyKDL import Chain, ChainIkSolverPos_LMA, Frame, JntArray, Joint, Rotation, Segment, Vector

    count = len(given.lengths)
    chain = Chain()
    for length in given.lengths.tolist():
        chain.addSegment(Segment(Joint(Joint.RotZ), Frame(Vector(length, 0.0, 0.0))))
    solver = ChainIkSolverPos_LMA(chain, given.weights, tolerance)
    last: Any = None

    def joints(q: Any) -> Any:
        array = JntArray(count)
        for i, value in enumerate(q):
            array[i] = value
        return array

    # The C++ refers to the chain and does not keep it.
    def run(problem: Any, _keep: Any = chain) -> Any:
        nonlocal last
        target, start = problem
        found = JntArray(count)
        solver.CartToJnt(last if start is None else start, target, found)
        last = found
        return found

    def frame(target: Any) -> Any:
        x, y, angle = (*target, 0.0)[:3]
        return Frame(Rotation.RotZ(angle), Vector(x, y, 0.0))

    pairs = given.pairs(frame, joints)
    return Task(pairs, run, lambda answer: [answer[i] for i in range(count)])


CONTENDERS: dict[str, Callable[..., Task]] = {
    'ours': ours,
    'article': article,
    'ikpy': ikpy,
    'tinyik': tinyik,
    'roboticstoolbox': roboticstoolbox,
    'kdl': kdl,
}
PACKAGES = {'ikpy': 'ikpy', 'tinyik': 'tinyik', 'roboticstoolbox': 'roboticstoolbox-python'}


def load(contender: str, file: str, options: dict[str, Any]) -> Task:
    with np.load(file) as stored:
        limits = stored['limits']
        given = Given(
            stored['lengths'], limits if len(limits) else None, stored['targets'], stored['starts']
        )
    return CONTENDERS[contender](given, **options)


def version_of(contender: str) -> str:
    try:
        return version(PACKAGES[contender])
    except (KeyError, PackageNotFoundError):
        return ''


def run_slice(task: Task, answers: list[Any], begin: int, end: int) -> float:
    solve, inputs = task.solve, task.inputs[begin:end]
    gc.collect()
    gc.disable()
    before = time.thread_time()
    found = [solve(problem) for problem in inputs]
    seconds = time.thread_time() - before
    gc.enable()
    answers[begin:end] = found
    return seconds


def serve() -> None:
    # Libraries that print must not talk into the replies.
    replies = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    tasks: dict[str, tuple[Task, list[Any]]] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        reply: dict[str, Any] = {}
        try:
            if asked['do'] == 'load':
                task = load(asked['contender'], asked['file'], asked['options'])
                tasks[asked['task']] = (task, [None] * len(task.inputs))
                gc.freeze()  # So that collecting before each slice is quick.
                reply['version'] = version_of(asked['contender'])
            elif asked['do'] == 'slice':
                reply['seconds'] = run_slice(*tasks[asked['task']], asked['begin'], asked['end'])
            else:
                task, answers = tasks.pop(asked['task'])
                poses = np.array([np.asarray(task.positions(a), dtype=float) for a in answers])
                np.save(asked['file'], poses)
        except Exception as failure:  # whatever a peer raises is a row in a table
            reply['failure'] = f'{type(failure).__name__}: {failure}'
        replies.write(json.dumps(reply) + '\n')
        replies.flush()


if __name__ == '__main__':
    serve()
