"""Designing an arm: changes of its parameters; no ROS or viser imports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.arm.fields import JOINT_FIELDS
from ik2d_ros.kinematics import Joint
from ik2d_ros.pilot.parameters import configuration_from_parameters

LENGTH, LOWER, UPPER, ADD, REMOVE = 'length', 'min_position', 'max_position', 'add', 'remove'
SHORTER = 0.7  # length of a joint that is added, in lengths of the last one
MOST_UNDONE = 100  # edits
REST = 0.7  # s without a change after which a drag is another one
Parameters = Mapping[str, object]

Save = Callable[[Parameters], str]
"""Returns the text of a parameter file with other parameters."""


class Edit(NamedTuple):
    """A change of a design.

    Attributes:
        field: what is changed: LENGTH, LOWER, UPPER, or ADD or REMOVE.
        joint: name of the joint; of one that is added, the joint before it.
        value: m or rad; unused where a joint is added or removed.
    """

    field: str
    joint: str
    value: float = 0.0


@dataclass(frozen=True)
class Draft:
    """The design of an arm, and what it was before.

    Attributes:
        parameters: of the arm.
        save: gives their file.
        before: those that can be gone back to.
        edit: the last change; None for none.
        at: when it was changed, in s.
    """

    parameters: Parameters
    save: Save
    before: tuple[Parameters, ...] = ()
    edit: Edit | None = None
    at: float = -math.inf

    def file(self) -> str:
        """Return the content of a parameter file."""
        return self.save(self.parameters)

    def changed(self, edit: Edit, now: float) -> Draft:
        """Return the draft after a change; all changes of a drag are undone as one.

        Raises:
            ConfigError: there is no such arm.
        """
        new, before = edited(self.parameters, edit), self.before
        configuration_from_parameters(new)
        goes_on = self.edit is not None and edit[:2] == self.edit[:2] and now - self.at <= REST
        if not goes_on or edit.field in (ADD, REMOVE):
            before = *before[1 - MOST_UNDONE :], self.parameters
        return replace(self, parameters=new, before=before, edit=edit, at=now)

    def undone(self, now: float) -> Draft:
        """Return the draft before, if there is one."""
        if not self.before:
            return self
        *before, last = self.before
        return replace(self, parameters=last, before=tuple(before), edit=None, at=now)


def edited(parameters: Parameters, edit: Edit) -> dict[str, object]:
    """Return the parameters of an arm after an edit.

    Lengths and limits get few digits. Limits never cross, and home stays within them.

    Raises:
        ConfigError: there is no such arm.
    """
    description, new, name = arm_from_parameters(parameters), dict(parameters), edit.joint
    arm, prefix = description.chain, f'chain.{name}'
    names = [*arm.names]
    joint = arm.joints[names.index(name)]
    if edit.field == LENGTH:
        length = rounded(max(edit.value, 0.0), 'm')
        if f'{prefix}.link' in new:
            along = math.cos(joint.direction), math.sin(joint.direction)
            new[f'{prefix}.link'] = [length * part for part in along]
        else:
            new[f'{prefix}.length'] = length
    elif edit.field in (LOWER, UPPER):
        (lower, upper), value = span(description, name), rounded(edit.value, joint.unit)
        if edit.field == LOWER:
            lower = min(value, upper)
        else:
            upper = max(value, lower)
        new |= {f'{prefix}.{LOWER}': lower, f'{prefix}.{UPPER}': upper}
        if isinstance(home := new.get(f'{prefix}.home'), int | float):
            new[f'{prefix}.home'] = min(max(home, lower), upper)
    elif edit.field == ADD:
        added = next(f'joint{i}' for i in range(2, len(names) + 3) if f'joint{i}' not in names)
        names.insert(names.index(name) + 1, added)
        new |= _added(f'chain.{added}', joint, parameters.get(f'{prefix}.max_velocity'))
    elif edit.field == REMOVE and len(names) > 1:
        names.remove(name)
        gone = {f'{prefix}.{each}' for each in JOINT_FIELDS}
        new = {
            key: value
            for key, value in new.items()
            if key not in gone and not (key.startswith('poses.') and key.endswith(f'.{name}'))
        }
    if names != [*arm.names]:
        new['joints'] = names
        if isinstance(commanded := new.get('command_joints'), list | tuple):
            new['command_joints'] = [*names, *(each for each in commanded if each not in arm.names)]
    return new


def _added(prefix: str, before: Joint, speed: object) -> dict[str, object]:
    """Return the parameters of a joint that is added after another one, as fast as that is."""
    new: dict[str, object] = {f'{prefix}.{LENGTH}': rounded(SHORTER * before.length, 'm')}
    if not (before.continuous or before.absolute):
        new |= {f'{prefix}.{LOWER}': -2.0, f'{prefix}.{UPPER}': 2.0}
    if speed is not None and not before.slides:
        new[f'{prefix}.max_velocity'] = speed
    return new


def rounded(value: float, unit: str) -> float:
    """Return a length in whole millimetres, or an angle in tenths of a degree, in few digits."""
    return round(value, 3) if unit == 'm' else round(math.radians(round(math.degrees(value), 1)), 4)


def span(arm: ArmDescription, name: str) -> tuple[float, float]:
    """Return the limits of a joint in rad or m; those of one turn if it has none."""
    lower, upper = arm.limits[arm.names.index(name)]
    return (lower, upper) if math.isfinite(lower) else (-math.pi, math.pi)
