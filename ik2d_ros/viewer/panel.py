"""The panel on the page: the status, the controls, the joints."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from types import MappingProxyType
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.suspicion import suspicious_values
from ik2d_ros.kinematics import BENDS, SOLVERS
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.pilot.outcome import Colour, Level
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.controller import ANGLE
from ik2d_ros.viewer.drawing import listen
from ik2d_ros.viewer.drawn_path import BAD, GOOD, DrawnPath
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.view import Words

MAKERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        'solver': lambda gui: gui.add_dropdown('Solver', SOLVERS),
        'bend': lambda gui: gui.add_dropdown('Bend', BENDS, hint='Which way the elbow bends'),
    }
)
"""Functions that create the control of a node parameter, given the ``gui`` of a server."""

PATH_BUTTONS = 'Follow', 'Clear'
BENDING = 'auto', 'two_bone'  # solvers that bend two joints as they are told
STATUS_HEIGHT = 'max(8em, 13.5em - 10vw)'  # for the longest usual message, also on a phone
SMALL, GREY = 'padding:0 .95em .4em;font-size:.8em', 'color:#868e96'
LINE = 'display:flex;justify-content:space-between'
LEGEND: Sequence[tuple[Colour, str]] = (
    (drawing.AREA, 'what the tip can reach'),
    (drawing.LIMIT, 'range of a joint; red at a limit'),
    (drawing.GHOST, 'the measured arm'),
    ((112, 72, 200), 'trace of the tip; needle, while the tip angle is kept'),
    (GOOD, 'the part of a path that can be followed'),
    (BAD, 'the rest of it'),
)
MOUSE_IN_PLANE = (
    'Drag the blue square: the arm follows. The arc at the end of the needle, if there is one, '
    'turns the tip angle. The right button moves the view, the wheel zooms.'
)
MOUSE_IN_SPACE = (
    'Drag an arrow, or a square to move in two directions: the arm follows. They lie along the '
    'plane of the arm and across it. Drag anywhere else to turn the view; the right button moves '
    'it, the wheel zooms. The body is all that the tip can reach, the flat area what it can reach '
    'in the plane.'
)
MOUSE_ON_PATH = (
    'While this is on, the mouse draws in the plane of the arm: click points, or drag a line. The '
    'path is green where the arm can follow it. The right button moves the view.'
)


class Panel:
    """The panel; empty and disabled at first."""

    def __init__(
        self,
        server: Any,
        title: str,
        on_request: Callable[[Request], None],
        reset_view: Callable[[Any], None],
    ) -> None:
        """Add the panel to the page.

        Args:
            server: the ``viser.ViserServer``.
            title: title of the panel.
            on_request: called when a control is used.
            reset_view: called with a client that asks for it.
        """
        gui = server.gui

        def change(
            control: Any, act: Act, convert: Callable[[Any], Any] = lambda value: value
        ) -> None:
            """Request an act whenever a user changes a control."""
            listen(
                control.on_update,
                lambda event: Request(act, convert(event.target.value)),
                on_request,
            )

        gui.configure_theme(show_logo=False, show_share_button=False, control_width='large')
        gui.set_panel_label(title)
        gui.main_panel.dock_right()
        self._title, self._heading = title.strip('/'), gui.add_html('')
        self._arm = gui.add_dropdown('Arm', ('',), visible=False, hint='Which arm the demo shows')
        self._status = gui.add_html('')
        self._refusal = gui.add_html('', visible=False)
        self._doubt = gui.add_html('', visible=False)
        # Not one control of three numbers, which is too narrow on a phone.
        self._target = gui.add_vector2('Target, m', (0.0, 0.0), step=0.001, disabled=True)
        self._height = gui.add_number('z, m', 0.0, step=0.001, visible=False)
        self._tip = gui.add_html('')
        self._pause = gui.add_button('', visible=False, hint='Stop the target where it is')
        self._home = gui.add_button('Home', disabled=True, hint='Send the joints home')
        reset = gui.add_button('Reset view', hint='Show all of the arm', color='gray')
        details = gui.add_panel()  # folded on a phone
        details.dock_below(gui.main_panel)
        with details.add_tab('Details'):
            self._settings = {name: make(gui) for name, make in MAKERS.items()}
            self._keep = gui.add_checkbox(
                'Keep angle', False, visible=False, hint='Reach the target at this tip angle only'
            )
            self._turn = gui.add_slider(
                'Tip angle, deg', -180.0, 180.0, 1.0, 0.0, visible=False,
                hint='Of the last link, in the plane of the arm; the arrow keys turn it, too',
            )  # fmt: skip
            self._joints = gui.add_html('')
            with gui.add_folder('Legend', expand_by_default=False):
                self._legend = gui.add_html('')
        with details.add_tab('Path'):
            self._draw = gui.add_checkbox('Draw', False, disabled=True, hint='A path for the tip')
            self._path = gui.add_button_group('Path', PATH_BUTTONS, visible=False)
            self._verdict = gui.add_html('', visible=False)
            gui.add_html(f'<div style="{SMALL}">{MOUSE_ON_PATH}</div>')
        for name, control in self._settings.items():
            control.disabled = True
            change(control, Act.SET, partial(lambda name, value: (name, value), name))
        for control in (self._target, self._height):
            listen(control.on_update, self._typed, on_request)
        change(self._arm, Act.CHOOSE_ARM)
        change(self._draw, Act.DRAW)
        change(self._keep, Act.KEEP_ANGLE)
        change(self._turn, Act.TURN, math.radians)
        listen(self._home.on_click, lambda _: Request(Act.HOME), on_request)
        listen(self._pause.on_click, lambda _: Request(Act.PAUSE), on_request)
        listen(self._path.on_click, _pressed, on_request)
        listen(reset.on_click, lambda event: event.client, reset_view)

        async def stop_drawing(_: Any) -> None:  # a new page could not drag, and not see why
            on_request(Request(Act.DRAW, False))

        server.on_client_connect(stop_drawing)

    def show_status(self, words: Words) -> None:
        """Show the status."""
        _set(self._status, 'content', _box(words, f'height:{STATUS_HEIGHT};overflow:auto'))

    def show_refusal(self, reason: str) -> None:
        """Show why a change was refused; an empty reason hides the message."""
        _set(self._refusal, 'visible', bool(reason))
        _set(self._refusal, 'content', _box(Words('refused', reason, Level.ERROR.colour)))

    def show_choice(self, arms: tuple[str, ...], name: str) -> None:
        """Show which of the demo's arms this is, also in the browser's tab; none without a demo."""
        title = escape(json.dumps(name or self._title))  # viser has no way to name the tab
        heading = f'<img hidden src="data:," onerror="document.title = {title}">'
        _set(self._heading, 'content', heading)
        _set(self._arm, 'visible', bool(arms))
        if arms:
            _set(self._arm, 'options', arms)
            _set(self._arm, 'value', name)

    def show_arm(self, arm: ArmDescription) -> None:
        """Show the parts that depend on the arm."""
        is_flat = arm.carrier is None
        _set(self._height, 'visible', not is_flat)
        doubts = '. '.join(suspicious_values(arm))
        _set(self._doubt, 'visible', bool(doubts))
        _set(self._doubt, 'content', _box(Words('other units?', doubts, Level.WARN.colour)))
        rows = ''.join(
            f'<div><span style="color:rgb{colour};font-size:1.4em">&#9632;</span> {words}</div>'
            for colour, words in LEGEND
        )
        mouse = MOUSE_IN_PLANE if is_flat else MOUSE_IN_SPACE
        _set(self._legend, 'content', f'<div style="{SMALL}">{rows}<p>{mouse}</p></div>')

    def show_settings(
        self, arm: ArmDescription | None, settings: Mapping[str, object] | None
    ) -> None:
        """Set the controls to the node's values, also after a refused change.

        Args:
            arm: the arm.
            settings: values by name, missing ones stay as they are; None disables all controls.
        """
        given = settings or {}
        for name, control in self._settings.items():
            if settings is None or name in given:
                _put(control, given.get(name))
        for control in (self._home, self._draw, self._target, self._height):
            _set(control, 'disabled', settings is None)
        angle = given.get(ANGLE)
        if isinstance(angle, float):
            _set(self._keep, 'value', not math.isnan(angle))
        if arm is not None and 'solver' in given:
            bends = len(arm.chain) == 2 and given['solver'] in BENDING
            _set(self._settings['bend'], 'visible', bends)

    def show_path(self, path: DrawnPath | None, is_drawing: bool) -> None:
        """Show what the node says of the path that is drawn; None for none."""
        _set(self._draw, 'value', is_drawing)
        _set(self._path, 'visible', path is not None)
        verdict = None if path is None else path.verdict
        _set(self._verdict, 'visible', verdict is not None)
        if verdict is not None:
            colour = GOOD if verdict.reachable else BAD
            _set(self._verdict, 'content', _box(Words(verdict.code, verdict.message, colour)))

    def show_demo(self, is_paused: bool | None) -> None:
        """Show whether the demo path is paused; None where there is none."""
        _set(self._pause, 'visible', is_paused is not None)
        _set(self._pause, 'label', 'Go on with the demo path' if is_paused else 'Pause demo path')

    def show_angle(self, angle: float | None, is_turned: bool) -> None:
        """Show the tip angle; None hides it.

        Args:
            angle: in rad.
            is_turned: whether someone turns it, so that the slider is left where it is.
        """
        for control in (self._keep, self._turn):
            _set(control, 'visible', angle is not None)
        if angle is not None and not is_turned:
            _set(self._turn, 'value', float(round(math.degrees(angle))))

    def show_target(self, arm: ArmDescription, target: Vector) -> None:
        """Show a target, given in m in the base frame; in the plane if the plane is fixed."""
        x, y, *z = _numbers(arm, target)
        _set(self._target, 'value', (x, y))
        if z:
            _set(self._height, 'value', z[0])

    def _typed(self, _: Any) -> Request:
        z = [self._height.value] if self._height.visible else []
        return Request(Act.TYPE, tuple(map(float, (*self._target.value, *z))))

    def show_pose(self, arm: ArmDescription, positions: Sequence[float]) -> None:
        """Show the tip at (m,) positions, and each position between its limits."""
        tip = _numbers(arm, arm.kinematics.forward(positions).tolist())
        words = ', '.join(f'{part:.3f}' for part in tip) + ' m'
        _set(self._tip, 'content', f'<div style="{SMALL}">{_line("Tip", words)}</div>')
        rows = map(_row, arm.names, arm.units, arm.limits, positions)
        _set(self._joints, 'content', f'<div style="{SMALL}">{"".join(rows)}</div>')


def _pressed(event: Any) -> Request:
    return Request(Act.FOLLOW if event.target.value == PATH_BUTTONS[0] else Act.CLEAR)


def _put(control: Any, value: object) -> None:
    _set(control, 'disabled', value is None)
    if value is not None:
        _set(control, 'value', value)


def _set(handle: Any, name: str, value: object) -> None:
    if getattr(handle, name) != value:
        setattr(handle, name, value)


def _numbers(arm: ArmDescription, place: Sequence[float]) -> tuple[float, ...]:
    """Return a point of the base frame as people read it: in the plane if the plane is fixed."""
    x, y, z = place
    numbers = arm.kinematics.plane.locate((x, y, z))[:2] if arm.carrier is None else (x, y, z)
    return tuple(round(number, 4) + 0.0 for number in numbers)


def _box(words: Words, style: str = '') -> str:
    colour, tint = f'rgb{words.colour}', f'rgba{(*words.colour, 0.10)}'
    title = f'<b style="color:{colour}">{escape(words.title)}</b>'
    return (
        f'<div role="status" style="margin:.2em .75em .5em;padding:.5em .75em;border-radius:4px;'
        f'border-left:4px solid {colour};background:{tint};line-height:1.35;font-size:.875em;'
        f'{style}">{title}<br>{escape(words.text)}</div>'
    )


def _row(name: str, unit: str, limits: tuple[float, float], position: float) -> str:
    """Format a row of the joint table: name, position, and a gauge between the limits."""
    gauge, (lower, upper) = '', limits
    if math.isfinite(lower):
        part = (position - lower) / (upper - lower) if upper > lower else 0.5
        fill = f'width:{100.0 * min(max(part, 0.0), 1.0):.1f}%;height:3px;background:#f08c2e'
        gauge = (
            f'<div style="{LINE};align-items:center;gap:.5em;font-size:.85em;{GREY}">'
            f'<span>{_position(lower, unit)}</span><div style="flex:1;background:#e9ecef">'
            f'<div style="{fill}"></div></div><span>{_position(upper, unit)}</span></div>'
        )
    words = _position(position, unit, 1)
    return f'<div style="margin-bottom:.3em">{_line(name, words)}{gauge}</div>'


def _position(position: float, unit: str, digits: int = 0) -> str:
    """Format a joint's position, in degrees or m."""
    if unit == 'rad':
        return f'{math.degrees(position) + 0.0:.{digits}f}°'
    return f'{position:.{digits + 3}f} m'


def _line(left: str, right: str) -> str:
    """Format two texts for the two sides of a line; the right one is a figure."""
    figure = f'<span style="font-variant-numeric:tabular-nums">{escape(right)}</span>'
    return f'<div style="{LINE}"><span>{escape(left)}</span>{figure}</div>'
