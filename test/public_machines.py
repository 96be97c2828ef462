"""The joints of the shipped machines, as in their public robot descriptions.

``public_machines.json`` has, for each limb, the joints from the base frame to the tip: name, type,
place and roll, pitch, yaw in the link before, and axis. ``driven`` has the joints of linkages, with
the multiplier of each motor that moves them. ``PublicLimb`` in ``robot/descriptions.py`` is such a
limb.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

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

# In m: the lift of the one leans, by a roll of 3.14 where pi is meant; the other's wrist by 4e-6.
LEAN = {'scara_icube': 5e-4, 'so101': 1e-7}


def file_of(name: str) -> Path:
    """The shipped file of a machine."""
    return ROOT / f'config/machines/{name}.yaml'


class PublicRobot:
    """The forward kinematics of a URDF, by Pinocchio, which shares nothing with this package."""

    def __init__(self, urdf: str) -> None:
        self._pinocchio = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
        self._model = self._pinocchio.buildModelFromXML(urdf)
        self._data = self._model.createData()
        self._followers = {
            joint.get('name', ''): mimic.attrib
            for joint in ET.fromstring(urdf).iter('joint')
            for mimic in joint.iter('mimic')
        }

    def pose(self, base: str, tip: str, positions: Mapping[str, float]) -> Any:
        """The pose of one link in another; joints without a position are at 0."""
        q = self._pinocchio.neutral(self._model)
        for number, name in enumerate(self._model.names):
            joint, position = self._model.joints[number], self._position(name, positions)
            if joint.nq == 2:  # a continuous joint
                q[joint.idx_q : joint.idx_q + 2] = math.cos(position), math.sin(position)
            elif joint.nq == 1:
                q[joint.idx_q] = position
        self._pinocchio.framesForwardKinematics(self._model, self._data, q)
        base_pose, tip_pose = (
            self._data.oMf[self._model.getFrameId(link, self._pinocchio.FrameType.BODY)]
            for link in (base, tip)
        )
        return base_pose.actInv(tip_pose)

    def _position(self, name: str, positions: Mapping[str, float]) -> float:
        mimic = self._followers.get(name)
        if not mimic:
            return positions.get(name, 0.0)
        leader = self._position(mimic['joint'], positions)
        return float(mimic.get('multiplier', 1.0)) * leader + float(mimic.get('offset', 0.0))
