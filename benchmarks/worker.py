"""One contender in its own process: solves problems, and takes the time.

Reads its task as JSON from standard input, and writes the time and the answers as JSON. It measures
the processor time of the solving thread, which depends least on other work of the machine. Inputs
are converted for the library beforehand. It needs only NumPy and the contender.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Task(NamedTuple):
    """Functions that solve, convert a target and a start, and return the positions of an answer."""

    solve: Callable[[Any, Any], Any]
    target: Callable[[Any], Any] = tuple
    start: Callable[[Any], Any] = list
    positions: Callable[[Any], Any] = list


class Given(NamedTuple):
    """An arm, and how exactly to solve.

    Attributes:
        lengths: (n,) in m.
        limits: (n, 2) in rad, or None.
        angled: whether targets have a tip angle, too.
        tolerance: in m.
        solver: of the package.
    """

    lengths: Any
    limits: Any
    angled: bool
    tolerance: float
    solver: str

    @property
    def weights(self) -> Any:
        """(6,) weights of a pose in space: x, y, and the rotation if there is an angle."""
        return np.array([1.0, 1.0, 0.0, 0.0, 0.0, float(self.angled)])


def ours(given: Given) -> Task:
    from ik2d_ros.kinematics import Chain, solve

    chain = Chain.from_lengths(given.lengths, given.limits)
    near, solver = given.tolerance, given.solver

    def run(target: Any, start: Any) -> Any:
        return solve(chain, target, solver, start, tolerance=near).q

    def run_at_angle(target: Any, start: Any) -> Any:
        near_both = {'tolerance': near, 'angle_tolerance': near}
        return solve(chain, target[:2], solver, start, angle=target[2], **near_both).q

    return Task(run_at_angle if given.angled else run)


def article(given: Given) -> Task:
    from article_ccd import article_ccd

    return Task(lambda target, start: article_ccd(given.lengths, target, start, given.tolerance))


def ikpy(given: Given) -> Task:
    import warnings

    warnings.simplefilter('ignore')
    from ikpy.chain import Chain
    from ikpy.link import OriginLink, URDFLink

    count = len(given.lengths)
    still = {'origin_orientation': [0.0, 0.0, 0.0]}
    joints = [
        URDFLink(
            name=f'joint{i}',
            origin_translation=[given.lengths[i - 1] if i else 0.0, 0.0, 0.0],
            rotation=[0.0, 0.0, 1.0],
            bounds=None if given.limits is None else tuple(given.limits[i]),
            **still,
        )
        for i in range(count)
    ]
    end = [given.lengths[-1], 0.0, 0.0]
    tip = URDFLink(name='tip', origin_translation=end, joint_type='fixed', **still)
    chain = Chain([OriginLink(), *joints, tip], active_links_mask=[False, *[True] * count, False])
    return Task(
        lambda target, start: chain.inverse_kinematics(target, initial_position=start),
        lambda xy: np.array([*xy, 0.0]),
        lambda q: np.array([0.0, *q, 0.0]),
        lambda answer: answer[1:-1].tolist(),
    )


def tinyik(given: Given) -> Task:
    from tinyik import Actuator

    tokens = [token for length in given.lengths for token in ('z', [length, 0.0, 0.0])]
    arm = Actuator(tokens)

    def run(target: Any, start: Any) -> Any:
        arm.angles, arm.ee = start, target
        return arm.angles

    return Task(run, lambda xy: np.array([*xy, 0.0]), np.array)


def roboticstoolbox(given: Given) -> Task:
    from roboticstoolbox import ET

    limits = [None] * len(given.lengths) if given.limits is None else given.limits
    arm = None
    for length, pair in zip(given.lengths, limits):  # noqa: B905
        joint = ET.Rz() if pair is None else ET.Rz(qlim=np.clip(pair, -np.pi, np.pi))
        arm = joint * ET.tx(length) if arm is None else arm * joint * ET.tx(length)
    options = {
        'tol': 0.5 * given.tolerance**2,  # It compares half the squared distance.
        'mask': given.weights,
        'joint_limits': given.limits is not None,
    }

    def pose(target: Any) -> Any:
        x, y, angle = (*target, 0.0)[:3]
        matrix = np.eye(4)
        matrix[:2, 3] = x, y
        matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return matrix

    return Task(lambda target, q: arm.ik_LM(target, q0=q, **options).q, pose, np.array)


def kdl(given: Given) -> Task:
    debian = Path(sys.prefix, 'debian/usr/lib')  # Debian's packages, unpacked
    sys.path.append(str(debian / 'python3/dist-packages'))
    for library in debian.glob('*/liborocos-kdl.so.*'):
        ctypes.CDLL(str(library))
    from PyKDL import Chain, ChainIkSolverPos_LMA, Frame, JntArray, Joint, Rotation, Segment, Vector

    count = len(given.lengths)
    chain = Chain()
    for length in given.lengths:
        chain.addSegment(Segment(Joint(Joint.RotZ), Frame(Vector(length, 0.0, 0.0))))
    solver = ChainIkSolverPos_LMA(chain, given.weights, given.tolerance)

    def joints(q: Any) -> Any:
        array = JntArray(count)
        for i, value in enumerate(q):
            array[i] = value
        return array

    # The C++ refers to the chain and does not keep it.
    def run(target: Any, start: Any, _keep: Any = chain) -> Any:
        found = JntArray(count)
        solver.CartToJnt(start, target, found)
        return found

    def frame(target: Any) -> Any:
        x, y, angle = (*target, 0.0)[:3]
        return Frame(Rotation.RotZ(angle), Vector(x, y, 0.0))

    return Task(run, frame, joints, lambda answer: [answer[i] for i in range(count)])


def main() -> None:
    # What libraries print must not get into the reply.
    reply = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    contender, repeats = globals()[asked['contender']], asked['repeats']
    targets, starts = asked['targets'], asked['starts']
    given = Given(
        asked['lengths'],
        asked['limits'],
        len(targets[0]) == 3,
        asked['tolerance'],
        asked['solver'],
    )
    task = contender(given)
    pairs = [(task.target(t), task.start(q)) for t, q in zip(targets, starts)]  # noqa: B905
    spent = []
    gc.disable()
    for _ in range(repeats):
        begun = time.thread_time()
        found = [task.solve(target, start) for target, start in pairs]
        spent.append((time.thread_time() - begun) / len(pairs))
    q = [[float(value) for value in task.positions(answer)] for answer in found]
    json.dump({'seconds': float(np.median(spent)), 'q': q}, reply)


if __name__ == '__main__':
    main()
