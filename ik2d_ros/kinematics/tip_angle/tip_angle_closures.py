"""Closures of a chain with three joints of which one slides or two, for targets with a tip angle.

What :mod:`.tip_angle_triangles` is for three revolute joints. Derived in ``docs/solvers.md``,
section 11. Lengths are in reaches, angles are bends (see :mod:`.chain`), points are complex.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.proof.corners import SLACK
from ik2d_ros.kinematics.tip_angle.tip_angle_shapes import Shapes
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import FLAT, LOOSE

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
    """

    joints: Indices
    ahead: ComplexArray
    behind: ComplexArray
    between: ComplexArray
    ways: ComplexArray
    leads: FloatArray
    bends: FloatArray


class Known(NamedTuple):
    """What is known for each closure and target, (e, m) or what broadcasts to that.

    Attributes:
        span: from the first joint to the target, in reaches.
        before: heading before the first joint in rad.
        ahead: unit vector of that.
        last: heading of the last link in rad, and
        behind: unit vector of that; or 0.
    """

    span: ComplexArray
    before: FloatArray
    ahead: ComplexArray
    last: FloatArray
    behind: ComplexArray


class Closed(NamedTuple):
    """Numbers of the three joints that close the chain, an element each.

    Attributes:
        entry: (c,) which closure.
        which: (c,) which target.
        numbers: (3, c) of the three joints in rad, or reaches; those of slides within the limits.
    """

    entry: Indices
    which: Indices
    numbers: FloatArray


def closures(
    kinds: Kinds,
    joints: tuple[int, int, int],
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
    least, most = _turning(kinds)
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
    return Closures(three, ahead, behind, between, ways, leads, bends)


def not_parallel(kinds: Kinds, table: Closures) -> Closures:
    """Return those closures of which the slides, if there are two, are not always parallel."""
    slides = [joint for joint in range(3) if not kinds[joint]]
    if len(slides) < 2 or slides == [0, 2]:
        return table
    one, two = (table.ways[joint] for joint in slides)
    apart = np.abs(_cross(one, two)) > FLAT
    return Closures(
        table.joints[:, apart],
        table.ahead[apart],
        table.behind[apart],
        table.between[apart],
        table.ways[:, apart],
        table.leads[:, apart],
        table.bends[apart],
    )


def joined(several: list[Closures]) -> Closures:
    """Return some of one kind as one."""
    return Closures(
        *(
            np.concatenate(values, axis=0 if name == 'bends' else -1)
            for name, values in zip(Closures._fields, zip(*several, strict=True), strict=True)
        )
    )


def closed(
    kinds: Kinds,
    table: Closures,
    known: Known,
    lower: FloatArray,
    upper: FloatArray,
    alone: bool,
) -> Iterator[Closed]:
    """Return numbers of the joints that close the chain; limits of revolute joints are ignored.

    Args:
        kinds: of the three joints.
        table: closures of that kind.
        known: what is known of targets.
        lower: (n + 1,) limits of joints, and of the tip.
        upper: the same.
        alone: whether nothing else makes up for slides that are parallel.
    """
    least, most = _turning(kinds)
    span = known.span - known.ahead * table.ahead[:, None] - known.behind * table.behind[:, None]
    ways = [
        np.ones(span.shape)
        * way[:, None]
        * (known.ahead if joint < least else known.behind if joint > most else 1.0)
        for joint, way in enumerate(table.ways)
    ]
    ends = lower[table.joints][:, :, None], upper[table.joints][:, :, None]
    slides = [joint for joint in range(3) if not kinds[joint]]
    if len(slides) == 2:
        tried = _two_lines(span, [ways[k] for k in slides], [end[slides] for end in ends], alone)
    elif most == least + 1:
        tried = _line_and_circle(span, ways[slides[0]], np.abs(table.between)[:, None])
    else:
        tried = _line_and_circle(-table.between[:, None], ways[1], np.abs(span))
    for numbers, can in tried:
        inside = [
            (ends[0][joint] - LOOSE <= number) & (number <= ends[1][joint] + LOOSE)
            for joint, number in zip(slides, numbers, strict=True)
        ]
        entry, which = np.nonzero(np.logical_and.reduce([can, *inside]))
        if not len(entry):
            continue
        found = np.zeros((3, len(entry)))
        left, place = span[entry, which], table.between[entry]
        for joint, number in zip(slides, numbers, strict=True):
            at = table.joints[joint, entry]
            found[joint] = np.clip(number[entry, which], lower[at], upper[at])
            moved = found[joint] * ways[joint][entry, which]
            if least < joint < most:
                place = place + moved
            else:
                left = left - moved
        before = np.broadcast_to(known.before, span.shape)[entry, which] + table.leads[0, entry]
        after = np.broadcast_to(known.last, span.shape)[entry, which] - table.leads[2, entry]
        if least == most:
            found[least] = after - before
        else:
            turned = np.angle(left) - np.angle(place)
            found[least] = turned - before
            found[most] = after - turned - table.leads[1, entry]
        yield Closed(entry, which, found)


# Numbers (e, m) of the joints that slide, and where they are a solution.
_Tried = Iterator[tuple[list[FloatArray], Flags]]


def _two_lines(
    span: ComplexArray, ways: list[ComplexArray], ends: list[FloatArray], alone: bool
) -> _Tried:
    """Return how far to slide in two directions for a sum (e, m); ``ends`` (2, e, 1) of both."""
    one, two = ways
    across = _cross(one, two)
    apart: Flags = np.abs(across) > FLAT
    if alone and not apart.all():
        # Parallel: one of them can be at a limit, and the other goes to the foot from there.
        for end in ends:
            first, second = (np.broadcast_to(each, span.shape) for each in end)
            for numbers in (
                [first, ((span - first * one) * two.conj()).real],
                [((span - second * two) * one.conj()).real, second],
            ):
                left = np.abs(span - numbers[0] * one - numbers[1] * two)
                yield numbers, ~apart & (left <= LOOSE)
    across = np.where(apart, across, 1.0)
    yield [_cross(span, two) / across, _cross(one, span) / across], apart


def _line_and_circle(center: ComplexArray, way: ComplexArray, radius: FloatArray) -> _Tried:
    """Return how far to slide from 0 for a distance from a point (e, m), or what broadcasts."""
    seen = center * way.conj()
    root = np.sqrt(np.maximum(0.0, (radius - seen.imag) * (radius + seen.imag)))
    for number in (seen.real + root, seen.real - root):
        yield [number], np.abs(seen.imag) <= radius + SLACK


def _turning(kinds: Kinds) -> tuple[int, int]:
    """Return the first and the last revolute one of three joints."""
    return kinds.index(True), 2 - kinds[::-1].index(True)


def flat(kinds: Kinds, table: Closures, known: Known) -> tuple[Indices, Indices]:
    """Return which closures come in families for which targets, as a joint moves nothing alone.

    Args:
        kinds: of the three joints; slides that are parallel are not meant.
        table: closures of that kind.
        known: what is known of targets.
    """
    least, most = _turning(kinds)
    if most == least:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    length = np.abs(table.between)[:, None]
    if most > least + 1:
        span = known.span - known.ahead * table.ahead[:, None]
        length = np.abs(span - known.behind * table.behind[:, None])
    entry, which = np.nonzero(np.broadcast_to(length <= FLAT, known.span.shape))
    return entry, which


def _cross(one: ComplexArray, two: ComplexArray) -> FloatArray:
    across: FloatArray = one.real * two.imag - one.imag * two.real
    return across
