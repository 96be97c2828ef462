"""What all parts of the panel are made of: controls, and HTML where viser has no way to do it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from html import escape
from typing import Any

from ik2d_ros.viewer.drawing import listen
from ik2d_ros.viewer.view import Act, Request, Words

UNITS = {
    'rad': (0.1, ', °', None),
    'm': (1e-3, ', m', None),
    '%': (1.0, ', %', 'From 0, closed, to 100, open'),
    '': (1e-3, '', 'In rad, or m if it slides'),
}
"""Step, label and hint of sliders; the unit of a joint that is held is unknown."""

STOP = '<span class="ik2d-stop"></span>'
"""Keeps the button that comes next on the screen of a phone, wherever its panel is scrolled to."""

ROW = '<span class="ik2d-row"></span>'
"""Puts all buttons that come after it in the same part of the panel into rows of four."""

_STYLE = """
.ik2d-box {
  margin: .2em .75em .5em; padding: .4em .75em; border-radius: 4px; border-left: 4px solid;
  font-size: .8125em; line-height: 1.35;
}
.mantine-Text-root:has(> label) {
  font-size: .8em !important; white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
}
label > wbr { display: none; }
@media (max-height: 36em) {
  .ik2d-box { margin-bottom: .8em; padding-top: .2em; font-size: .75em; }
  div:has(> * > * > p > label) { padding-bottom: .1em !important; }
}
div:has(> .ik2d-row) ~ div:has(> button) {
  display: inline-block; width: calc(25% - 7px); margin: 0 0 0 5px !important;
}
div:has(> .ik2d-row) ~ div > button { padding: 0 .2em; }
@media (max-width: 36em) {
  div:has(> .ik2d-stop) + div:has(> button) {
    position: fixed; top: .75em; right: .5em; width: 6em; z-index: 20;
  }
  .mantine-Paper-root:has(.ik2d-stop) { max-height: 50% !important; }
  .mantine-Paper-root:has(.ik2d-stop), .mantine-Paper-root:has(.ik2d-stop) [style*="width: 20em"] {
    width: 100% !important;
  }
}
.ik2d-hint {
  position: fixed; top: .6em; left: .7em; z-index: 5; padding: .2em .8em; border-radius: 1em;
  background: #7048c8; color: #fff; font-size: .875em; pointer-events: none;
}
canvas { touch-action: none !important; }
"""

# A path is drawn while its tab is open. The page is as dark as the rest of the screen.
# A second finger takes the first away from what it drags: both begin anew, as fingers that hold
# nothing (a middle button), and so they move the view.
_SCRIPT = """
window.ik2d ??= (() => {
  const on = (name, act) => window.addEventListener(name, act, true);
  on('click', event => {
    const tab = event.target.closest('[role=tab]');
    if (!tab) return;
    const labels = [...document.querySelectorAll('label')];
    const box = name => labels.find(label => label.textContent == name)?.control;
    const [draw, ends] = [box('Draw'), box('Handles')];
    if (draw && draw.checked != (tab.textContent == 'Path')) draw.click();
    if (ends && ends.checked != (tab.textContent == 'Design')) ends.click();
  });
  const fingers = new Map();
  const again = ({target, pointerId, clientX, clientY}, name) => {
    const how = {bubbles: true, pointerType: 'touch', button: 1, pointerId, clientX, clientY};
    target.dispatchEvent(new PointerEvent(name, how));
  };
  on('pointerdown', event => {
    if (!event.isTrusted || event.pointerType != 'touch' || !event.target.matches('canvas')) return;
    event.target.releasePointerCapture(event.pointerId);  // else viser takes it for a gizmo's
    fingers.set(event.pointerId, event);
    if (fingers.size < 2) return;
    event.stopImmediatePropagation();
    for (const name of ['pointercancel', 'pointerdown']) {
      for (const finger of fingers.values()) again(finger, name);
    }
  });
  for (const name of ['pointerup', 'pointercancel']) {
    on(name, event => {
      if (event.isTrusted) fingers.delete(event.pointerId);
    });
  }
  const url = new window.URL(window.location);
  if (matchMedia('(prefers-color-scheme: dark)').matches && !url.searchParams.has('darkMode')) {
    url.searchParams.set('darkMode', '');
    window.location.replace(url);
  }
  return true;
})()"""


def heading(title: str) -> str:
    """Return HTML, to be put on the page once, which also names the browser's tab."""
    run = f'document.title = {json.dumps(title)}; {_SCRIPT}'
    return f'<style>{_STYLE}</style><img hidden src="data:," onerror="{escape(run)}">'


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

    def asks(self, register: Callable[[Any], Any], act: Act) -> None:
        """Ask for an act with the value of a control at its event."""
        self.on(register, lambda event: Request(act, event.target.value))

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
    """A slider that moves a joint in rad, shown in degrees, in m, or in percent of its range."""

    def __init__(
        self, controls: Controls, name: str, label: str, unit: str, limits: tuple[float, float]
    ) -> None:
        """Add it; infinite limits are those of a turn."""
        step, shown, hint = UNITS[unit]
        lower, upper = limits if math.isfinite(limits[0]) else (-math.pi, math.pi)
        percent = 0.01 * (upper - lower) or 1.0
        self._factor = factor = {'rad': math.radians(1.0), '%': percent}.get(unit, 1.0)
        self._zero = zero = lower if unit == '%' else 0.0
        low = round(math.ceil((lower - zero) / factor / step - 1e-6) * step, 4)
        high = round(math.floor((upper - zero) / factor / step + 1e-6) * step, 4)
        high = max(high, low + step)  # viser refuses an empty range
        self.handle = controls.gui.add_slider(f'{label}{shown}', low, high, step, low, hint=hint)
        controls.on(
            self.handle.on_update,
            lambda event: Request(Act.MOVE_JOINT, (name, zero + event.target.value * factor)),
        )

    def show(self, position: float) -> None:
        """Show a position in rad or m."""
        shown, handle = (position - self._zero) / self._factor, self.handle
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
