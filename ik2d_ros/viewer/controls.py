"""What all parts of the panel are made of."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from ik2d_ros.viewer.drawing import listen
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.view import Words

OnRequest = Callable[[Request], None]


def add_button(gui: Any, label: str, hint: str, color: str | None = None) -> Any:
    """Add a button, disabled at first; by default it has the colour of the theme."""
    return gui.add_button(label, hint=hint, color=color, disabled=True)


def on_change(
    control: Any,
    act: Act,
    on_request: OnRequest,
    convert: Callable[[Any], Any] = lambda value: value,
) -> None:
    """Request an act with its value whenever a user changes a control."""
    listen(control.on_update, lambda event: Request(act, convert(event.target.value)), on_request)


def on_press(button: Any, act: Act, on_request: OnRequest) -> None:
    """Request an act whenever a user presses a button."""
    listen(button.on_click, lambda _: Request(act), on_request)


def update(handle: Any, **values: object) -> None:
    """Give attributes of a control these values, unless they have them."""
    for name, value in values.items():
        if getattr(handle, name) != value:
            setattr(handle, name, value)


def box(words: Words) -> str:
    """Return a coloured box with words."""
    colour, tint = f'rgb{words.colour}', f'rgba{(*words.colour, 0.10)}'
    title = f'<b style="color:{colour}">{escape(words.title)}</b>'
    return (
        f'<div role="status" style="margin:.2em .75em .5em;padding:.5em .75em;border-radius:4px;'
        f'border-left:4px solid {colour};background:{tint};line-height:1.35;font-size:.875em">'
        f'{title}<br>{escape(words.text)}</div>'
    )


def small(html: str) -> str:
    """Return small print."""
    return f'<div style="padding:0 .95em .4em;font-size:.8em">{html}</div>'
