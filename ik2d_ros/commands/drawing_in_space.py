"""The drawing of a machine in space: its plane, and what turntable or lift do with it.

Needs the extra ``plot``; no ROS imports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.extent import lift_ends
from ik2d_ros.arm.kinds import arc
from ik2d_ros.arm.projections import View, body_view, plane_view, pose_in_plane
from ik2d_ros.arm.region import Points, Triangles
from ik2d_ros.arm.skeleton import skeleton
from ik2d_ros.commands.angles import draw_angles
from ik2d_ros.commands.captions import describe, outcome, reach_words, span
from ik2d_ros.commands.extents import covered, ends_of_reach, spans, turns
from ik2d_ros.commands.strokes import (
    CELLS,
    INK,
    POSES,
    REACHED,
    draw_annulus,
    draw_area,
    draw_edges,
    draw_limits,
    draw_pose,
    draw_region,
    draw_target,
    escape_math,
    finish,
    name_joints,
    note,
    plain,
)
from ik2d_ros.kinematics import Lift, Turntable
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.node.parameters import Settings

MARGIN = 1.15  # Half the width of a view, as a share of what has to fit.
WIDEST = 2.0  # How far from the chain's first joint a target may widen the views, in reaches.
MOST_ROWS = 12  # of the table of joints
VISIBLE = 1e-3  # Smallest radius, in reaches, of a ring that no turn meets to be drawn.
NEARLY_A_TURN = math.radians(355.0)
DASHES = (0, (4, 3))


class _Page:
    """The two views of an arm, and the points that they have to show."""

    def __init__(self, arm: ArmDescription, figure: Figure) -> None:
        self.arm = arm
        self.plane = figure.add_axes((0.06, 0.36, 0.43, 0.55))
        self.body = figure.add_axes((0.56, 0.36, 0.43, 0.55))
        self.plane_view, self.body_view = plane_view(arm), body_view(arm)
        self.in_plane: list[Points] = []
        self.in_body: list[Points] = []

    def placed(self, points: Points) -> Points:
        """Place points (k, 2) of the plane in the view of the plane."""
        return self.plane_view.placed(self.arm.kinematics.plane, points)

    def draw_pose(self, positions: Sequence[float], colour: str, label: str) -> Points:
        """Draw a pose, (m,) positions, in both views; return its joints in that of the plane."""
        flat = self.plane_view.flat(pose_in_plane(self.arm, positions))
        turned = self.body_view.flat(skeleton(self.arm, positions))
        first = self._first(flat)
        draw_pose(self.plane, flat, colour, label, first)
        draw_pose(self.body, turned, colour, '_', first)
        self.in_plane.append(flat)
        self.in_body.append(turned)
        return flat[first:]

    def draw_target(self, target: Vector, positions: Sequence[float], colour: str) -> None:
        """Draw a target in both views: in that of the plane where the pose drawn last has it."""
        x, y, _ = self.arm.plane_at(positions).locate(target)
        flat, turned = self.placed(np.array([[x, y]])), self.body_view.flat([target])
        farthest = WIDEST * (self.arm.chain.reach.outer or 1.0)
        for axes, place, kept in (
            (self.plane, flat, self.in_plane),
            (self.body, turned, self.in_body),
        ):
            draw_target(axes, place[0].tolist(), colour)
            base = kept[-1][self._first(kept[-1])]
            kept.append(base + np.clip(place - base, -farthest, farthest))

    def fit(self) -> None:
        """Show all that has to be shown."""
        for axes, kept in ((self.plane, self.in_plane), (self.body, self.in_body)):
            points = np.concatenate(kept)
            low, high = points.min(axis=0), points.max(axis=0)
            half = 0.5 * MARGIN * float((high - low).max()) or 1.0
            x, y = (0.5 * (low + high)).tolist()
            axes.set(xlim=(x - half, x + half), ylim=(y - half, y + half))

    def _first(self, points: Points) -> int:
        """Return the index of the chain's first joint among the points of a pose."""
        return len(points) - len(self.arm.chain) - 1


