"""The panel on the page: the status, the controls, the joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from types import MappingProxyType
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import BENDS, SOLVERS
from ik2d_ros.node.outcome import Level
from ik2d_ros.viewer.requests import (
    ChangeSetting,
    ChooseDrag,
    ChooseSource,
    GoHome,
    KeepAngle,
    Request,
    Turn,
)
from ik2d_ros.viewer.view import (
    ANYWHERE,
    DEMO_PATH,
    IN_PLANE,
    MOUSE,
    JointRow,
    Measured,
    TipAngle,
    Words,
)

MAKERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        'solver': lambda gui: gui.add_dropdown('Solver', SOLVERS),
        'bend': lambda gui: gui.add_dropdown(
            'Bend', BENDS, hint='Which way the elbow bends, for two_bone'
        ),
    }
)
"""Functions that create the control of a node parameter, given the ``gui`` of a server."""

LINE = 'display:flex;justify-content:space-between'

REST = (
    'Drag anywhere else to rotate the view, with the right button to pan; the wheel zooms. '
    'Grey sectors and strips are joint limits, the blue area is what the tip can reach'
)
TURN = 'The small square at the end of the needle, if there is one, turns the tip angle. '
HINTS: Mapping[str | None, str] = MappingProxyType(
    {
        None: f'Drag the blue square: the arm follows. {TURN}{REST}.',
        ANYWHERE: 'Drag an arrow to move the target along it, or a square to move it in two '
        f'directions: the arm follows. {TURN}{REST} in the plane, and the body is what it can '
        'reach in all.',
        IN_PLANE: 'Drag the blue square: the target moves in the plane of the arm, and the arm '
        f'follows. {TURN}{REST} in it, and the body is what it can reach in all.',
    }
)
"""What can be done on the page, by how the handle is dragged."""


class Panel:
    """The panel; empty and disabled at first."""

    def __init__(self, server: Any, on_request: Callable[[Request], None], title: str) -> None:
        """Add the panel to the page.

        Args:
            server: the ``viser.ViserServer``.
            on_request: called from another thread when a control is used.
            title: title of the panel.
        """
        gui = server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width='medium')
        gui.set_panel_label(title)
        gui.main_panel.dock_right()
        self._status = gui.add_html('')
        self._settings = {name: make(gui) for name, make in MAKERS.items()}
        self._source = gui.add_dropdown(
            'Target', (MOUSE,), disabled=True, hint='What moves the target'
        )
        self._drag = gui.add_dropdown(
            'Drag', (ANYWHERE, IN_PLANE), visible=False, hint='Where the target can be dragged'
        )
        self._keep = gui.add_checkbox(
            'Keep angle', False, visible=False, hint='Reach the target at this tip angle only'
        )
        self._turn = gui.add_slider(
            'Tip angle, deg', -180.0, 180.0, 1.0, 0.0, visible=False,
            hint='Of the last link, in the plane of the arm; the arrow keys turn it, too',
        )  # fmt: skip
        self._tip = gui.add_html('', visible=False)
        self._refusal = gui.add_html('', visible=False)
        self._home = gui.add_button('Home', disabled=True, hint='Send the tip to its start')
        self._joints = gui.add_html('')
        self._measured = gui.add_html('', visible=False)
        self._hint = gui.add_html(_hint(None))
        for name, control in self._settings.items():
            control.disabled = True
            _forward(control, partial(ChangeSetting, name), on_request)
        _forward(self._source, ChooseSource, on_request)
        _forward(self._drag, ChooseDrag, on_request)
        _forward(self._keep, lambda is_on: KeepAngle(is_on is True), on_request)
        _forward(self._turn, _turned, on_request)
        self._home.on_click(lambda _: on_request(GoHome()))

    def show_status(self, words: Words) -> None:
        """Show the status."""
        _set(self._status, 'content', _box(words))

    def show_refusal(self, reason: str) -> None:
        """Show why a change was refused; an empty reason hides the message."""
        _set(self._refusal, 'visible', bool(reason))
        if reason:
            _set(self._refusal, 'content', _box(Words('refused', reason, Level.ERROR.colour)))

    def show_settings(self, settings: Mapping[str, object] | None) -> None:
        """Set the controls to the node's values, also after a refused change.

        Args:
            settings: values by name, missing ones stay as they are; None disables all controls.
        """
        for name, control in self._settings.items():
            if settings is None or name in settings:
                _put(control, None if settings is None else settings[name])
        _set(self._home, 'disabled', settings is None)

    def show_source(self, source: str | None) -> None:
        """Show what moves the target; None if only the mouse can."""
        sources = (MOUSE,) if source is None else (DEMO_PATH, MOUSE)
        if tuple(self._source.options) != sources:
            self._source.options = sources
        _put(self._source, source)

    def show_drag(self, way: str | None) -> None:
        """Show how the handle is dragged; None for an arm without turntable and lift."""
        _set(self._drag, 'visible', way is not None)
        if way is not None:
            _put(self._drag, way)
        _set(self._hint, 'content', _hint(way))

    def show_tip(self, tip: TipAngle | None, is_turned: bool) -> None:
        """Show the tip angle; None hides it.

        Args:
            tip: the tip angle.
            is_turned: whether someone turns it, so that the slider is left where it is.
        """
        for control in (self._keep, self._turn, self._tip):
            _set(control, 'visible', tip is not None)
        if tip is None:
            return
        _set(self._keep, 'value', tip.asked is not None)
        if not is_turned:
            _set(self._turn, 'value', float(round(math.degrees(tip.shown))))
        words = f'{math.degrees(tip.angle) + 0.0:.1f}°'
        if tip.error is not None:
            words += f', {math.degrees(tip.error):.1f}° off'
        line = f'<div style="{LINE}">{_sides("Tip angle", words)}</div>'
        _set(self._tip, 'content', f'<div style="padding:0 .95em .4em;font-size:.8em">{line}</div>')

    def show_joints(self, joints: Sequence[JointRow], positions: Sequence[float]) -> None:
        """Show (m,) positions, and where they are within their limits."""
        rows = ''.join(map(_row, joints, positions))
        _set(self._joints, 'content', f'<div style="padding:0 .75em .4em">{rows}</div>')

    def show_measured(self, arm: ArmDescription | None, measured: Measured | None) -> None:
        """Show speed and lag of the measured tip, and the efforts; None hides them."""
        if arm is not None and measured is not None:
            joints = zip(arm.names, arm.units, measured.efforts, strict=True)
            rows = [
                ('Measured speed of the tip', _figure(measured.speed, 1.0, 'm/s')),
                ('Lag of the tip', _figure(measured.lag, 1e3, 'mm')),
                *(
                    (f'Effort, {name}', _figure(effort, 1.0, 'N m' if unit == 'rad' else 'N'))
                    for name, unit, effort in joints
                    if effort is not None
                ),
            ]
            lines = ''.join(f'<div style="{LINE}">{_sides(*row)}</div>' for row in rows)
            content = f'<div style="padding:0 .95em .4em;font-size:.8em">{lines}</div>'
            _set(self._measured, 'content', content)
        _set(self._measured, 'visible', arm is not None and measured is not None)


def _forward(
    control: Any, made: Callable[[Any], Request], on_request: Callable[[Request], None]
) -> None:
    async def on_update(event: Any) -> None:  # async: such callbacks keep their order
        if event.client is not None:  # else it was set by the viewer
            on_request(made(event.target.value))

    control.on_update(on_update)


def _turned(degrees: object) -> Turn:
    """Return the request for a value of the slider, which may be anything."""
    is_number = isinstance(degrees, (int, float)) and abs(degrees) <= 180.0
    return Turn(math.radians(degrees) if is_number else math.nan)  # type: ignore[arg-type]


def _put(control: Any, value: object) -> None:
    _set(control, 'disabled', value is None)
    if value is not None:
        _set(control, 'value', value)


def _set(handle: Any, name: str, value: object) -> None:
    if getattr(handle, name) != value:
        setattr(handle, name, value)


def _box(words: Words) -> str:
    colour = 'rgb({},{},{})'.format(*words.colour)
    tint = 'rgba({},{},{},0.10)'.format(*words.colour)
    return (
        f'<div role="status" style="margin:.2em .75em .5em;padding:.5em .75em;border-radius:4px;'
        f'border-left:4px solid {colour};background:{tint};line-height:1.35;font-size:.875em">'
        f'<b style="color:{colour}">{escape(words.title)}</b><br>{escape(words.text)}</div>'
    )


def _hint(way: str | None) -> str:
    return f'<p style="margin:.6em .95em;font-size:.75em;color:#868e96">{HINTS[way]}</p>'


def _row(joint: JointRow, position: float) -> str:
    """Format a row of the joint table: name, position, and a bar for the place within limits."""
    bar = '<div style="height:4px"></div>'
    lower, upper = joint.limits
    if math.isfinite(lower):
        width = upper - lower
        part = min(max((position - lower) / width, 0.0), 1.0) if width > 0.0 else 0.5
        bar = (
            '<div style="height:4px;border-radius:2px;background:#e9ecef;position:relative">'
            f'<div style="position:absolute;left:calc({100.0 * part:.1f}% - 4px);top:-2px;'
            'width:8px;height:8px;border-radius:4px;background:#f08c2e"></div></div>'
        )
    is_angle = joint.unit == 'rad'
    words = f'{math.degrees(position):.1f}°' if is_angle else f'{position:.4f} {joint.unit}'
    return (
        '<div style="font-size:.8em;margin-bottom:.45em">'
        f'<div style="{LINE}">{_sides(joint.name, words)}</div>'
        f'{bar}</div>'
    )


def _sides(left: str, right: str) -> str:
    """Format two texts for the two sides of a line; the right one is a figure."""
    return (
        f'<span>{escape(left)}</span>'
        f'<span style="font-variant-numeric:tabular-nums">{escape(right)}</span>'
    )


def _figure(value: float | None, factor: float, unit: str) -> str:
    return 'unknown' if value is None else f'{factor * value:.2f} {unit}'
