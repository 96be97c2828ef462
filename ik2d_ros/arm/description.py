"""The arm that its parameters describe, the same for nodes and tools; no ROS imports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from ik2d_ros.arm.fields import ARM_PARAMETERS, JOINT_FIELDS, SINGLES, WALLS
from ik2d_ros.kinematics import (
    Arm,
    Chain,
    ChainError,
    Ik2dError,
    Joint,
    Lift,
    Plane,
    Roll,
    Turntable,
    Wall,
)
from ik2d_ros.kinematics.arguments import replace_fields
from ik2d_ros.kinematics.kernel.annulus import Annulus
from ik2d_ros.kinematics.plane import Quaternion, product
from ik2d_ros.parameters.checks import ConfigError, refuse

Fields = Mapping[str, Any]
"""Checked parameters of one joint, by field."""

Part = TypeVar('Part', Joint, Turntable, Lift, Roll)
MODELS = {'turntable': Turntable, 'lift': Lift, 'roll': Roll}
MODEL_FIELDS = {'joint': 'name', 'length': 'link', 'min_position': 'lower', 'max_position': 'upper'}
"""The names that the model has for fields of parameters."""

EASE = 2e-3  # reaches: joints that move by 0.1 rad in step bulge by less

ENDS = ('min_position', 'max_position')

_GRIPPER = re.compile('grip|jaw|claw|finger|hand')


class MotionLimits(NamedTuple):
    """Motion limits of a joint; None for no limit. A sliding joint has m in place of rad.

    Attributes:
        velocity: rad/s.
        acceleration: rad/s^2.
        jerk: rad/s^3.
    """

    velocity: float | None = None
    acceleration: float | None = None
    jerk: float | None = None

    def slowed(self, speed: float) -> MotionLimits:
        """Return the limits with velocity and acceleration by a factor."""
        velocity, acceleration = (limit and speed * limit for limit in self[:2])
        return MotionLimits(velocity, acceleration, self.jerk)


@dataclass(frozen=True)
class ArmDescription:
    """A chain, its carrier, its roll, its base pose, home and motion limits.

    Values by joint begin with the turntable or lift, if there is one; the chain's joints follow,
    then the roll.
    Positions are in rad, or in m for joints that slide.

    Attributes:
        chain: the joints, links and position limits.
        home: (m,) positions at start-up; the nearest within the limits is taken.
        motion: (m,) motion limits, one per joint.
        base_frame: frame of the base pose.
        base_xyz: origin of the arm's plane in ``base_frame``, in m, with turntable or lift at 0.
        base_rpy: roll, pitch, yaw of the arm's plane in ``base_frame``, in rad (URDF convention).
        turntable: the joint that turns the plane, if any.
        lift: the joint that shifts the plane along its normal, if any; not both.
        walls: planes in ``base_frame`` that no pivot and no tip crosses.
        roll: the joint that turns the tip about an axis in the plane, if any.
        kinematics: the arm in space, in ``base_frame``.
        names: (m,) of the joints.
        limits: (m,) smallest and largest position of each joint; -inf and inf where there are none.
        units: (m,) of each joint's position: rad or m.

    Raises:
        ChainError: the parts do not fit together.
    """

    chain: Chain
    home: tuple[float, ...]
    motion: tuple[MotionLimits, ...]
    base_frame: str = 'base_link'
    base_xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    base_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turntable: Turntable | None = None
    lift: Lift | None = None
    walls: tuple[Wall, ...] = ()
    roll: Roll | None = None
    kinematics: Arm = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    limits: tuple[tuple[float, float], ...] = field(init=False, repr=False, compare=False)
    units: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        plane = Plane.from_pose(self.base_xyz, self.base_rpy)
        arm = Arm(self.chain, plane, self.turntable, self.lift, self.walls, self.roll)
        replace_fields(self, kinematics=arm, names=arm.names, limits=arm.limits, units=arm.units)
        replace_fields(self, home=self.clamped(self.home))

    @cached_property
    def carrier(self) -> Turntable | Lift | None:
        """The joint that carries the plane, if any."""
        return self.turntable or self.lift

    @cached_property
    def is_solved_in_space(self) -> bool:
        """Whether targets are solved in space: there are joints besides the chain's, or walls."""
        return bool(self.carrier or self.walls or self.roll)

    @cached_property
    def stepping(self) -> ArmDescription:
        """The arm with a solver that takes small steps only: what they reach is the same."""
        chain = copy(self.chain)
        vars(chain)['solver'] = chain.new_solver(decides=False)  # in place of the one made on use
        return replace(self, chain=chain)

    @property
    def at_home_roll(self) -> Arm:
        """The arm in space with its roll fixed at home, for which its reach is shown."""
        return self.kinematics.at_roll(self.home[-1])

    @cached_property
    def without_walls(self) -> ArmDescription:
        """The arm as if there were no walls."""
        return replace(self, walls=()) if self.walls else self

    @cached_property
    def eased(self) -> ArmDescription:
        """The arm a little farther off its walls: joints in step from pose to pose keep off them.

        The arm itself if it has no walls, or no room for that.
        """
        ease = EASE * self.chain.size
        walls = [replace(wall, clearance=wall.clearance + ease) for wall in self.walls]
        try:
            return replace(self, walls=tuple(walls)) if walls else self
        except ChainError:
            return self

    @cached_property
    def reach(self) -> Annulus:
        """Smallest and largest distance of the tip from the first joint in m, as for a chain.

        Limits of revolute joints are ignored; the tool counts, which moves the chain's annulus, and
        as far as a roll may move the tip.
        """
        (inner, outer), tool = self.chain.reach, math.hypot(*self.chain.tool)
        tool += 2.0 * self.kinematics.tip_radius
        return Annulus(max(0.0, inner - tool, tool - outer), outer + tool)

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """(m,) prefix of the names of each joint's parameters, such as ``chain.elbow``."""
        carriers = [prefix for prefix in ('turntable', 'lift') if getattr(self, prefix) is not None]
        chain = [f'chain.{name}' for name in self.chain.names]
        return (*carriers, *chain, *(['roll'] if self.roll else []))

    @property
    def quantities(self) -> Iterator[tuple[str, float, str]]:
        """Names, values and units of the parameters whose unit may be in question."""
        for joint in self.chain.joints:
            yield f'chain.{joint.name}.length', joint.length, 'm'
            yield f'chain.{joint.name}.offset', joint.offset, 'rad'
        joints = zip(self.prefixes, self.units, self.limits, self.motion, strict=True)
        for prefix, unit, (lower, upper), motion in joints:
            yield f'{prefix}.min_position', lower, unit
            yield f'{prefix}.max_position', upper, unit
            yield f'{prefix}.max_velocity', motion.velocity or 0.0, f'{unit}/s'

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp (m,) positions to the limits."""
        clamped = [
            min(max(q, lower), upper)
            for q, (lower, upper) in zip(positions, self.limits, strict=True)
        ]
        return tuple(self.kinematics.project_to_bend_limits(clamped))

    def in_plane(self, positions: Sequence[float]) -> Sequence[float]:
        """Return the part of (m,) positions that are the chain's, (n,)."""
        return self.kinematics.in_plane(positions)

    def plane_at(self, positions: Sequence[float]) -> Plane:
        """Return where the arm's plane is in ``base_frame`` at (m,) positions of all joints."""
        return self.kinematics.carried_plane(positions[0])

    def roll_rotation(self, roll: float) -> Quaternion:
        """Return the rotation of the tip in the frame of the last link by a roll in rad."""
        (x, y), half = self.roll.axis if self.roll is not None else (1.0, 0.0), 0.5 * roll
        return x * math.sin(half), y * math.sin(half), 0.0, math.cos(half)

    def tip_rotation(self, plane: Plane, angle: float, roll: float) -> Quaternion:
        """Return the rotation of the tip in ``base_frame``, as a target asks for it.

        In the arm's plane where a pose carries it, at a tip angle and with the roll at a position,
        in rad; 0 for an arm without one.
        """
        return product(plane.quaternion(angle), self.roll_rotation(roll))

    def tip_plane_at(self, positions: Sequence[float]) -> Plane:
        """Return the same plane, shifted along its normal to where a roll has the tip."""
        if self.roll is None:
            return self.plane_at(positions)
        return self.kinematics.at_roll(positions[-1]).carried_plane(positions[0])