def draw_in_space(
    arm: ArmDescription,
    title: str,
    targets: Sequence[Sequence[float]],
    settings: Settings,
    angle: float | None = None,
) -> Figure:
    """Draw one page about an arm with a turntable or a lift: two views and its joints.

    Args:
        arm: the arm.
        title: title of the drawing.
        targets: points (x, y, z) in m in the base frame to draw a pose for; default: the nearest
            and the farthest point in reach of the plane, at different turns or heights.
        settings: how targets are solved.
        angle: the tip angle in rad for which the area of reach is shaded, inf for the range of all
            of them; None for neither.
    """
    figure = Figure(figsize=(11.7, 8.3))
    page, table = _Page(arm, figure), figure.add_axes((0.06, 0.03, 0.93, 0.26))
    chain, home = arm.chain, arm.home
    area = reach_area(chain, CELLS)
    points, triangles = area.points, area.triangles
    draw_area(page.plane, area._replace(points=page.placed(points)), REACHED)
    ends = draw_angles(page.plane, chain, angle, points, page.placed)
    for number, (name, target) in enumerate(_shown(arm, targets, ends)):
        solution = settings.solve(arm, target, home)
        colour = POSES[number % len(POSES)]
        page.draw_pose(solution.q.tolist(), colour, name + outcome(chain, target, solution))
        page.draw_target(target, solution.q.tolist(), colour)
    name_joints(page.plane, chain.names, page.draw_pose(home, INK, 'home'))
    draw_annulus(page.plane, chain, page.placed)
    draw_limits(page.plane, chain, arm.in_plane(home), page.placed)
    page.in_plane += [page.placed(points), page.placed(arc(chain.reach.outer, 0.0, 2.0 * math.pi))]
    titles = ('', '')
    if arm.turntable is not None and arm.kinematics.sweep is not None:
        titles = _draw_turned(page, arm.turntable, arm.kinematics.sweep, points, triangles)
    elif arm.lift is not None:
        titles = _draw_lifted(page, arm.lift, points, triangles)
    page.fit()
    inner, outer = chain.reach
    reach = f'reach in the plane {inner:.4g} m to {outer:.4g} m, {reach_words(arm.chain)}'
    figure.suptitle(f'{plain(title)}: {reach}', fontsize=12)
    finish(page.plane, titles[0], page.plane_view.labels)
    finish(page.body, titles[1], page.body_view.labels)
    table.axis('off')
    text = describe(arm, covered(points, triangles), MOST_ROWS)
    table.text(0.0, 1.0, escape_math(text), family='monospace', fontsize=8.5, va='top')
    handles, labels = page.plane.get_legend_handles_labels()
    more = page.body.get_legend_handles_labels()
    table.legend(handles + more[0], labels + more[1], loc='upper right', frameon=False, fontsize=8)
    return figure


def _shown(
    arm: ArmDescription, targets: Sequence[Sequence[float]], points: Points
) -> list[tuple[str, Vector]]:
    """Return the targets to draw in the base frame, with what to call them."""
    if targets:
        return [('', (x, y, z)) for x, y, z in targets]
    lower, upper = arm.limits[0]
    now, far = arm.home[0], math.pi / 2.0 if arm.turntable is not None else arm.kinematics.size
    # Half-way to the limits, so that the poses do not hide each other.
    places = 0.5 * (now + min(upper, now + far)), 0.5 * (now + max(lower, now - far))
    return [
        (name, arm.kinematics.carried_plane(place).point(x, y))
        for (name, (x, y)), place in zip(ends_of_reach(points, arm), places, strict=True)
    ]


