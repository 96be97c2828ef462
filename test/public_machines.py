"""The joints of the shipped machines, as in their public robot descriptions.

``public_machines.json`` has, for each limb, the joints from the base frame to the tip: name, type,
place and roll, pitch, yaw in the link before, and axis. ``driven`` has the joints of linkages, with
the multiplier of each motor that moves them. Pinocchio, whose forward kinematics shares nothing
with this package, reads a minimal URDF made of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import ROOT

from ik2d_ros.parameters.file import nodes_in
from ik2d_ros.parameters.shipped import find_machines

MACHINES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_suffix('.json').read_text(encoding='utf-8')
)
LIMBS = [(name, node) for name, limbs in MACHINES.items() for node in limbs]
"""The limbs whose public description is known."""

SHIPPED = [
    (name, node) for name, path in find_machines().items() for node in nodes_in(path) or ['ik2d']
]
"""The limbs that are shipped."""

# In m: the lift of this one leans, by a roll of 3.14 where pi is meant.
LEAN = {'scara_icube': 5e-4}


def file_of(name: str) -> Path:
    """The shipped file of a machine."""
    return ROOT / f'config/machines/{name}.yaml'


def urdf_of_limb(name: str, node: str) -> str:
    """A URDF of one limb with only links and joints, without tight limits."""
    limb = MACHINES[name][node]
    lines = [f'<robot name="{name}">', '<link name="0"/>']
    for number, (joint, kind, xyz, rpy, *axis) in enumerate(limb['joints']):
        lines += [
            f'<link name="{number + 1}"/><joint name="{joint}" type="{kind}">',
            f'<parent link="{number}"/><child link="{number + 1}"/>',
            f'<origin xyz="{_written(xyz)}" rpy="{_written(rpy)}"/>',
            *(f'<axis xyz="{_written(values)}"/>' for values in axis),
            '<limit lower="-100" upper="100" velocity="1" effort="1"/></joint>',
        ]
    return '\n'.join([*lines, '</robot>'])


def _written(values: list[float]) -> str:
    return ' '.join(map(repr, values))


class PublicLimb:
    """The forward kinematics of a limb, by Pinocchio."""

    def __init__(self, name: str, node: str) -> None:
        """Read the limb and the positions of its held joints."""
        pinocchio = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
        self._kinematics = pinocchio.framesForwardKinematics
        self._model = pinocchio.buildModelFromXML(urdf_of_limb(name, node))
        self._data = self._model.createData()
        limb = MACHINES[name][node]
        self.base = limb['base']
        self._held, self._driven = limb['held'], limb.get('driven', {})
        self._tip = self._model.getFrameId(str(len(limb['joints'])))

    def tip(self, positions: Mapping[str, float]) -> np.ndarray:
        """(3,) m: the tip in the base frame, for positions by joint; others are held or 0."""
        q = np.zeros(self._model.nq)
        driven = {
            name: sum(times * positions[motor] for motor, times in motors.items())
            for name, motors in self._driven.items()
        }
        for name, position in {**self._held, **positions, **driven}.items():
            q[self._model.joints[self._model.getJointId(name)].idx_q] = position
        self._kinematics(self._model, self._data, q)
        return np.array(self._data.oMf[self._tip].translation)
