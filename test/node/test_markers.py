"""Markers for RViz, of a running node."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from harness import HAS_ROS, load_configuration, once
from node_client import TWO, Client

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.pilot.outcome import Code, Level, Report

if HAS_ROS:
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from visualization_msgs.msg import Marker, MarkerArray

    from ik2d_ros.node.markers import Snapshot, area_of, markers

    # But for its depth of 1: a busy machine may still unpack one picture when the next one comes.
    AS_RVIZ_DOES = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


pytestmark = once


def named(drawn: Iterable[Marker]) -> dict[str, Marker]:
    """Markers by their name, with a number if it is not the first."""
    return {f'{marker.ns}{marker.id or ""}': marker for marker in drawn}


def places(marker: Marker) -> np.ndarray:
    """(k, 3) points of a marker in the base frame."""
    at, turn = marker.pose.position, marker.pose.orientation
    frame = Plane.from_quaternion((at.x, at.y, at.z), (turn.x, turn.y, turn.z, turn.w))
    return np.array([frame.point(point.x, point.y, point.z) for point in marker.points])


class Looker:
    """Subscribes as RViz does, and draws what the messages say."""

    def __init__(self, arm: Client) -> None:
        self.arm = arm
        self.scene: dict[tuple[str, int], Marker] = {}
        self.sent: list[set[str]] = []
        arm.node.create_subscription(MarkerArray, '/ik2d/markers', self._draw, AS_RVIZ_DOES)

    def _draw(self, picture: MarkerArray) -> None:
        for marker in picture.markers:
            if marker.action == Marker.DELETEALL:
                self.scene.clear()
            elif marker.action == Marker.DELETE:
                self.scene.pop((marker.ns, marker.id), None)
            else:
                self.scene[marker.ns, marker.id] = marker
        self.sent.append({marker.ns for marker in picture.markers})

    def wait_for(self, predicate: Callable[[dict[str, Marker]], Any]) -> dict[str, Marker]:
        """What is drawn once a predicate holds for it."""
        self.arm.wait(lambda: predicate(named(self.scene.values())), 'such a picture')
        return named(self.scene.values())


def farthest(drawn: dict[str, Marker], base: tuple[float, ...] = (0.0, 0.0, 0.0)) -> float:
    return float(np.linalg.norm(places(drawn['area']) - base, axis=1).max())


def test_all_markers_are_those_of_the_present_arm(start: Any) -> None:
    _, arm = start({**TWO, 'plane_tolerance': 0.01})
    arm.connect()
    looker = Looker(arm)
    for point, code in (
        ((0.3, 0.2, 0.0), Code.REACHED),
        ((0.9, 0.0, 0.0), Code.TOO_FAR),
        ((0.3, 0.2, 0.5), Code.OUT_OF_PLANE),
    ):
        arm.ask(point)
        drawn = looker.wait_for(
            lambda drawn, code=code: (
                'area' in drawn and 'status' in drawn and drawn['status'].text == code.name
            )
        )
        assert set(drawn) == {'area', 'arm', 'joints', 'target', 'status'}
        place = drawn['target'].pose.position
        assert (place.x, place.y, place.z) == pytest.approx(point)
        if code is Code.REACHED:
            np.testing.assert_allclose(places(drawn['arm'])[-1], point, atol=1e-5)

    arm.send_path([(0.2, 0.1, 0.0), (0.4, 0.1, 0.0), (1.0, 0.1, 0.0)])
    strip = looker.wait_for(lambda drawn: 'path' in drawn)['path']
    assert [point.x for point in strip.points] == pytest.approx([0.2, 0.4, 1.0, 1.0])
    level = [255 * part for part in (strip.color.r, strip.color.g, strip.color.b)]
    assert level == pytest.approx(Level.WARN.colour)

    # Without a place there is no target, and a changed arm is drawn anew.
    arm.ask((math.nan, 0.0, 0.0))
    before = looker.wait_for(lambda drawn: 'target' not in drawn)
    assert farthest(before) == pytest.approx(0.55, rel=0.01)
    base = (1.0, 2.0, 3.0)
    assert arm.set({'chain.elbow.length': 0.5, 'base.xyz': base}).successful
    moved = looker.wait_for(lambda drawn: places(drawn['arm'])[0].any() and 'area' in drawn)
    np.testing.assert_allclose(places(moved['arm'])[0], base)
    assert farthest(moved, base) == pytest.approx(0.8, rel=0.01)
    # An area that does not move is sent once, and to each who comes.
    assert len([names for names in looker.sent if 'area' in names]) <= 2
    Looker(arm).wait_for(lambda drawn: 'area' in drawn)


def drawn(
    parameters: Mapping[str, object],
    code: Code = Code.REACHED,
    target: tuple[float, float, float] = (0.3, 0.2, 0.0),
    wall: str = '',
) -> dict[str, Marker]:
    """The markers of an arm at home, by name, with a report of a code."""
    arm = arm_from_parameters(parameters)
    report = Report.of(code, '', target=target, wall=wall)
    picture = markers(Snapshot(arm, arm.home, report), area_of(arm.kinematics)).markers
    return named(marker for marker in picture if marker.action == Marker.ADD)


@pytest.mark.parametrize('far', [math.nan, math.inf, 1e308, 5e-324])
def test_nothing_is_drawn_that_is_not_finite(ros_packages: None, far: float) -> None:
    for marker in drawn(TWO, target=(0.3, far, 0.0)).values():
        place, scale = marker.pose.position, marker.scale
        rows = [(p.x, p.y, p.z) for p in (place, scale, *marker.points)]
        assert np.isfinite(rows).all(), marker.ns


def test_the_tip_lies_in_the_area_and_the_status_above_the_arm_at_any_pose(
    ros_packages: None,
) -> None:
    arm = load_configuration(find_config('so101')).arm
    found, rng = area_of(arm.at_home_roll), np.random.default_rng(3)
    for q in arm.kinematics.draw_poses(rng, np.array(arm.home), math.inf)[:20]:
        tip = tuple(arm.kinematics.forward(q).tolist())
        snapshot = Snapshot(arm, tuple(q.tolist()), Report.of(Code.REACHED, '', target=tip))
        picture = named(markers(snapshot, found).markers)
        area, status = places(picture['area']), picture['status']
        normal = np.cross(*np.diff(area[:3], axis=0))
        assert abs((tip - area[0]) @ normal) < 1e-9 * np.linalg.norm(normal)
        assert status.pose.position.z - status.scale.z / 2 > places(picture['arm'])[:, 2].max()


def test_the_wall_that_blocks_lights_up_and_no_other(ros_packages: None) -> None:
    names = ('table', 'back')
    sides = {'table': [0.0, -0.1, 0.0], 'back': [-0.1, 0.0, 0.0]}
    walls = {f'walls.{name}.point': side for name, side in sides.items()}
    walls |= {f'walls.{name}.normal': [-10.0 * part for part in sides[name]] for name in names}
    for blocking in ('', *names):
        picture = drawn({**TWO, **walls}, Code.BLOCKED, wall=blocking)
        for name, marker in zip(names, (picture['walls'], picture['walls1']), strict=True):
            axis = sides[name].index(-0.1)
            np.testing.assert_allclose(places(marker)[:, axis], -0.1)
            redness = [colour.r - colour.b for colour in marker.colors]
            assert len(redness) == 2
            assert (min(redness) > 0.5) == (name == blocking)
