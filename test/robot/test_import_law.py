"""Any robot with a planar arm in it is imported to an arm that moves alike."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from descriptions import arm_of, assert_same, imported, joint, robot
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ik2d_ros.arm.urdf import TIP, urdf_of
from ik2d_ros.robot.importing import import_arm
from ik2d_ros.robot.load import read_robot

Matrix = NDArray[np.float64]
ANGLES = st.floats(-3.0, 3.0)
LENGTHS = st.floats(0.05, 0.5)


def rotation(axis: str, angle: float) -> Matrix:
    """A rotation about x, y or z."""
    i, j = {'x': (1, 2), 'y': (2, 0), 'z': (0, 1)}[axis]
    turn = np.eye(4)
    turn[i, i] = turn[j, j] = math.cos(angle)
    turn[j, i], turn[i, j] = math.sin(angle), -math.sin(angle)
    return turn


def shift(xyz: Matrix) -> Matrix:
    move = np.eye(4)
    move[:3, 3] = xyz
    return move


def rpy_of(turn: Matrix) -> tuple[float, float, float]:
    pitch = math.asin(max(-1.0, min(1.0, -turn[2, 0])))
    return math.atan2(turn[2, 1], turn[2, 2]), pitch, math.atan2(turn[1, 0], turn[0, 0])


@dataclass
class Machine:
    """A robot that is made link by link: its joints, and its tip as a product of matrices.

    Its plane is the x-y plane of ``frame``, the pose of the present link but for the rotation in
    ``hidden``: the link itself is turned by that, as links of real robots are.
    """

    joints: list[str] = field(default_factory=list)
    factors: list[tuple[Matrix, str, str]] = field(default_factory=list)  # pose, kind, name
    hidden: Matrix = field(default_factory=lambda: np.eye(4))
    count: int = 0

    def add(self, kind: str, pose: Matrix, axis: str, hidden: Matrix) -> None:
        """A joint at a pose in the frame before, its axis x, y, z or against one."""
        origin = np.linalg.inv(self.hidden) @ pose @ hidden
        sign = -1.0 if axis.startswith('-') else 1.0
        direction = hidden[:3, :3].T @ (sign * np.eye(3)['xyz'.index(axis[-1])])
        name = f'j{self.count}'
        args = (name, f'l{self.count}', f'l{self.count + 1}', kind, origin[:3, 3])
        words = ' '.join(map(repr, direction.tolist()))
        self.joints.append(joint(*args, rpy_of(origin), words))
        self.factors.append((pose, f'{kind} {axis}', name))
        self.hidden, self.count = hidden, self.count + 1

    def tip(self, positions: dict[str, float]) -> Matrix:
        pose = np.eye(4)
        for place, what, name in self.factors:
            kind, axis = what.split()
            sign = -1.0 if axis.startswith('-') else 1.0
            q = sign * positions.get(name, 0.0)
            step = np.eye(4)
            if kind == 'revolute':
                step = rotation(axis[-1], q)
            elif kind == 'prismatic':
                step = shift(q * np.eye(3)['xyz'.index(axis[-1])])
            pose = pose @ place @ step
        return pose[:3, 3]


@st.composite
def rotations(draw: st.DrawFn) -> Matrix:
    return (
        rotation('z', draw(ANGLES))
        @ rotation('y', draw(ANGLES) / 2.1)
        @ rotation('x', draw(ANGLES))
    )


@st.composite
def machines(draw: st.DrawFn) -> tuple[Machine, list[str], str, str]:
    """A machine, the joints of its plane, its turntable or '', and its lift or ''.

    Joints slide in the plane anywhere: before, between and behind those that turn, and before a
    turntable along its axis.
    """
    machine, turntable, lift = Machine(), '', ''
    carrier = draw(st.sampled_from(['none', 'turntable', 'lift']))
    turns = draw(st.integers(2, 4))
    lift_at = draw(st.integers(0, turns)) if carrier == 'lift' else -1

    def place() -> Matrix:
        xyz = np.array([draw(LENGTHS), draw(LENGTHS), draw(st.floats(-0.2, 0.2))])
        return shift(xyz) @ rotation('z', draw(ANGLES))

    # Anything before: the base stands anywhere.
    machine.add('fixed', shift(np.array([0.1, -0.2, 0.3])) @ draw(rotations()), 'z', np.eye(4))
    planar: list[str] = []
    if carrier == 'turntable':
        axis = draw(st.sampled_from(['x', '-x', 'y']))
        if draw(st.booleans()):
            planar.append(f'j{machine.count}')
            along = draw(st.sampled_from([axis[-1], f'-{axis[-1]}']))
            machine.add('prismatic', place(), along, draw(rotations()))
            turntable = f'j{machine.count}'
            machine.add('revolute', shift(np.array([0.1, 0.2, 0.3])), axis, draw(rotations()))
        else:
            turntable = f'j{machine.count}'
            machine.add('revolute', place(), axis, draw(rotations()))
    for index in range(turns + 1):
        if draw(st.integers(0, 3)) == 0:
            planar.append(f'j{machine.count}')
            where = draw(st.sampled_from([np.eye(4), place()]))
            axis = draw(st.sampled_from(['x', '-x', 'y', '-y']))
            machine.add('prismatic', where, axis, draw(rotations()))
        if index == lift_at:
            lift = f'j{machine.count}'
            machine.add('prismatic', place(), draw(st.sampled_from(['z', '-z'])), draw(rotations()))
        if index < turns:
            planar.append(f'j{machine.count}')
            machine.add('revolute', place(), draw(st.sampled_from(['z', '-z'])), draw(rotations()))
        if draw(st.booleans()):
            machine.add('fixed', place(), 'z', draw(rotations()))
    if draw(st.booleans()):  # a roll, which is held
        machine.add('revolute', place(), 'x', draw(rotations()))
    machine.add('fixed', place(), 'z', draw(rotations()))
    return machine, planar, turntable, lift


@given(machines())
def test_an_imported_arm_moves_as_its_robot(
    made: tuple[Machine, list[str], str, str],
) -> None:
    machine, planar, turntable, lift = made
    result = imported(robot(*machine.joints), f'l{machine.count}')
    assert result.parameters['joints'] == planar
    assert result.parameters.get('turntable.joint', '') == turntable
    assert result.parameters.get('lift.joint', '') == lift
    arm = arm_of(result)
    for seed in range(5):
        q = np.random.default_rng(seed).uniform(-2.0, 2.0, len(arm.names))
        tip = machine.tip(dict(zip(arm.names, q.tolist(), strict=True)))
        assert np.abs(arm.kinematics.forward(q) - tip).max() < 1e-9
    # The URDF that is written of the arm is the same arm again.
    back = arm_of(import_arm(read_robot(urdf_of(arm), 'r.urdf'), arm.base_frame, TIP))
    assert_same(arm, back)
    for one, other in zip(arm.chain.joints, back.chain.joints, strict=True):
        assert (other.axis, other.type) == (one.axis, one.type)
        assert other.link == pytest.approx(one.link, abs=1e-9)
