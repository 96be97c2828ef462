"""Closures of a chain with three joints of which one slides or two, for targets with a tip angle.

What :mod:`.tip_angle_triangles` is for three revolute joints. Derived in ``docs/solvers.md``,
section 11. Lengths are in reaches, angles are bends (see :mod:`.chain`), points are complex.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import Limits
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray, Indices
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT
from ik2d_ros.kinematics.tip_angle.tip_angle_room import Room, room
from ik2d_ros.kinematics.tip_angle.tip_angle_shapes import Shapes

# Which of the three joints are revolute.
Kinds = tuple[bool, bool, bool]


class Closures(NamedTuple):
    """Three joints that move, and the rigid shapes behind each of them, an element each.

    The directions of the shapes before the first revolute joint of the three are known from the
    heading before them, and those of the shapes from the last one on from the tip angle.

    Attributes:
        joints: (3, e) indices of these three; the last is n where any angle will do: there, the tip
            counts as a revolute joint.
        ahead: (e,) what comes before the first revolute one of them, as the heading before them
            has it, in reaches.
        behind: (e,) what comes from the last revolute one on, as the last link has it.
        between: (e,) from the first to the last revolute one, as the link of the first has it.
        ways: (3, e) the directions of slides, as one of these three has them; 0 of others.
        leads: (3, e) by how much the same three turn the last link, in rad.
        bends: (e, n) of all joints in rad, of prismatic ones in reaches; 0 for these three, and for
            those before the first one where they depend on the chain's start.
        room: what limits leave to be spanned.
    """

    joints: Indices
    ahead: ComplexArray
    behind: ComplexArray
    between: ComplexArray
    ways: ComplexArray
    leads: FloatArray
    bends: FloatArray
    room: Room


def closures(
    kinds: Kinds,
    joints: tuple[int, int, int],
    limits: Limits,
    fixed: Sequence[float],
    before: Shapes,
    first: Shapes,
    second: Shapes,
    tail: Shapes,
) -> Closures:
    """Return the closures of all combinations of some shapes.

    Args:
        kinds: of the three joints.
        joints: their indices.
        limits: of these three, in rad or reaches; infinite for the tip.
        fixed: bend of each of them in rad, if it is prismatic.
        before: up to the first joint; a single one of zeros where it depends on the start.
        first: from there to the second joint.
        second: from there to the third.
        tail: from there on.
    """
    several = (before, first, second, tail)
    picked = np.indices([len(each.vector) for each in several]).reshape(4, -1)
    parts = [each.at(some) for each, some in zip(several, picked, strict=True)]
    begun, shapes = parts[0], parts[1:]
    count = picked.shape[1]
    least, most = turning(kinds)
    ahead, behind, between = begun.vector.copy(), np.zeros(count, complex), np.zeros(count, complex)
    ways, leads = np.zeros((3, count), complex), np.zeros((3, count))
    leads[0] = begun.heading
    for joint in range(least):
        ways[joint] = np.exp(1j * (leads[0] + fixed[joint]))
        ahead += shapes[joint].vector * np.exp(1j * leads[0])
        leads[0] += shapes[joint].heading
    for joint in range(least, most):
        if joint > least:
            ways[joint] = np.exp(1j * (leads[1] + fixed[joint]))
        between += shapes[joint].vector * np.exp(1j * leads[1])
        leads[1] += shapes[joint].heading
    for joint in range(2, most - 1, -1):
        leads[2] += shapes[joint].heading
        behind += shapes[joint].vector * np.exp(-1j * leads[2])
        if joint > most:
            ways[joint] = np.exp(1j * (fixed[joint] - leads[2]))
    bends = np.concatenate([each.bends for each in parts], axis=1)
    three = np.repeat(np.array(joints)[:, None], count, axis=1)
    within = room(kinds, limits, between, ways, leads)
    return Closures(three, ahead, behind, between, ways, leads, bends, within)


def not_parallel(kinds: Kinds, table: Closures) -> Closures:
    """Return those closures of which the slides, if there are two, are not always parallel."""
    slides = [joint for joint in range(3) if not kinds[joint]]
    if len(slides) < 2 or slides == [0, 2]:
        return table
    one, two = (table.ways[joint] for joint in slides)
    apart = np.abs(across(one, two)) > FLAT
    return Closures(
        table.joints[:, apart],
        table.ahead[apart],
        table.behind[apart],
        table.between[apart],
        table.ways[:, apart],
        table.leads[:, apart],
        table.bends[apart],
        table.room.at(apart),
    )


def joined(several: list[Closures]) -> Closures:
    """Return some of one kind as one."""
    values = [
        np.concatenate(some, axis=0 if name == 'bends' else -1)
        for name, some in zip(
            Closures._fields[:-1], zip(*(each[:-1] for each in several), strict=True), strict=True
        )
    ]
    rooms = zip(*(each.room for each in several), strict=True)
    return Closures._make([*values, Room(*(np.concatenate(some, axis=1) for some in rooms))])


def turning(kinds: Kinds) -> tuple[int, int]:
    """Return the first and the last revolute one of three joints."""
    return kinds.index(True), 2 - kinds[::-1].index(True)


def across(one: ComplexArray, two: ComplexArray) -> FloatArray:
    """Return the cross products of vectors."""
    crossed: FloatArray = one.real * two.imag - one.imag * two.real
    return crossed
