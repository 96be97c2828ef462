"""Markers of the arm, its target, walls and reachable area: rarely, and for subscribers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ik2d_ros.arm.coordinates import on_wall
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.area import BackgroundArea, reach_area
from ik2d_ros.drawing.extent import skeleton
from ik2d_ros.drawing.solids import link_width
from ik2d_ros.kinematics import Arm
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.motion.state import Positions
from ik2d_ros.pilot.answer import Solved, SolvedPath
from ik2d_ros.pilot.outcome import Level, Report
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode

PERIOD = 0.05  # s, minimum between two messages
AREA_CELLS = 60  # of its grid: thousands of corners take milliseconds to send

Colour = tuple[float, float, float, float]  # red, green, blue, opacity, 0 to 1

AREA_COLOUR: Colour = (0.25, 0.55, 0.9, 0.3)
ARM_COLOUR: Colour = (0.93, 0.45, 0.13, 1.0)
WALL_COLOUR: Colour = (0.62, 0.62, 0.66, 0.25)
BLOCKING_COLOUR: Colour = (0.95, 0.25, 0.2, 0.45)
JOINT_COLOUR: Colour = (0.22, 0.24, 0.27, 1.0)
WHITE_IN_TEXT = 0.6
"""Share of white in the colour of the status text, to make it legible on the area of reach."""

TEXT_HEIGHT, TEXT_ABOVE = 2.2, 6.5
"""Height of the status text, and how far it is above a target, in widths of a link. It is also
higher than the arm, which so cannot hide it from a camera above."""

MOST_PATH_POINTS = 200

SQUARE = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])[[0, 1, 2, 0, 2, 3]]


class Snapshot(NamedTuple):
    """Everything to draw except the reachable area, which follows from the arm."""

    arm: ArmDescription
    positions: Positions  # that are commanded
    report: Report | None = None  # on the last target
    path: SolvedPath | None = None  # of that target


class MarkerPublisher:
    """Publishes markers of the arm on ``~/markers``, if they have changed and anybody subscribes.

    Thousands of corners take longer to send than a tick. So the reachable area is sent when the arm
    or the number of subscribers changes, and where a turntable or a lift carries it, with that. It
    takes a while to compute: a thread does that, once for an arm, and the markers wait for it.
    """

    def __init__(self, node: ParameterNode[Any], pilot: Pilot) -> None:
        """Start to check for subscribers."""
        self._pilot = pilot
        self._drawn: Snapshot | None = None
        self._count = 0
        empty = Marker(action=Marker.DELETE)
        self._area = BackgroundArea[Arm, Marker](area_of, empty, node.get_logger().error)
        self._publisher = node.create_publisher(MarkerArray, '~/markers', qos.LATEST_KEPT)
        node.poll_every(PERIOD, self._publish)

    def _publish(self) -> None:
        count, before = self._publisher.get_subscription_count(), self._drawn
        if not count:
            self._drawn = None
            return
        pilot, arm = self._pilot, self._pilot.configuration.arm
        report = pilot.last.report if pilot.last else None
        path = pilot.answer.path if isinstance(pilot.answer, Solved) else None
        snapshot = Snapshot(arm, pilot.supervisor.planning_start, report, path)
        newest = self._area.newest(arm.at_home_roll)
        is_new = before is None or before.arm != arm or count != self._count
        if newest is None or newest[0] != arm.at_home_roll or (snapshot == before and not is_new):
            return
        self._drawn, self._count = snapshot, count
        self._publisher.publish(markers(snapshot, newest[1], is_new))


def area_of(arm: Arm) -> Marker:
    """Compute the reachable area, in coordinates of the plane: it takes up to about a second."""
    area = reach_area(arm, AREA_CELLS)
    corners = np.insert(area.points, 2, 0.0, axis=1)[area.triangles]
    return _surface('area', corners, AREA_COLOUR)


def markers(snapshot: Snapshot, area: Marker, is_new: bool = True) -> MarkerArray:
    """Build the markers, in the base frame; those of a new arm replace all that came before."""
    arm = snapshot.arm
    width = link_width(arm.chain)
    line = skeleton(arm, snapshot.positions)
    strip = _marker('arm', Marker.LINE_STRIP, (0.8 * width, 0.0, 0.0), ARM_COLOUR)
    joints = _marker('joints', Marker.SPHERE_LIST, (width, width, width), JOINT_COLOUR)
    strip.points, joints.points = _points(line), _points(line[-len(arm.chain) - 1 :])
    picture = [strip, joints, *_target(snapshot, line, width), _path(snapshot, width)]
    picture += _walls(snapshot)
    # RViz sorts what is translucent by the origins of the markers.
    if is_new or arm.carrier is not None:
        picture.append(_placed(area, arm.tip_plane_at(snapshot.positions)))
    if is_new:
        picture = [Marker(action=Marker.DELETEALL), *picture]
    for marker in picture:
        # The stamp stays zero: RViz then uses the latest transform, whatever the clock.
        marker.header.frame_id = arm.base_frame
    return MarkerArray(markers=picture)


def _walls(snapshot: Snapshot) -> list[Marker]:
    """Build a square of each wall, next to the arm."""
    arm, report = snapshot.arm, snapshot.report
    picture = []
    for i, wall in enumerate(arm.walls):
        is_lit = report is not None and report.wall == wall.name
        colour = BLOCKING_COLOUR if is_lit else WALL_COLOUR
        square = _surface('walls', SQUARE * arm.reach.outer, colour)
        square.id = i
        picture.append(_placed(square, on_wall(wall, arm)))
    return picture


def _target(snapshot: Snapshot, line: Sequence[Vector], width: float) -> list[Marker]:
    """Build the target and, above the arm's ``line``, its status code; delete both without one."""
    report = snapshot.report
    if report is None or not all(map(math.isfinite, report.target)):
        return [Marker(ns=name, action=Marker.DELETE) for name in ('target', 'status')]
    place = report.target
    colour = rgb(report.level)
    light = [part + WHITE_IN_TEXT * (1.0 - part) for part in colour]
    size, letters = 1.5 * width, (0.0, 0.0, TEXT_HEIGHT * width)
    ball = _marker('target', Marker.SPHERE, (size, size, size), colour)
    words = _marker('status', Marker.TEXT_VIEW_FACING, letters, light)
    words.text = report.code
    ball.pose.position = _point(place)
    top = max(place[2] + TEXT_ABOVE * width, max(z for _, _, z in line) + TEXT_HEIGHT * width)
    words.pose.position = _point((place[0], place[1], top))
    return [ball, words]


