"""The handle in RViz: an interactive marker at the tip, by which the arm is dragged."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from time import monotonic, time_ns
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Quaternion
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerControl,
    InteractiveMarkerFeedback,
    InteractiveMarkerPose,
    InteractiveMarkerUpdate,
    Marker,
    MenuEntry,
)
from visualization_msgs.srv import GetInteractiveMarkers

from ik2d_ros.arm.description import ArmDescription, is_gripper
from ik2d_ros.drawing.solids import link_width
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.kinematics.plane import Quaternion as Rotation
from ik2d_ros.kinematics.plane import product
from ik2d_ros.motion.state import Positions
from ik2d_ros.node.incoming import place_of, rotation_of
from ik2d_ros.node.markers import colour_message, rgb
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.answer import Going
from ik2d_ros.pilot.outcome import Level
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.request import Reply, Request
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode

NAME = 'tip'
PERIOD = 0.05  # s, minimum between two updates
LONGEST_PAUSE = 5.0
"""s without feedback, which a hand that rests does not send, after which the handle is renewed."""

SIZE = 0.3  # of the marker, in reaches: rings have half of it as their radius
BEADS = 48  # of a ring
RINGS = {'turn': (0.2, 0.4, 1.0, 1.0), 'roll': (0.9, 0.2, 0.2, 1.0)}
"""The controls that turn the tip, and their colours."""

AXES: dict[str, Rotation] = {
    'x': (0.0, 0.0, 0.0, 1.0),
    'y': (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)),
    'z': (0.0, -math.sqrt(0.5), 0.0, math.sqrt(0.5)),
}
"""Rotations that turn the x-axis, along or about which a control moves, onto an axis."""


class Handle:
    """Offers the handle, and turns what is done with it into requests.

    It speaks the protocol of the package interactive_markers, in messages alone. A client, such as
    RViz, subscribes to updates, asks the service for the marker, and from then on applies updates
    as long as their numbers follow one another; else it begins anew. Clients of ROS 2 expect no
    keep-alives.
    """

    def __init__(
        self, node: ParameterNode[Any], pilot: Pilot, ask: Callable[[Request], Reply]
    ) -> None:
        """Offer it below ``~/handle``; ``ask`` takes requests."""
        self._pilot, self._ask = pilot, ask
        self._is_dragged, self._heard_at = False, -math.inf  # from press to release; in s
        self._shown: tuple[Any, ...] = ()
        self._marker: InteractiveMarker | None = None  # the one that was sent last
        self._number = time_ns()  # a restarted node begins elsewhere, so that clients notice
        self._updates = node.create_publisher(InteractiveMarkerUpdate, '~/handle/update', qos.ALL)
        node.create_subscription(
            InteractiveMarkerFeedback, '~/handle/feedback', self._hear, qos.EACH
        )
        name = '~/handle/get_interactive_markers'
        node.create_service(GetInteractiveMarkers, name, self._answer)
        node.poll_every(PERIOD, self._look)

    def _look(self) -> None:
        if self._updates.get_subscription_count():
            self._refresh()

    def _answer(
        self, _: GetInteractiveMarkers.Request, response: GetInteractiveMarkers.Response
    ) -> GetInteractiveMarkers.Response:
        self._refresh()
        response.sequence_number = self._number
        response.markers = [] if self._marker is None else [self._marker]
        return response

    def _refresh(self) -> None:
        """Show where the arm goes, or else is, if that is news, unless the handle is dragged."""
        if self._is_dragged and monotonic() - self._heard_at <= LONGEST_PAUSE:
            return
        pilot, answer = self._pilot, self._pilot.answer
        positions = pilot.supervisor.planning_start
        if (
            isinstance(answer, Going)
            and answer.aim is not None
            and not pilot.supervisor.is_off_goal
        ):
            positions = answer.positions
        level = pilot.last.report.level if pilot.last else Level.OK
        shown = pilot.configuration, positions, level, pilot.is_disabled
        if shown == self._shown:
            return
        before, marker = self._marker, marker_of(*shown)
        self._shown, self._marker = shown, marker
        self._number += 1
        update = InteractiveMarkerUpdate(seq_num=self._number, type=InteractiveMarkerUpdate.UPDATE)
        if before is not None and _without_pose(before) == _without_pose(marker):
            # That alone spares clients work.
            pose = InteractiveMarkerPose(header=marker.header, pose=marker.pose, name=marker.name)
            update.poses.append(pose)
        else:
            update.markers.append(marker)
        self._updates.publish(update)

    def _hear(self, message: InteractiveMarkerFeedback) -> None:
        if message.marker_name != NAME:
            return
        self._shown, self._heard_at = (), monotonic()  # clients have moved the handle
        kind = message.event_type
        if kind in (message.MOUSE_DOWN, message.MOUSE_UP):
            self._is_dragged = kind == message.MOUSE_DOWN
        elif kind == message.MENU_SELECT:
            entries = menu_of(self._pilot.configuration, self._pilot.is_disabled)
            if request := dict(enumerate(entries.values(), 1)).get(message.menu_entry_id):
                self._ask(request)
        elif kind == message.POSE_UPDATE and self._is_dragged:
            place, frame = place_of(message.pose.position), message.header.frame_id
            if message.control_name in RINGS:
                turn = rotation_of(message.pose.orientation)
                self._ask(requests.Pose(place, turn, frame_id=frame))
            else:
                self._ask(requests.Point(place, frame_id=frame))


def _without_pose(marker: InteractiveMarker) -> tuple[Any, ...]:
    names = marker.get_fields_and_field_types()
    return tuple(getattr(marker, name) for name in names if name != 'pose')


def menu_of(configuration: Configuration, is_disabled: bool) -> dict[str, Request]:
    """Return the entries of the menu, and the request of each."""
    entries: dict[str, Request] = {'Home': requests.Home()}
    entries |= {f'Pose {name}': requests.NamedPose(name) for name in configuration.poses}
    for joint, (lower, upper) in configuration.control.hold_limits.items():
        if is_gripper(joint) and joint in configuration.control.holds:
            entries[f'Open {joint}'] = requests.Joints((joint,), (upper,))
            entries[f'Close {joint}'] = requests.Joints((joint,), (lower,))
    box = '[ ]' if is_disabled else '[x]'
    return entries | {'Stop': requests.Stop(), f'{box} Enabled': requests.Enable(is_disabled)}


def marker_of(
    configuration: Configuration, positions: Positions, level: Level, is_disabled: bool
) -> InteractiveMarker:
    """Build the marker, in the base frame.

    Its stamp stays zero: clients then use the latest transform, and give their feedback in the
    same frame.

    Args:
        configuration: the arm, and its poses and grippers for the menu.
        positions: (m,) the pose at whose tip it is.
        level: its colour.
        is_disabled: whether the arm is.
    """
    arm = configuration.arm
    size = SIZE * arm.reach.outer
    marker = InteractiveMarker(name=NAME, scale=size)
    marker.header.frame_id = arm.base_frame
    x, y, z = arm.kinematics.tip(positions)
    marker.pose.position = Point(x=x, y=y, z=z)
    angle = float(arm.kinematics.tip_angles(np.array(positions)))
    roll = positions[-1] if arm.roll is not None else 0.0
    marker.pose.orientation = _message(arm.tip_rotation(arm.plane_at(positions), angle, roll))
    marker.controls = _controls(arm, arm.roll_rotation(-roll), level, size)
    for i, title in enumerate(menu_of(configuration, is_disabled), 1):
        marker.menu_entries.append(MenuEntry(id=i, title=title, command_type=MenuEntry.FEEDBACK))
    return marker


def _controls(
    arm: ArmDescription, in_plane: Rotation, level: Level, size: float
) -> list[InteractiveMarkerControl]:
    """Build the controls: a ball, a disc in the plane, arrows, and rings; sizes are in m.

    ``in_plane`` is the rotation from the axes of the tip to those with a roll of 0.
    """
    kinds, can_turn = InteractiveMarkerControl, not angle_refusal(arm.chain)
    normal = product(in_plane, AXES['z'])
    colour = rgb(level)
    ball = Marker(type=Marker.SPHERE, color=colour_message(colour))
    width = 2.0 * link_width(arm.chain)
    ball.scale.x = ball.scale.y = ball.scale.z = width
    disc = Marker(type=Marker.CYLINDER, color=colour_message((*colour, 0.4)))
    disc.pose.orientation = _message(in_plane)
    disc.scale.x, disc.scale.y, disc.scale.z = 0.7 * size, 0.7 * size, 0.1 * width
    if arm.carrier is None:
        controls = [_control('plane', kinds.MOVE_PLANE, normal, disc, ball)]
    else:
        controls = [_control('plane', kinds.MOVE_PLANE, normal, disc)]
        controls.append(_control('space', kinds.MOVE_3D, AXES['x'], ball))
        for name, axis in AXES.items():
            arrow = _control(name, kinds.MOVE_AXIS, axis)
            arrow.orientation_mode = kinds.FIXED
            controls.append(arrow)
    if can_turn:
        ring = _ring('turn', 0.5 * size, 0.4 * width, normal)
        controls.append(_control('turn', kinds.ROTATE_AXIS, normal, ring))
    if can_turn and arm.roll is not None:
        half = 0.5 * math.atan2(arm.roll.axis[1], arm.roll.axis[0])
        axis = 0.0, 0.0, math.sin(half), math.cos(half)
        ring = _ring('roll', 0.5 * size, 0.4 * width, axis)
        controls.append(_control('roll', kinds.ROTATE_AXIS, axis, ring))
    return controls


@lru_cache  # messages are slow to make, and a moving arm shows many markers
def _ring(name: str, radius: float, width: float, axis: Rotation) -> Marker:
    """Build a ring of beads: a flat one would lie in the area of reach, which takes the mouse."""
    ring = Marker(type=Marker.SPHERE_LIST, color=colour_message(RINGS[name]))
    ring.pose.orientation = _message(axis)
    ring.scale.x = ring.scale.y = ring.scale.z = width
    angles = (math.tau * i / BEADS for i in range(BEADS))
    ring.points = [Point(y=radius * math.cos(a), z=radius * math.sin(a)) for a in angles]
    return ring


def _control(name: str, mode: int, axis: Rotation, *markers: Marker) -> InteractiveMarkerControl:
    turn = _message(axis)
    return InteractiveMarkerControl(
        name=name, interaction_mode=mode, orientation=turn, markers=[*markers]
    )


def _message(rotation: Rotation) -> Quaternion:
    x, y, z, w = rotation
    return Quaternion(x=x, y=y, z=z, w=w)