def _draw_turned(
    page: _Page, turntable: Turntable, sweep: Sweep, points: Points, triangles: Triangles
) -> tuple[str, str]:
    """Draw the axis of the turntable, and what it sweeps; return the titles of the views."""
    arm, view = page.arm, page.body_view
    name = plain(turntable.name)
    _draw_axis(page, turntable.xyz, sweep.frame[2], f'axis of {name}')
    out, across, _ = sweep.raised(points[:, 0], points[:, 1])
    beside = float(across.mean())
    lower, upper = turns(arm)

    def seen(distances: Sequence[float], turn: float) -> Points:
        return view.flat([sweep.point((s, beside, 0.0), turn) for s in distances])

    def swept(distance: float) -> Points:
        steps = len(arc(1.0, lower, upper))
        return np.concatenate([seen([distance], t) for t in np.linspace(lower, upper, steps)])

    pieces = [
        (max(low, side_low), min(high, side_high))
        for low, high in spans(out, triangles)
        for side_low, side_high in ((-math.inf, 0.0), (0.0, math.inf))
        if max(low, side_low) < min(high, side_high)
    ]
    rims = [(swept(low), swept(high)) for low, high in pieces]
    label = f'swept by {name}, at any height'
    draw_region(page.body, [np.concatenate([a, b[::-1]]) for a, b in rims], label)
    draw_edges(page.body, [rim for pair in rims for rim in pair])
    page.in_body += [rim for pair in rims for rim in pair]
    if upper - lower < 2.0 * math.pi:
        ends = [float(out.min()), float(out.max())]
        farthest = max(range(2), key=lambda end: abs(ends[end]))
        label = f'limits of {name}'
        words = [f'{end}°' for end in span(lower, upper, 'rad')]
        is_nearly_a_turn = upper - lower > NEARLY_A_TURN
        if is_nearly_a_turn:
            words = [', '.join(words), '']  # there is room for one of them
        for limit, word in zip((lower, upper), words, strict=True):
            line = seen(ends, limit)
            page.body.plot(*line.T, color=INK, linewidth=0.9, linestyle=DASHES, label=label)
            away = line[farthest] - line[1 - farthest]
            x, y = 8.0 * away / (math.hypot(*away) or 1.0)
            # Outside, the longer one might run over the labels of the axes.
            offset = (-x - y, x - y) if is_nearly_a_turn else (x, y)
            note(page.body, word, line[farthest], offset)
            label = '_'
    center = view.flat([turntable.xyz])[0]
    page.body.plot(*center, '+', color=INK, markersize=8.0, zorder=7)
    if abs(beside) > VISIBLE * arm.kinematics.size:
        page.body.add_patch(
            Circle(
                tuple(center),
                abs(beside),
                facecolor='none',
                edgecolor=INK,
                hatch='xxxx',
                linewidth=0.8,
                zorder=4,
                label=f'no turn meets: less than {abs(beside):.3g} m from the axis',
            )
        )
    return f'the plane, turned into the page by {name}', f'seen along the axis of {name}'


def _draw_axis(page: _Page, place: Vector, axis: Vector, label: str) -> None:
    """Draw the axis of a turntable as a line through the view of the plane."""
    far = 10.0 * (page.arm.kinematics.size or 1.0)
    ends = [tuple(p + side * a for p, a in zip(place, axis, strict=True)) for side in (-far, far)]
    (x, y), (to_x, to_y) = page.plane_view.flat([(a, b, c) for a, b, c in ends])
    page.plane.plot(
        [x, to_x], [y, to_y], color=INK, linewidth=0.9, linestyle=(0, (9, 3, 2, 3)), label=label
    )


def _draw_lifted(page: _Page, lift: Lift, points: Points, triangles: Triangles) -> tuple[str, str]:
    """Draw where the lift brings the plane; return the titles of the views."""
    arm, view = page.arm, page.body_view
    name = plain(lift.name)
    flat = _at(arm, view, points, 0.0)
    extents = spans(flat[:, 0], triangles)
    is_limited = math.isfinite(arm.limits[0][0])
    ends = lift_ends(arm)
    heights = [float(_at(arm, view, points[:1], end)[0, 1]) for end in ends]
    corners = [
        np.array([(low, heights[0]), (high, heights[0]), (high, heights[1]), (low, heights[1])])
        for low, high in extents
    ]
    end = '' if is_limited else ', which has no limits'
    draw_region(page.body, corners, f'reached with {name}{end}')
    page.in_body += corners
    if is_limited:
        draw_edges(page.body, [part for corner in corners for part in (corner[:2], corner[2:])])
        for height, words in zip(heights, span(*ends, 'm'), strict=True):
            above = 7.0 if height == max(heights) else -7.0
            note(page.body, f'{words} m', np.array([extents[-1][1], height]), (-7.0, above))
    return 'the plane, seen along its normal', f'the range of {name}, from the side'


def _at(arm: ArmDescription, view: View, points: Points, position: float) -> Points:
    """Return where a view shows points (k, 2) of the plane with turntable or lift at a position."""
    return view.placed(arm.kinematics.carried_plane(position), points)
