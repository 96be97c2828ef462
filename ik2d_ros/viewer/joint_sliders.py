"""The part of the panel with a slider for each joint, and a button for each named pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.viewer.controls import OnRequest, update
from ik2d_ros.viewer.drawing import listen
from ik2d_ros.viewer.requests import Act, Request

STEPS = {'rad': (math.radians(0.1), ', deg'), 'm': (1e-4, ', m'), '': (1e-3, '')}
"""Steps in each unit, and how it is shown; nobody tells the unit of a joint that is held."""


class _Slider(NamedTuple):
    handle: Any
    name: str
    factor: float  # of the unit that is shown, in rad or m

    def show(self, position: float) -> None:
        shown, handle = position / self.factor, self.handle
        if handle.max == 180.0 == -handle.min:  # of a joint that may turn on and on, this turn
            shown = math.remainder(shown, 360.0)
        shown = handle.step * round(shown / handle.step)
        update(handle, value=round(min(max(shown, handle.min), handle.max), 4))

    def request(self, event: Any) -> Request:
        return Request(Act.MOVE_JOINT, (self.name, float(event.target.value) * self.factor))


class JointSliders:
    """Sliders that follow the joints of an arm and those that are held, and move them."""

    def __init__(self, gui: Any, tab: Any, on_request: OnRequest) -> None:
        """Start without an arm.

        Args:
            gui: the ``gui`` of a server.
            tab: the tab at whose end they are.
            on_request: called when one is used.
        """
        self._gui, self._tab, self._on_request = gui, tab, on_request
        self._sliders: list[_Slider] = []
        self._poses: Any = None

    def show_arm(
        self,
        arm: ArmDescription,
        poses: tuple[str, ...],
        held: Mapping[str, tuple[float, float]],
    ) -> None:
        """Put other sliders and named poses in the place of those before.

        Args:
            arm: the arm.
            poses: names of the poses.
            held: limits of joints that are held.
        """
        old = [slider.handle for slider in self._sliders] + [self._poses] * bool(self._poses)
        for control in old:
            control.remove()
        with self._tab:
            self._poses = self._gui.add_button_group('Pose', poses) if poses else None
            names, units = (*arm.names, *held), (*arm.units, *[''] * len(held))
            self._sliders = list(map(self._add, names, units, (*arm.limits, *held.values())))
        if self._poses is not None:
            listen(self._poses.on_click, _pose, self._on_request)

    def _add(self, name: str, unit: str, limits: tuple[float, float]) -> _Slider:
        step, shown = STEPS[unit]
        factor = math.radians(1.0) if unit == 'rad' else 1.0
        lower, upper = limits if math.isfinite(limits[0]) else (-math.pi, math.pi)
        step, low, high = round(step / factor, 4), lower / factor, upper / factor
        low, high = round(math.ceil(low / step - 1e-6) * step, 4), math.floor(high / step + 1e-6)
        high = max(round(high * step, 4), low + step)  # viser refuses an empty range
        hint = None if unit else 'In rad, or in m if it slides'
        handle = self._gui.add_slider(f'{name}{shown}', low, high, step, low, hint=hint)
        slider = _Slider(handle, name, factor)
        listen(handle.on_update, slider.request, self._on_request)
        return slider

    def show(self, positions: Mapping[str, float], moved: str) -> None:
        """Show positions in rad or m, but leave the slider of the joint that is moved."""
        for slider in self._sliders:
            position = positions.get(slider.name, math.nan)
            if slider.name != moved and math.isfinite(position):
                slider.show(position)

    def show_use(self, is_used: bool) -> None:
        """Enable them while there is a node."""
        for slider in self._sliders:
            update(slider.handle, disabled=not is_used)


def _pose(event: Any) -> Request:
    return Request(Act.GO_TO_POSE, str(event.target.value))
