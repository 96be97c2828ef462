"""The joints between base and tip that are not the arm's: where they are held, or are assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ik2d_ros.parameters.checks import is_sequence
from ik2d_ros.parameters.numerals import with_unit
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.find import STILL, Found
from ik2d_ros.robot.model import FREE, Placed, Robot
from ik2d_ros.robot.options import TO_OFFSET, ImportOptions, Remark, to_begin_at, to_hold


def held_parameters(
    robot: Robot, found: Found, options: ImportOptions, commanded: Sequence[str]
) -> dict[str, object]:
    """Return where joints are held, between which limits, and where the arm assumes them."""
    given = options.parameters.get('command_joints')
    names = given if is_sequence(given) else commanded
    ours = {one.name for one in found.joints.values()}
    others = [one for one in robot.joints if one.name in names and one.name not in ours]
    # Of a joint that follows another one that is held, the position of that one counts.
    needed = [
        one.leader if one.leader in found.held else one.name
        for one in filter(found.depends_on, _held(found))
    ]
    return {
        **{f'hold.{name}': options.hold[name] for name in commanded if name in options.hold},
        **{f'hold_limits.{one.name}': [*one.limits] for one in others if one.limits},
        **{f'assumes.{name}': found.positions[name] for name in needed},
    }


def questions_about_held(found: Found, options: ImportOptions) -> Iterator[str]:
    """Yield the requests to hold joints within their limits."""
    for one in _held(found):
        position, limits = found.positions[one.name], one.limits
        is_relevant = one.name in options.hold or found.depends_on(one)
        if is_relevant and limits and not limits[0] <= position <= limits[1]:
            lower, upper = (f'{limit:.12g}' for limit in limits)
            yield (
                f'joint {one.quoted} would be at {with_unit(position, one.unit)}, outside its '
                f'limits, {lower} to {upper} {one.unit}: give {to_hold(one.name)}'
            )


def _held(found: Found) -> list[Placed]:
    """Return the held joints whose position is one number."""
    return [one for one in found.order if one.name in found.held and one.kind not in FREE]


def about_held(found: Found, options: ImportOptions) -> Iterator[Remark]:
    """Yield a remark on each joint that is held."""
    for one in found.order:
        position, why = found.positions[one.name], found.held.get(one.name)
        at = with_unit(position, one.unit)
        if why is None:
            continue
        if one.kind in FREE:
            yield Remark(
                f'joint {one.quoted} is {one.kind}: the arm is right only where it has not moved; '
                f"targets in '{printable(found.route.base)}' do not go with it, those in the link "
                f'behind it do: {to_begin_at(one.child)}'
            )
        elif one.name in options.hold or one.mimic is not None:
            yield Remark(f'joint {one.quoted} is held at {at}: {why}', doubt=False)
        elif found.depends_on(one):
            yield Remark(
                f'joint {one.quoted} is held where it stands: {why}; the link vectors are right '
                f'with it at {at}; to have it moved there: {to_hold(one.name, position)}'
            )
        else:
            yield Remark(
                f'joint {one.quoted} is held where it stands: {why}, and the tip is on its axis; '
                f'if the tip is elsewhere: {TO_OFFSET}',
                doubt=float(np.linalg.norm(found.tip - one.point)) < STILL,
            )
