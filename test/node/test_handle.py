"""The handle in RViz: by its protocol over the middleware, and its laws in virtual time."""

from __future__ import annotations

import math
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from flight import Flight
from handle_client import HandleClient
from harness import HAS_ROS, load_configuration, once
from node_client import FAR, HOME, TWO, tip
from sizes import count

from ik2d_ros.kinematics import Status
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.pilot.outcome import Level
from ik2d_ros.pilot.request import Joints, Point, Request

if HAS_ROS:
    from geometry_msgs.msg import Quaternion
    from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerFeedback
    from visualization_msgs.srv import GetInteractiveMarkers

    from ik2d_ros.node.handle import Handle, marker_of

pytestmark = once

ARMS = ('two_bone', 'three_link', 'so101', 'scara_icube', 'px150')
SEQUENCES, POSES = count(2_000, 8), count(2_000, 8)
GRIPPER = {
    'command_joints': ['shoulder', 'elbow', 'gripper'],
    'hold_limits.gripper': [-0.5, 1.5],
    'hold.gripper': 0.0,
    'poses.tucked.elbow': 2.0,
}


def ball(marker: InteractiveMarker) -> tuple[int, ...]:
    """The colour of the ball."""
    (found,) = (
        each
        for control in marker.controls
        for each in control.markers
        if control.name in ('plane', 'space') and each.type == each.SPHERE
    )
    return tuple(round(255 * part) for part in (found.color.r, found.color.g, found.color.b))


def test_dragged_it_leads_the_arm_and_snaps_to_where_that_goes(start: Any) -> None:
    names = '-r', '__ns:=/left'
    prefixed = {'base_frame': 'left/base_link'}
    _, arm = start({**TWO, **GRIPPER, **prefixed}, *names, node='/left/ik2d')
    handle = HandleClient(arm.connect(), 'rviz')
    handle.wait()
    (plane,) = handle.marker.controls
    assert (plane.name, plane.interaction_mode) == ('plane', plane.MOVE_PLANE)

    # From press to release it is the hand's.
    handle.press()
    for step in range(1, 11):
        handle.move(0.3, 0.02 * step, 0.0)
        arm.wait(lambda step=step: float(arm.status.get('target_y', 0)) == 0.02 * step, 'a target')
    handle.release()
    handle.wait_at(0.3, 0.2, 0.0)
    arm.wait(lambda: arm.status['at_goal'] == 'true', 'the arm at the target')

    handle.press()
    handle.move(*FAR)
    handle.release()
    handle.wait_at(0.55, 0.0, 0.0)  # the closest point
    assert ball(handle.wait(lambda marker: ball(marker) == Level.WARN.colour)) == Level.WARN.colour
    arm.ask((0.2, 0.3, 0.0))  # by another one
    handle.wait_at(0.2, 0.3, 0.0)
    assert ball(handle.marker) == Level.OK.colour

    def held(name: str) -> float:
        (status,) = (each for each in arm.statuses[-1].status if 'held' in each.name)
        return float({pair.key: pair.value for pair in status.values}[name])

    for title, goal in (('Open gripper', 1.5), ('Close gripper', -0.5)):
        handle.choose(title)
        arm.wait(lambda goal=goal: held('gripper.goal') == goal, title)
    handle.choose('Pose tucked')
    arm.wait(lambda: math.isclose(arm.pose()[1], 2.0, abs_tol=1e-6), 'the pose')
    handle.choose('[x] Enabled')
    arm.wait_until_told('DISABLED')
    handle.press()
    handle.move(0.3, 0.2, 0.0)
    handle.release()
    arm.wait(lambda: arm.status['target_y'] == '0.2', 'a refusal')
    assert arm.status['code'] == 'DISABLED'
    handle.choose('[ ] Enabled')
    arm.wait_until_told('READY')
    handle.choose('Home')
    handle.wait_at(*tip(HOME))
    handle.choose('Stop')
    arm.wait_until_told('READY')


def test_clients_follow_it_through_lost_messages_and_restarts(start: Any) -> None:
    process, arm = start(TWO)
    first, second = HandleClient(arm.connect(), 'first'), HandleClient(arm, 'second')
    for client in (first, second):
        client.wait()
    first.press()
    first.move(0.3, 0.2, 0.0)
    first.release()
    for client in (first, second):
        client.wait_at(0.3, 0.2, 0.0)

    # A gap in the numbers is noticed with the next update; one who comes late has all at once.
    second.loses = 1
    arm.ask((0.2, 0.3, 0.0))
    arm.wait(lambda: not second.loses, 'a lost update')
    arm.ask((0.2, 0.35, 0.0))
    late = HandleClient(arm, 'late')
    for client in (first, second, late):
        client.wait_at(0.2, 0.35, 0.0)
    assert (first.resets, second.resets) == (0, 1)

    # The node ends in mid-drag, and another one takes its place.
    first.press()
    first.move(0.3, 0.3, 0.0)
    assert process.stop() == 0
    arm.wait(lambda: not any(each.look() for each in (first, second, late)), 'its end')
    start(TWO)
    first.is_dragging = False
    for client in (first, second, late):
        client.wait_at(*tip(HOME))
        assert client.resets

    # RViz ends in mid-drag, and another one of the same name takes its place.
    first.press()
    first.move(0.3, 0.3, 0.0)
    again = HandleClient(arm, 'first')
    again.wait()
    again.press()
    again.move(0.2, 0.3, 0.0)
    again.release()
    again.wait_at(0.2, 0.3, 0.0)


