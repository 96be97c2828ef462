"""The page with all of it that needs no ROS: what it shows, what it asks, and the area of reach.

The page calls from its own threads and only queues requests; everything else happens in the thread
of whoever has it: a node that knows the arm from topics, or the arm itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.area import BackgroundArea, reach_area
from ik2d_ros.viewer.controller import Command, Controller
from ik2d_ros.viewer.drawing import Mesh
from ik2d_ros.viewer.page import Page
from ik2d_ros.viewer.parameters import ViewerSettings
from ik2d_ros.viewer.requests import Requests

SHOW_PERIOD = 0.03  # s between updates of the page

NO_AREA = Mesh(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64))


class Front:
    """A page, and its controller, which is to be told everything."""

    def __init__(
        self,
        settings: ViewerSettings,
        name: str,
        ring: Callable[[], object],
        on_error: Callable[[str], object],
        can_design: bool = False,
    ) -> None:
        """Open the page of an arm or its node.

        Other threads ring when :meth:`answer` has something to do, and tell errors of connections.

        Raises:
            ConfigError: the address or port is not available, or viser is not installed.
        """
        self.controller = Controller(name, can_design)
        self._requests = Requests(ring)
        self._areas = BackgroundArea[ArmDescription, Mesh](_area, NO_AREA, on_error)
        self.page = Page(settings, name, self._requests.put, on_error, can_design)

    def answer(self, carry_out: Callable[[Command], object]) -> None:
        """Carry out what users ask for."""
        for request in self._requests.take():
            for command in self.controller.answer(request, time.monotonic()):
                carry_out(command)

    def show(self) -> None:
        """Bring the page up to date; call this periodically."""
        view = self.controller.view(time.monotonic())
        arm, design = view.arm, view.design
        if arm is not None:
            newest = self._areas.newest(arm)
            if newest is not None:
                of, area = newest
                is_close = design and design.before and of.names == arm.names
                if of == arm or is_close:  # until there is that of a changed design
                    view = replace(view, area=area)
        self.page.show(view)


def _area(arm: ArmDescription) -> Mesh:
    region = reach_area(arm.at_home_roll)
    return Mesh(np.insert(region.points, 2, 0.0, axis=1), region.triangles)
