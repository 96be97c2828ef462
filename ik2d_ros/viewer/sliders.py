"""Sliders for positions and lengths, and the part of the panel with one for each joint."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.auxiliary_joint import is_gripper
from ik2d_ros.viewer.controls import Controls
from ik2d_ros.viewer.requests import Act, Request

STEPS = {'rad': (0.1, ', °'), 'm': (1e-3, ', m'), '%': (1.0, ', %'), '': (1e-3, '')}
"""Steps in each unit, and how it is shown; nobody tells the unit of a joint that is held."""

HINTS = dict.fromkeys(STEPS) | {
    '%': 'From 0, closed, to 100, open',
    '': 'In rad, or m if it slides',
}


class Slider:
    """A slider for a number in rad, which it shows in degrees, in m, or in percent of a range."""

    def __init__(
        self,
        controls: Controls,
        label: str,
        unit: str,
        limits: tuple[float, float],
        request: Callable[[float], Request],
        hint: str | None = None,
    ) -> None:
        """Add it; infinite limits stand for those of a turn. Moved, it makes a request."""
        step, shown = STEPS[unit]
        lower, upper = limits if math.isfinite(limits[0]) else (-math.pi, math.pi)
        percent = 0.01 * (upper - lower) or 1.0
        self._factor = factor = {'rad': math.radians(1.0), '%': percent}.get(unit, 1.0)
        self._zero = zero = lower if unit == '%' else 0.0
        low = round(math.ceil((lower - zero) / factor / step - 1e-6) * step, 4)
        high = round(math.floor((upper - zero) / factor / step + 1e-6) * step, 4)
        high = max(high, low + step)  # viser refuses an empty range
        self.handle = controls.gui.add_slider(f'{label}{shown}', low, high, step, low, hint=hint)
        controls.on(
            self.handle.on_update, lambda event: request(zero + float(event.target.value) * factor)
        )

    def show(self, number: float) -> None:
        """Show a number in rad or m."""
        shown, handle = (number - self._zero) / self._factor, self.handle
        if handle.max == 180.0 == -handle.min:  # of a joint that may turn on and on, this turn
            shown = math.remainder(shown, 360.0)
        shown = handle.step * round(shown / handle.step)
        handle.value = round(min(max(shown, handle.min), handle.max), 4)


class JointSliders:
    """Sliders that follow the joints of an arm and those that are held, and move them."""

    def __init__(self, controls: Controls, tab: Any) -> None:
        """Start without an arm, where a tab has got to."""
        self._controls, self._tab = controls, tab
        self._content = controls.gui.add_folder(None)
        self._sliders: dict[str, Slider] = {}

    def show_arm(
        self,
        arm: ArmDescription,
        poses: tuple[str, ...],
        held: Mapping[str, tuple[float, float]],
    ) -> None:
        """Put other sliders, also of joints that are held, and named poses in their place."""
        gui, names = self._controls.gui, (*arm.names, *held)
        units = *arm.units, *('%' if is_gripper(name) else '' for name in held)
        labels = *short_names(arm.names), *held
        self._content.remove()
        with self._tab:
            self._content = gui.add_folder(None, order=self._content.order)
        with self._content:
            if poses:
                group = gui.add_button_group('Pose', poses)
                self._controls.on(group.on_click, _pose)
            self._sliders = {
                name: Slider(self._controls, label, unit, limits, partial(_move, name), HINTS[unit])
                for name, label, unit, limits in zip(
                    names, labels, units, (*arm.limits, *held.values()), strict=True
                )
            }

    def show(self, positions: Mapping[str, float], in_hand: object) -> None:
        """Show positions in rad or m, but leave the slider that is in someone's hand."""
        for name, slider in self._sliders.items():
            position = positions.get(name, math.nan)
            if name != in_hand and math.isfinite(position):
                slider.show(position)

    @property
    def handles(self) -> list[Any]:
        """Those of viser."""
        return [slider.handle for slider in self._sliders.values()]


def short_names(names: Sequence[str]) -> list[str]:
    """Return names without the words, ended by _, that all of them begin or end with."""
    words = [name.split('_') for name in names]
    for at in (0, -1):
        while min(map(len, words)) > 1 and len({each[at] for each in words}) == 1:
            shorter = [each[1:] if at == 0 else each[:-1] for each in words]
            if not all(each[0][:1].isalpha() for each in shorter):
                break
            words = shorter
    return ['_'.join(each) for each in words] if len(names) > 1 else [*names]


def _move(name: str, position: float) -> Request:
    return Request(Act.MOVE_JOINT, (name, position))


def _pose(event: Any) -> Request:
    return Request(Act.GO_TO_POSE, str(event.target.value))
