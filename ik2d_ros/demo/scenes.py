"""What the demo draws of a moment: the views of the arm, as lines on a page; no drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.extent import lift_ends
from ik2d_ros.arm.projections import OUT, View, body_view, plane_view, pose_in_plane
from ik2d_ros.arm.skeleton import skeleton
from ik2d_ros.demo.monitor import Array, Sample
from ik2d_ros.kinematics import Lift, Turntable
from ik2d_ros.kinematics.sweep import Sweep, dot

MARGIN_IN_PLANE = 1.2  # Half the width of the view, in reaches: some demo targets are out of reach.
MARGIN_IN_SPACE = 1.06  # Width of a view, as a share of what has to fit.
FLATTEST = 0.15  # the shorter side of a view as a share of the longer one, or more
CORNERS = 120  # of a circle


class Scene(NamedTuple):
    """One view; places are (x, y) in m on its page, x to the right and y upwards.

    Attributes:
        title: from where it is seen, and what increases to the right and upwards; empty for none.
        low: (2,) lower left corner of what has to be shown.
        high: (2,) upper right corner.
        guides: lines (k, 2) to find one's way: reach, limits, where the turntable points.
        arm: (k, 2) the arm as a line, its tip last.
        target: (2,) the target; not finite if unknown.
    """

    title: str
    low: Array
    high: Array
    guides: Sequence[Array]
    arm: Array
    target: Array


def scenes(arm: ArmDescription, sample: Sample) -> list[Scene]:
    """Return the views of an arm: of its plane and, with a turntable or a lift, of what that does.

    A view always shows the same part of space, whatever the pose, but for a lift without limits.
    """
    sweep = arm.kinematics.sweep
    with np.errstate(over='ignore', invalid='ignore'):  # targets may be anything
        if arm.turntable is not None and sweep is not None:
            return [_carried_plane(arm, sample), _turned(arm, arm.turntable, sweep, sample)]
        if arm.lift is not None:
            return [_carried_plane(arm, sample), _lifted(arm, arm.lift, sample)]
    half = np.full(2, MARGIN_IN_PLANE * arm.chain.reach.outer or 1.0)
    circles = [_circle(radius) for radius in arm.chain.reach]
    return [Scene('', -half, half, circles, sample.points, sample.target)]


def _carried_plane(arm: ArmDescription, sample: Sample) -> Scene:
    """Return the view of a plane that is carried, as with turntable or lift at 0."""
    view, plane = plane_view(arm), arm.kinematics.plane
    size = arm.chain.reach.outer or 1.0

    line = view.flat(pose_in_plane(arm, sample.positions))
    before = line[: -len(sample.points)]  # is the same in every pose
    first = view.placed(plane, np.zeros((1, 2)))
    low, high = _around([before, first - size, first + size])
    where = 'in its plane' if arm.turntable is not None else f'from {view.seen_from}'
    title = f'{where}: {", ".join(view.names)}'
    circles = [view.placed(plane, _circle(radius)) for radius in arm.chain.reach]
    return Scene(title, low, high, circles, line, view.placed(plane, sample.target[None])[0])


def _turned(arm: ArmDescription, turntable: Turntable, sweep: Sweep, sample: Sample) -> Scene:
    """Return the view along the axis of a turntable."""
    view, turn = body_view(arm), sample.positions[0]
    out, beside, _ = sweep.raised(0.0, 0.0)
    radius = math.hypot(abs(out) + arm.chain.reach.outer, beside) or 1.0
    center = view.flat([turntable.xyz])

    # As in the view of the plane, for the arm may well work over what the sweep calls its back.
    seen = plane_view(arm)
    ahead = seen.right if seen.names[0] == OUT else seen.up
    side = math.copysign(radius, dot(ahead, sweep.frame[0]))

    def ray(at: float) -> Array:
        return view.flat([sweep.point((distance, 0.0, 0.0), at) for distance in (0.0, side)])

    low, high = _around([center - radius, center + radius])
    limits = [ray(end) for end in arm.limits[0] if math.isfinite(end)]
    guides = [center + _circle(radius), ray(turn), *limits]
    return _scene(view, low, high, guides, arm, sample)


def _lifted(arm: ArmDescription, lift: Lift, sample: Sample) -> Scene:
    """Return the view of a lift from the side."""
    view, size = body_view(arm), arm.chain.reach.outer or 1.0
    line = view.flat(skeleton(arm, sample.positions))
    is_limited = lift.lower is not None
    planes = [arm.kinematics.carried_plane(end) for end in lift_ends(arm)]
    middles = [view.flat([plane.origin]) for plane in planes]
    levels = [middle + np.array([[-size, 0.0], [size, 0.0]]) for middle in middles]
    low, high = _around([line[:1], *levels, *([] if is_limited else [line])])
    return _scene(view, low, high, levels if is_limited else [], arm, sample)


def _scene(
    view: View,
    low: Array,
    high: Array,
    guides: Sequence[Array],
    arm: ArmDescription,
    sample: Sample,
) -> Scene:
    """Return a view of space itself."""
    title = f'from {view.seen_from}: {", ".join(view.names)}'
    line, x, y, z = view.flat(skeleton(arm, sample.positions)), *sample.place
    return Scene(title, low, high, guides, line, view.flat([(x, y, z)])[0])


def _circle(radius: float) -> Array:
    turns = np.linspace(0.0, 2.0 * math.pi, CORNERS + 1)
    return np.asarray(radius * np.stack([np.cos(turns), np.sin(turns)], axis=1))


def _around(parts: Sequence[Array]) -> tuple[Array, Array]:
    """Return the lower left and upper right corner (2,) of what shows points (k, 2) well."""
    points = np.concatenate(parts)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    # A lift may have hardly any range.
    margin = np.maximum((MARGIN_IN_SPACE - 1.0) * size, FLATTEST * size - (high - low))
    return low - 0.5 * margin, high + 0.5 * margin