@pytest.mark.parametrize('name', ARMS)
def test_a_hand_leads_the_arm_from_press_to_release(ros_packages: None, name: str) -> None:
    """It presses, moves, rests, releases and vanishes at random, while others ask, too."""
    configuration = load_configuration(find_config(name))
    kinds, arm = InteractiveMarkerFeedback, configuration.arm
    for sequence in range(SEQUENCES):
        rng, numbers = Random(sequence), np.random.default_rng(sequence)
        flight, node, asked = Flight(configuration), Mock(), list[Request]()
        Handle(node, flight.pilot, asked.append)
        hear = node.create_subscription.call_args.args[2]
        is_dragged, expected = False, list[Any]()
        for _ in range(30):
            flight.pass_time(rng.choice([0.02, 0.1]))
            pose = arm.kinematics.draw_poses(numbers, np.array(arm.home), math.inf)[0]
            place = arm.kinematics.tip(tuple(pose.tolist()))
            if rng.random() < 0.2:
                flight.ask(Joints((arm.names[0],), (arm.home[0],)))
                continue
            kind = rng.choice([kinds.MOUSE_DOWN, *[kinds.POSE_UPDATE] * 2, kinds.MOUSE_UP])
            message = kinds(event_type=kind, marker_name='tip', control_name='plane')
            at = message.pose.position
            at.x, at.y, at.z = place
            hear(message)
            if is_dragged and kind == kinds.POSE_UPDATE:
                expected.append(Point(place))
                flight.ask(asked[-1])
            elif kind != kinds.POSE_UPDATE:
                is_dragged = kind == kinds.MOUSE_DOWN
        assert asked == expected
        # Let go, the handle is at the tip of where the arm comes to rest.
        hear(kinds(event_type=kinds.MOUSE_UP, marker_name='tip'))
        flight.land()
        response = node.create_service.call_args.args[2](None, GetInteractiveMarkers.Response())
        at = response.markers[0].pose.position
        tip = arm.kinematics.tip(flight.pilot.supervisor.planning_start)
        assert (at.x, at.y, at.z) == pytest.approx(tip, abs=1e-9)


@pytest.mark.parametrize('name', ARMS)
def test_its_rotation_is_that_of_the_tip_and_its_controls_lie_in_the_plane(
    ros_packages: None, name: str
) -> None:
    configuration = load_configuration(find_config(name))
    arm, rng = configuration.arm, np.random.default_rng(7)
    home = np.array(arm.home)
    poses = [arm.kinematics.draw_poses(rng, home, math.inf)[0] for _ in range(POSES)]
    for q in (tuple(pose.tolist()) for pose in poses):
        marker = marker_of(configuration, q, Level.OK, False)
        place = arm.kinematics.tip(q)
        controls = {control.name: control for control in marker.controls}
        assert ('turn' in controls) == (len(arm.chain) > 2)
        assert ('roll' in controls) == (arm.roll is not None)
        assert ('space' in controls) == (arm.carrier is not None)
        normal = np.array(arm.plane_at(q).axes[2])
        for control in controls.values():
            axis = axes_of(marker.pose.orientation) @ axes_of(control.orientation)[:, 0]
            if control.name in ('plane', 'turn'):
                np.testing.assert_allclose(np.abs(axis @ normal), 1.0, atol=1e-9)
        if 'turn' in controls and arm.kinematics.is_clear(q):
            # As a target, it asks for the pose where the arm is.
            x, y, _ = map(tuple, axes_of(marker.pose.orientation).T.tolist())
            orientation = Orientation.of_tip(arm.kinematics, x, y)
            found = configuration.settings.solve(arm, place, q, orientation)
            assert found.status is Status.REACHED
            np.testing.assert_allclose(found.q, q, atol=2e-3)


def axes_of(turn: Quaternion) -> np.ndarray:
    axes = Plane.from_quaternion((0.0, 0.0, 0.0), (turn.x, turn.y, turn.z, turn.w)).axes
    return np.array(axes).T
