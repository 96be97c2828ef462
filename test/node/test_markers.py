"""Markers for RViz, of a running node."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from harness import HAS_ROS, once
from node_client import TWO, Client

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.pilot.outcome import Code, Level
from ik2d_ros.pilot.report import Report

if HAS_ROS:
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from visualization_msgs.msg import Marker, MarkerArray

    from ik2d_ros.node.markers import Snapshot, area_corners, markers, swept_corners

    AS_RVIZ_DOES = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


pytestmark = once


def seen(picture: MarkerArray) -> dict[str, Marker]:
    """The markers to be drawn by their name; there is one of each."""
    drawn = [marker for marker in picture.markers if marker.action == Marker.ADD]
    result = {marker.ns: marker for marker in drawn}
    assert len(result) == len(drawn)
    return result


def places(marker: Marker) -> np.ndarray:
    """(k, 3) points of a marker, which must have no pose of its own."""
    assert (marker.pose.position, marker.pose.orientation.w) == (type(marker.pose.position)(), 1.0)
    return np.array([(point.x, point.y, point.z) for point in marker.points])


class Looker:
    """Subscribes as RViz does, and keeps the messages."""

    def __init__(self, arm: Client) -> None:
        self.arm = arm
        self.pictures: list[MarkerArray] = []
        arm.node.create_subscription(
            MarkerArray, '/ik2d/markers', self.pictures.append, AS_RVIZ_DOES
        )

    def wait_for(self, predicate: Callable[[dict[str, Marker]], Any]) -> dict[str, Marker]:
        """The first picture from now on, or the latest, for which the predicate holds."""
        del self.pictures[:-1]
        self.arm.wait(lambda: any(predicate(seen(p)) for p in self.pictures), 'such a picture')
        return next(seen(p) for p in self.pictures if predicate(seen(p)))


def has_code(code: Code) -> Callable[[dict[str, Marker]], bool]:
    return lambda drawn: 'status' in drawn and drawn['status'].text == code.name


def farthest(drawn: dict[str, Marker], base: tuple[float, ...] = (0.0, 0.0, 0.0)) -> float:
    return float(np.linalg.norm(places(drawn['area']) - base, axis=1).max())


def test_each_message_has_all_markers_of_the_present_arm(start: Any) -> None:
    _, arm = start({**TWO, 'plane_tolerance': 0.01})
    arm.connect()
    looker = Looker(arm)
    for point, code in (
        ((0.3, 0.2, 0.0), Code.REACHED),
        ((0.9, 0.0, 0.0), Code.TOO_FAR),
        ((0.3, 0.2, 0.5), Code.OUT_OF_PLANE),
    ):
        arm.ask(point)
        drawn = looker.wait_for(has_code(code))
        assert set(drawn) == {'area', 'arm', 'joints', 'target', 'status'}
        place = drawn['target'].pose.position
        assert (place.x, place.y, place.z) == pytest.approx(point)
        if code is Code.REACHED:
            np.testing.assert_allclose(places(drawn['arm'])[-1], point, atol=1e-5)

    # A path changes its colour where it can be followed no further.
    arm.send_path([(0.2, 0.1, 0.0), (0.4, 0.1, 0.0), (1.0, 0.1, 0.0)])
    strip = looker.wait_for(lambda drawn: 'path' in drawn)['path']
    xs = [point.x for point in strip.points]
    assert (xs[0], xs[-1]) == pytest.approx((0.2, 1.0))
    end = math.sqrt(0.55**2 - 0.1**2)
    for x, shown in zip(xs, strip.colors, strict=True):
        colour = (Level.OK if x < end else Level.WARN).colour
        if abs(x - end) > 2e-3:
            assert (255 * shown.r, 255 * shown.g, 255 * shown.b) == pytest.approx(colour)

    # Without a place there is no target, and a changed arm is drawn anew.
    arm.ask((math.nan, 0.0, 0.0))
    before = looker.wait_for(lambda drawn: 'target' not in drawn)
    assert farthest(before) == pytest.approx(0.55, rel=0.01)
    base = (1.0, 2.0, 3.0)
    assert arm.set({'chain.elbow.length': 0.5, 'base.xyz': base}).successful
    moved = looker.wait_for(lambda drawn: places(drawn['arm'])[0].any() and 'area' in drawn)
    np.testing.assert_allclose(places(moved['arm'])[0], base)
    assert farthest(moved, base) == pytest.approx(0.8, rel=0.01)


def drawn(
    parameters: Mapping[str, object],
    code: Code = Code.REACHED,
    target: tuple[float, float, float] = (0.3, 0.2, 0.0),
) -> dict[str, Marker]:
    """The markers of an arm at home, by name, with a report of a code."""
    arm = arm_from_parameters(parameters)
    report = Report.of(code, '', target=target)
    area, swept = area_corners(arm.kinematics), swept_corners(arm.kinematics)
    return seen(markers(Snapshot(arm, arm.home, report), area, swept))


@pytest.mark.parametrize('far', [math.nan, math.inf, 1e308, 5e-324])
def test_nothing_is_drawn_that_is_not_finite(ros_packages: None, far: float) -> None:
    for marker in drawn(TWO, target=(0.3, far, 0.0)).values():
        place, scale = marker.pose.position, marker.scale
        rows = [(p.x, p.y, p.z) for p in (place, scale, *marker.points)]
        assert np.isfinite(rows).all(), marker.ns


def test_the_swept_body_of_a_turntable_is_drawn(ros_packages: None) -> None:
    joint = {'joints': ['elbow'], 'chain.elbow.length': 0.3, 'turntable.joint': 'waist'}
    swept = places(drawn({**joint, 'base.rpy': [0.5 * math.pi, 0.0, 0.0]})['swept'])
    assert np.linalg.norm(swept, axis=1).max() == pytest.approx(0.3, rel=0.05)
    assert np.ptp(swept, axis=0).min() > 0.5


def test_walls_are_drawn_and_light_up_when_one_blocks(ros_packages: None) -> None:
    table = {'walls.table.point': [0.0, -0.1, 0.0], 'walls.table.normal': [0.0, 1.0, 0.0]}
    calm, red = (drawn({**TWO, **table}, code)['walls'] for code in (Code.REACHED, Code.BLOCKED))
    np.testing.assert_allclose(places(calm)[:, 1], -0.1)
    assert red.color.r > calm.color.r
