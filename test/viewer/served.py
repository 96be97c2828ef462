"""The page alone, for tests of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.robot.from_urdf import load_completed
from ik2d_ros.viewer.drawing import fan
from ik2d_ros.viewer.page import Page
from ik2d_ros.viewer.parameters import ViewerSettings
from ik2d_ros.viewer.view import View, Words


class Served:
    """A page without ROS: what it shows, and what a user requests on it."""

    def __init__(self, name='two_bone', host='127.0.0.1'):
        self.requests, self.errors, self._arms = [], [], 0
        settings = ViewerSettings(host, 0)
        self.page = Page(settings, '/ik2d', self.requests.append, self.errors.append, True)
        self.port, self.address = self.page.port, self.page.address
        self.show_arm(name)

    def show_arm(self, name, **more):
        """Show an arm at home, its name in the status box, and nothing else of before."""
        self._arms += 1
        self.view = replace(shown_arm(name), version=self._arms)
        self.show(**more)

    def show(self, **changes):
        self.view = replace(self.view, **changes)
        self.page.show(self.view)

    def requested(self, act):
        """The values of the requests of a kind."""
        return [request.value for request in self.requests if request.act is act]


def shown_arm(name):
    """What is shown of a shipped arm at home."""
    configuration = configuration_from_parameters(load_completed(single_arms()[name]))
    arm, drive = configuration.arm, configuration.drive
    reach = arm.chain.reach.outer
    return View(
        Words(name, '', (0, 0, 0)),
        settings={'solver': 'auto', 'bend': 'nearest', 'path_speed': 0.05},
        arm=arm,
        poses=tuple(configuration.poses),
        held={each: drive.hold_limits[each] for each in drive.holds if each in drive.hold_limits},
        positions=arm.home,
        area=fan(reach * np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]])),
        target=tuple(arm.kinematics.forward(arm.home).tolist()),
    )
