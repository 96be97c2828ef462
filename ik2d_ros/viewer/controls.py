"""What all parts of the panel are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.stage import listen
from ik2d_ros.viewer.view import Words

STEPS = {'rad': (0.1, ', °'), 'm': (1e-3, ', m'), '%': (1.0, ', %'), '': (1e-3, '')}
"""Steps in each unit, and how it is shown; nobody tells the unit of a joint that is held."""

HINTS = dict.fromkeys(STEPS) | {
    '%': 'From 0, closed, to 100, open',
    '': 'In rad, or m if it slides',
}


class Controls:
    """The ``gui`` of a viser server, whose controls ask for what users want."""

    def __init__(self, gui: Any, on_request: Callable[[Request], None]) -> None:
        """Take both; the function is called in the server's thread."""
        self.gui, self._on_request = gui, on_request

    def button(self, label: str, hint: str, act: Act | None = None, color: Any = 'gray') -> Any:
        """Add a button, disabled at first, that asks for an act."""
        button = self.gui.add_button(label, hint=hint, color=color, disabled=True)
        if act is not None:
            self.on(button.on_click, lambda _: Request(act))
        return button

    def asks(self, control: Any, act: Act, convert: Callable[[Any], Any] = lambda x: x) -> None:
        """Let a control ask for an act with its value."""
        self.on(control.on_update, lambda event: Request(act, convert(event.target.value)))

    def saves(self, button: Any, file: str, content: Callable[[], str]) -> None:
        """Let a button download a file to the browser that it is pressed in."""
        listen(
            button.on_click,
            lambda event: event.client,
            lambda to: to.send_file_download(file, content().encode(), save_immediately=True),
        )

    def on(self, register: Callable[[Any], Any], read: Callable[[Any], Request | None]) -> None:
        """Ask for what a function makes of a user's event."""
        listen(register, read, self._on_request)


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


def show_box(handle: Any, words: Words | None, lines: int = 0) -> None:
    """Show words in a coloured box, so many lines high if any: more scroll; None hides it."""
    handle.visible = words is not None
    if words is not None:
        colour, tint = f'rgb{words.colour}', f'rgba{(*words.colour, 0.10)}'
        size = f';height:{1.35 * lines + 0.8}em;overflow:auto' if lines else ''
        handle.content = (
            f'<div role="status" class="ik2d-box" style="border-color:{colour};'
            f'background:{tint}{size}">'
            f'<b style="color:{colour}">'
            f'{escape(words.title)}</b>&ensp;{escape(words.text)}</div>'
        )


def small(html: str) -> str:
    """Return small print."""
    return f'<div style="padding:0 .95em .4em;font-size:.8em">{html}</div>'