def arm_from_parameters(parameters: Mapping[str, object]) -> ArmDescription:
    """Build the arm that a set of parameters describes.

    Args:
        parameters: values by flat dotted name (``chain.shoulder.length``); None means not given.
            Parameters that do not describe the arm are ignored.

    Raises:
        ConfigError: a parameter is missing, unknown or refused; the message names it, its value
            and what is allowed.
    """
    names = ARM_PARAMETERS['joints'].checked(parameters.get('joints'))
    checked = ARM_PARAMETERS.checked({**parameters, 'joints': None})
    singles: dict[str, Fields] = {}
    parts: dict[str, Any] = {}
    for prefix, family in SINGLES.items():
        # A setting of the node has the name 'roll'.
        single = family.fields({**parameters, 'roll': None}, [''])['']
        if single:
            name, allowed = single.get('joint'), family['joint'].allowed
            if name is None or name in names:
                refuse(f'{prefix}.joint', name, f"{allowed}, as '{prefix}.*' is given")
            singles[prefix] = single
            parts[prefix] = _part(MODELS[prefix], prefix, single)
    fields_of = JOINT_FIELDS.fields(parameters, names)
    tool = checked.pop('tool', (0.0, 0.0))
    joints = [_joint(name, values) for name, values in fields_of.items()]
    with _about({'joints': 'joints', 'tool': 'tool'}):
        chain = Chain(joints, tool)
    walls = _walls(parameters)
    chained = {f'chain.{name}': values for name, values in fields_of.items()}
    given = singles | chained
    every = [given[each] for each in ('turntable', 'lift', *chained, 'roll') if each in given]
    named = {'base.xyz': 'xyz', 'base.rpy': 'rpy', 'tool': 'tool'}
    named |= {f'{prefix}.*': 'axis' for prefix in parts} | {f'{each}.joint': each for each in parts}
    named |= {name: name for name in (f'walls.{wall.name}' for wall in walls)}
    with _about(named):
        arm = ArmDescription(
            chain=chain,
            home=tuple(values.get('home', 0.0) for values in every),
            motion=tuple(
                MotionLimits(*(values.get(f'max_{name}') for name in MotionLimits._fields))
                for values in every
            ),
            walls=walls,
            **checked,
            **parts,
        )
    homes = zip(arm.prefixes, every, arm.home, arm.limits, arm.units, strict=True)
    for prefix, values, home, (lower, upper), unit in homes:
        if values.get('home', home) != home:
            allowed = f'inside the limits of the joint, {lower} to {upper} {unit}, such as {home}'
            refuse(f'{prefix}.home', values['home'], allowed)
    return arm


