"""Markers of the arm, its target and its reachable area: complete, rarely, and for subscribers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.arm.body import swept_body
from ik2d_ros.arm.bounding_ball import skeleton
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.solids import link_width
from ik2d_ros.arm.told import on_wall
from ik2d_ros.kinematics import Arm, Wall
from ik2d_ros.kinematics.plane import Vector, dot
from ik2d_ros.pilot.answer import JudgedPath
from ik2d_ros.pilot.outcome import Code, Level
from ik2d_ros.pilot.report import Report
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode

PERIOD = 0.05  # s, minimum between two messages

Colour = tuple[float, float, float, float]  # red, green, blue, opacity, 0 to 1

AREA_COLOUR: Colour = (0.25, 0.55, 0.9, 0.3)
SWEPT_COLOUR: Colour = (0.25, 0.55, 0.9, 0.12)
ARM_COLOUR: Colour = (0.93, 0.45, 0.13, 1.0)
WALL_COLOUR: Colour = (0.5, 0.5, 0.55, 0.25)
BLOCKING_COLOUR: Colour = (0.9, 0.2, 0.2, 0.5)
JOINT_COLOUR: Colour = (0.22, 0.24, 0.27, 1.0)
WHITE_IN_TEXT = 0.6
"""Share of white in the colour of the status text, to make it legible on the area of reach."""

WORDS_SIZE, WORDS_UP = 2.2, 4.2
"""Height of the status text, and how far it is above a target, in widths of a link: seen from above
in front, it is then also nearer than the arm, which could hide it."""

PITCH = 0.75  # rad, of the camera in the shipped configuration of RViz
TO_VIEWER: Vector = (0.0, -math.cos(PITCH), math.sin(PITCH))
EDGE_ON = 0.01  # part of a normal away from the viewer up to which its side counts as seen

MOST_PATH_POINTS = 200

SQUARE = (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)

Corners = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Snapshot:
    """Everything to draw except the reachable area and body, which follow from the arm.

    Attributes:
        arm: the arm.
        positions: (m,) the commanded pose.
        report: on the last target; None before the first status.
        path: the target's path; None for a point.
    """

    arm: ArmDescription
    positions: tuple[float, ...]
    report: Report | None = None
    path: JudgedPath | None = None


class MarkerPublisher:
    """Publishes markers of the arm on ``~/markers``.

    Only the last message is kept for late joiners, so each one is complete. Without subscribers
    nothing is drawn: the next one gets the last message from the middleware and, if that is
    outdated, a new one at the next check.

    The reachable area takes a while to compute, and so does the body that a turntable or a lift
    makes of it. Threads do that, once for an arm, and the markers wait for them.
    """

    def __init__(self, node: ParameterNode[Any], snapshot: Callable[[], Snapshot]) -> None:
        """Start to check for subscribers; with any, each check takes a snapshot of the content."""
        self._snapshot = snapshot
        self._drawn: Snapshot | None = None
        complain = node.get_logger().error
        self._area: BackgroundArea[Arm, Corners] = BackgroundArea(area_corners, (), complain)
        self._swept: BackgroundArea[Arm, list[Point]] = BackgroundArea(swept_corners, [], complain)
        self._publisher = node.create_publisher(MarkerArray, '~/markers', qos.LATEST_KEPT)
        node.poll_every(PERIOD, self._publish)

    def _publish(self) -> None:
        if not self._publisher.get_subscription_count():
            return
        snapshot = self._snapshot()
        if snapshot == self._drawn:
            return
        arm = snapshot.arm
        area = self._area.of(arm.kinematics)
        swept = [] if arm.carrier is None else self._swept.of(arm.kinematics)
        if area is not None and swept is not None:
            self._publisher.publish(markers(snapshot, area, swept))
            self._drawn = snapshot


def area_corners(arm: Arm) -> Corners:
    """Return the reachable area, three corners (x, y) in m in the plane per triangle.

    This takes up to about a second, because of the joint limits.
    """
    area = reach_area(arm)
    return [(x, y) for x, y in area.points[area.triangles.ravel()].tolist()]


def swept_corners(arm: Arm) -> list[Point]:
    """Return what turntable or lift make reachable, three corners per triangle, in the base frame.

    They are the messages themselves, built once, for there are thousands. It takes as long as
    :func:`area_corners`.
    """
    body = swept_body(arm)
    return _points(body.vertices[body.triangles.ravel()].tolist())


def markers(snapshot: Snapshot, area: Corners, swept: Sequence[Point] = ()) -> MarkerArray:
    """Build all markers, in the base frame; each message replaces the one before.

    Args:
        snapshot: what to draw.
        area: the reachable area of its arm, from :func:`area_corners`; empty to draw none.
        swept: the body of its arm, from :func:`swept_corners`; empty to draw none.
    """
    arm = snapshot.arm
    plane, width = arm.plane_at(snapshot.positions), link_width(arm.chain)
    line = skeleton(arm, snapshot.positions)
    joints = line[-len(arm.chain) - 1 :]
    picture = [
        _marker('area', Marker.TRIANGLE_LIST, (1.0, 1.0, 1.0), AREA_COLOUR),
        _marker('arm', Marker.LINE_STRIP, (0.8 * width, 0.0, 0.0), ARM_COLOUR),
        _marker('joints', Marker.SPHERE_LIST, (width, width, width), JOINT_COLOUR),
        _marker('swept', Marker.TRIANGLE_LIST, (1.0, 1.0, 1.0), SWEPT_COLOUR),
        *_target(snapshot, width),
        _path(snapshot, width),
        _marker('walls', Marker.TRIANGLE_LIST, (1.0, 1.0, 1.0), WALL_COLOUR),
    ]
    # RViz lights the side of a triangle from which its corners run counter-clockwise, and draws the
    # other one nearly black.
    seen = area if dot(plane.axes[2], TO_VIEWER) > -EDGE_ON else reversed(area)
    picture[0].points = _points(plane.point(x, y) for x, y in seen)
    picture[1].points, picture[2].points = _points(line), _points(joints)
    picture[3].points = swept
    if snapshot.report is not None and snapshot.report.code == Code.BLOCKED.name:
        picture[-1].color = _colour(BLOCKING_COLOUR)
    picture[-1].points = _points(corner for wall in arm.walls for corner in _wall(wall, arm))
    for surface in (picture[0], picture[3], picture[-1]):
        if not surface.points:
            surface.action = Marker.DELETE  # RViz rejects an empty triangle list.
    for marker in picture:
        # The stamp stays zero: RViz then uses the latest transform, whatever the clock.
        marker.header.frame_id = arm.base_frame
    return MarkerArray(markers=picture)


def _wall(wall: Wall, arm: ArmDescription) -> list[Vector]:
    """Return a square of a wall next to the arm, as triangles that are seen from both sides."""
    frame, half = on_wall(wall, arm), arm.reach.outer
    a, b, c, d = (frame.point(x * half, y * half) for x, y in SQUARE)
    return [a, b, c, a, c, d, a, c, b, a, d, c]


def _target(snapshot: Snapshot, width: float) -> list[Marker]:
    """Build the target and its status code, or delete both if there is no position."""
    report = snapshot.report
    if report is None or not all(map(math.isfinite, report.target)):
        return [Marker(ns=name, action=Marker.DELETE) for name in ('target', 'status')]
    place = report.target
    *colour, opacity = _opaque(report.level)
    red, green, blue = (part + WHITE_IN_TEXT * (1.0 - part) for part in colour)
    size, letters = 1.5 * width, (0.0, 0.0, WORDS_SIZE * width)
    ball = _marker('target', Marker.SPHERE, (size, size, size), _opaque(report.level))
    words = _marker('status', Marker.TEXT_VIEW_FACING, letters, (red, green, blue, opacity))
    words.text = report.code
    ball.pose.position = _point(place)
    words.pose.position = _point((place[0], place[1], place[2] + WORDS_UP * width))
    return [ball, words]


def _path(snapshot: Snapshot, width: float) -> Marker:
    """Build the path, in one colour up to where it can be followed, or delete it."""
    report, path = snapshot.report, snapshot.path
    if report is None or path is None:
        return Marker(ns='path', action=Marker.DELETE)
    strip = _marker('path', Marker.LINE_STRIP, (0.3 * width, 0.0, 0.0), ARM_COLOUR)
    strides = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
    passed = np.concatenate(([0.0], np.cumsum(strides)))
    chosen = passed[:: -(-len(passed) // MOST_PATH_POINTS)]
    lengths = np.sort(np.concatenate((chosen, [path.end, path.end, path.total])))
    columns = (np.interp(lengths, passed, column).tolist() for column in path.points.T)
    strip.points = _points(zip(*columns, strict=True))
    colours = [_opaque(level) for level in (Level.OK, report.level)]
    end = int(np.searchsorted(lengths, path.end)) + 1
    strip.colors = [_colour(colours[i >= end]) for i in range(len(lengths))]
    return strip


def _marker(name: str, kind: int, scale: Vector, colour: Colour) -> Marker:
    marker = Marker(ns=name, type=kind, action=Marker.ADD)
    marker.pose.orientation.w = 1.0
    marker.scale.x, marker.scale.y, marker.scale.z = scale
    marker.color = _colour(colour)
    return marker


def _opaque(level: Level) -> Colour:
    red, green, blue = level.colour
    return red / 255.0, green / 255.0, blue / 255.0, 1.0


def _colour(colour: Colour) -> ColorRGBA:
    red, green, blue, opacity = colour
    return ColorRGBA(r=red, g=green, b=blue, a=opacity)


def _points(places: Iterable[Sequence[float]]) -> list[Point]:
    return [_point(place) for place in places]


def _point(place: Sequence[float]) -> Point:
    x, y, z = place
    return Point(x=x, y=y, z=z)
