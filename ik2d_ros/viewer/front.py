"""The page with all of it that needs no ROS: what it shows, what it asks, and the area of reach.

The page calls from its own threads and only queues requests; everything else happens in the thread
of whoever has it: a node that knows the arm from topics, or the arm itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.arm.body import swept_body
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.viewer.controller import Command, Controller
from ik2d_ros.viewer.page import Page
from ik2d_ros.viewer.parameters import ViewerSettings
from ik2d_ros.viewer.requests import Requests
from ik2d_ros.viewer.view import Area

SHOW_PERIOD = 0.03  # s between updates of the page

NO_AREA = Area(np.empty((0, 2)), np.empty((0, 3), dtype=np.int64))


class Front:
    """A page, and its controller, which is to be told everything."""

    def __init__(
        self,
        settings: ViewerSettings,
        name: str,
        ring: Callable[[], object],
        on_error: Callable[[str], object],
    ) -> None:
        """Open the page.

        Args:
            settings: with the address and the port.
            name: of the arm or its node.
            ring: called, from another thread, when :meth:`answer` has something to do.
            on_error: called, from another thread, with errors of connections.

        Raises:
            ConfigError: the address or port is not available, or viser is not installed.
        """
        self.controller = Controller(name)
        self._requests = Requests(ring)
        self._areas = BackgroundArea[ArmDescription, Area](_area, NO_AREA, on_error)
        self.page = Page(settings, name, self._requests.put, on_error)

    def answer(self, carry_out: Callable[[Command], object]) -> None:
        """Carry out what users ask for."""
        for request in self._requests.take():
            for command in self.controller.answer(request, time.monotonic()):
                carry_out(command)

    def show(self) -> None:
        """Bring the page up to date; call this periodically."""
        arm = self.controller.arm
        if arm is not None and (newest := self._areas.newest(arm)) is not None:
            self.controller.on_area(*newest)
        self.page.show(self.controller.view(time.monotonic()))


def _area(arm: ArmDescription) -> Area:
    body = None if arm.carrier is None else swept_body(arm.kinematics)
    return Area(*reach_area(arm.chain)[:2], body)