@contextmanager
def _about(named: Mapping[str, str]) -> Iterator[None]:
    """Name the parameters in a refusal by the model, by the fields that it has for them."""
    try:
        yield
    except Ik2dError as error:
        told = [name for name, part in named.items() if part in error.fields] or named
        names = ', '.join(f"'{name}'" for name in told)
        raise ConfigError(f'parameter{"s" * (len(told) != 1)} {names}: {error}') from None


def _walls(given: Mapping[str, object]) -> tuple[Wall, ...]:
    walls = []
    for name, values in WALLS.fields(given).items():
        for part in ('point', 'normal'):
            WALLS[part].checked(values.get(part), f'walls.{name}.{part}')
        with _about({f'walls.{name}.{part}': part for part in values}):
            walls.append(Wall(name=name, **values))
    return tuple(walls)


def _joint(name: str, values: Fields) -> Joint:
    if ('length' in values) == ('link' in values):
        what = 'both' if 'length' in values else 'neither'
        raise ConfigError(
            f"joint '{name}' has {what} of 'chain.{name}.length' and 'chain.{name}.link'; "
            'give one of them: length: L or link: [x, y], in m'
        )
    link = values.get('link') or (values['length'], 0.0)
    return _part(Joint, f'chain.{name}', values, name=name, link=link)


def _part(model: type[Part], prefix: str, values: Fields, **more: Any) -> Part:
    """Return a joint of the model; a refusal names the parameters."""
    known = {one.name for one in fields(model)}
    taken = {field: MODEL_FIELDS.get(field, field) for field in (*values, *ENDS)}
    arguments = {taken[field]: value for field, value in values.items() if taken[field] in known}
    with _about({f'{prefix}.{field}': name for field, name in taken.items() if name in known}):
        return model(**{**arguments, **more})


def is_gripper(name: str) -> bool:
    """Return whether the name of a joint says that it is a gripper's."""
    return bool(_GRIPPER.search(name.lower()))