def _path(snapshot: Snapshot, width: float) -> Marker:
    """Build the path, or delete it."""
    report, path = snapshot.report, snapshot.path
    if report is None or path is None:
        return Marker(ns='path', action=Marker.DELETE)
    strip = _marker('path', Marker.LINE_STRIP, (0.3 * width, 0.0, 0.0), rgb(report.level))
    points = path.points.tolist()
    strip.points = _points([*points[:: -(-len(points) // MOST_PATH_POINTS)], points[-1]])
    return strip


def _surface(name: str, corners: NDArray[np.float64], colour: Colour) -> Marker:
    """Build a surface of triangles, (..., 3) corners in m; delete it if there are none.

    Each triangle has its colour: RViz does not light it then, so that both sides look the same.
    """
    marker = _marker(name, Marker.TRIANGLE_LIST, (1.0, 1.0, 1.0), colour)
    marker.points = _points(corners.reshape(-1, 3).tolist())
    marker.colors = [colour_message(colour[:3])] * (len(marker.points) // 3)
    if not marker.points:
        marker.action = Marker.DELETE  # RViz rejects an empty triangle list.
    return marker


def _placed(marker: Marker, frame: Plane) -> Marker:
    """Place a marker whose points are in coordinates of a frame."""
    marker.pose.position, turn = _point(frame.origin), marker.pose.orientation
    turn.x, turn.y, turn.z, turn.w = frame.quaternion()
    return marker


def _marker(name: str, kind: int, scale: Vector, colour: Sequence[float]) -> Marker:
    marker = Marker(ns=name, type=kind, action=Marker.ADD)
    marker.pose.orientation.w = 1.0
    marker.scale.x, marker.scale.y, marker.scale.z = scale
    marker.color = colour_message(colour)
    return marker


def rgb(level: Level) -> tuple[float, float, float]:
    """Return the colour of a status level: red, green, blue, 0 to 1."""
    red, green, blue = level.colour
    return red / 255.0, green / 255.0, blue / 255.0


def colour_message(colour: Sequence[float]) -> ColorRGBA:
    """Return a colour, (3,) or with its opacity (4,), as a message."""
    return ColorRGBA(**dict(zip('rgba', (*colour, 1.0), strict=False)))


def _points(places: Iterable[Sequence[float]]) -> list[Point]:
    return [_point(place) for place in places]


def _point(place: Sequence[float]) -> Point:
    x, y, z = place
    return Point(x=x, y=y, z=z)
