"""The drawing of an arm, without a browser: its hand is where the kinematics has it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from space import random_pose, tip

from ik2d_ros.drawing.kinds import link_width
from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.figure import FINGER, FINGER_RADIUS

HANDS = ('telescope', 'mearm', 'so101')  # with a slide, a tool, a roll


def frame_of(page, name):
    """The frame of a node as the browser composes it of those that it is on."""
    names = name.split('/')[1:]
    found = Plane.from_pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for count in range(1, len(names) + 1):
        node = page.nodes['/' + '/'.join(names[:count])]
        w, x, y, z = node['wxyz']
        own = Plane.from_quaternion(tuple(node['position']), (x, y, z, w))
        axes = tuple(found.point(*axis) for axis in own.axes)
        axes = tuple(tuple(np.subtract(axis, found.origin)) for axis in axes)
        found = Plane(found.point(*own.origin), axes)
    return found


def with_last_link(arm, link):
    *joints, last = arm.chain.joints
    return replace(arm, chain=Chain([*joints, last.with_link(tuple(link))], arm.chain.tool))


def test_hand_and_jaws_are_drawn_where_the_kinematics_has_them(serve, open_wire):
    served, rng = serve(), np.random.default_rng(5)
    page = open_wire(served.address)
    for name in HANDS:
        served.show_arm(name)
        page.wait_for_text(name)
        arm, width = served.view.arm, link_width(served.view.arm.chain)
        (hand,) = [
            node for node in page.nodes if node.startswith('/arm/') and node.endswith('/hand')
        ]
        for _ in range(2):
            q = random_pose(arm.kinematics, rng)
            there = pytest.approx(tip(arm.kinematics, q), abs=1e-5)
            served.show(positions=tuple(q.tolist()))
            page.wait(lambda at=hand, there=there: frame_of(page, at).origin == there, 'the hand')
            plane = frame_of(page, '/plane')  # of the area that the tip reaches
            assert plane.locate(frame_of(page, hand).origin).out_of_plane == pytest.approx(
                0.0, abs=1e-5
            )
            left = frame_of(page, f'{hand}/left')
            assert page.nodes[f'{hand}/left']['visible'] == (arm.roll is not None)
            front = drawing.bar(FINGER * width, FINGER_RADIUS * width).vertices[:, 0].max()
            x, gap, z = page.nodes[f'{hand}/left']['position']
            assert -0.1 * width < x + front <= 1e-9  # they end at the tip
            assert z == 0.0
            if arm.roll is not None:
                # A finger is a point of what rolls: the tip of an arm whose last link ends there.
                link, axis = np.array(arm.chain.joints[-1].link), np.array(arm.roll.axis)
                ahead = axis * math.copysign(1.0, axis @ (link - arm.roll.origin))
                link += gap * np.array([-ahead[1], ahead[0]])
                jaw = tip(with_last_link(arm.kinematics, link), q)
                assert left.point(-x, 0.0, 0.0) == pytest.approx(jaw, abs=1e-5)
