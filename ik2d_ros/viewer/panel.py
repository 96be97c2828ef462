"""The panel on the page: the status in words, the controls, the joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ik2d_ros.kinematics import BENDS, SOLVERS, Chain, Joint
from ik2d_ros.node.outcome import Colour, Level

READY_COLOUR = (34, 139, 230)

DEMO_PATH, MOUSE = 'demo path', 'mouse'

HINT = (
    'Drag the blue square: the arm follows. Drag anywhere else to turn the view, with the right '
    'button to shift it; the wheel zooms. Grey slices are joint limits, the blue area is what the '
    'tip can reach.'
)


@dataclass(frozen=True)
class Words:
    """What the status box says.

    Attributes:
        title: a word or two, such as the status code.
        text: a sentence or two.
        colour: of both, as red, green and blue up to 255.
    """

    title: str
    text: str
    colour: Colour


@dataclass(frozen=True)
class Controls:
    """Where the controls stand.

    Attributes:
        solver: the node's parameter; None while there is no node.
        bend: likewise.
        source: DEMO_PATH or MOUSE; None while nobody publishes demo targets.
    """

    solver: str | None = None
    bend: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class Requests:
    """What to call, from another thread, when somebody uses a control; with its new value."""

    solver: Callable[[str], None]
    bend: Callable[[str], None]
    source: Callable[[str], None]
    home: Callable[[], None]


class Panel:
    """The panel; every method may be called at any time and only changes what has changed."""

    def __init__(self, server: Any, requests: Requests, title: str) -> None:
        """Put the panel, under a title, on the page of a ``viser.ViserServer``."""
        gui = server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width='medium')
        gui.set_panel_label(title)
        gui.main_panel.dock_right()
        self._status = gui.add_html('')
        self._solver = gui.add_dropdown('Solver', SOLVERS, disabled=True)
        self._bend = gui.add_dropdown(
            'Bend', BENDS, disabled=True, hint='Which way the elbow goes, for two_bone'
        )
        self._source = gui.add_dropdown(
            'Target', (MOUSE,), disabled=True, hint='Who moves the target'
        )
        self._refusal = gui.add_html('', visible=False)
        self._home = gui.add_button('Home', disabled=True, hint='Send the tip to its start')
        self._joints = gui.add_html('')
        gui.add_html(f'<p style="margin:.6em .95em;font-size:.75em;color:#868e96">{HINT}</p>')
        self._shown = Controls()
        for control, request in (
            (self._solver, requests.solver),
            (self._bend, requests.bend),
            (self._source, requests.source),
        ):
            _forward(control, request)
        self._home.on_click(lambda _: requests.home())

    def show_status(self, words: Words) -> None:
        """Say how things stand."""
        _set(self._status, 'content', _box(words))

    def show_refusal(self, reason: str) -> None:
        """Say why a change was refused; an empty reason takes the words away."""
        _set(self._refusal, 'visible', bool(reason))
        if reason:
            _set(self._refusal, 'content', _box(Words('refused', reason, Level.ERROR.colour)))

    def show_controls(self, controls: Controls) -> None:
        """Put the controls where they belong, also where somebody just moved one in vain."""
        sources = (MOUSE,) if controls.source is None else (DEMO_PATH, MOUSE)
        if tuple(self._source.options) != sources:
            self._source.options = sources
        for control, value in (
            (self._solver, controls.solver),
            (self._bend, controls.bend),
            (self._source, controls.source),
        ):
            _set(control, 'disabled', value is None)
            if value is not None:
                _set(control, 'value', value)
        _set(self._home, 'disabled', controls.solver is None)

    def show_joints(self, chain: Chain, positions: Sequence[float]) -> None:
        """Show (n,) positions in rad, and where they are between their limits."""
        rows = ''.join(map(_row, chain.joints, positions))
        _set(self._joints, 'content', f'<div style="padding:0 .75em .4em">{rows}</div>')

    def hide_joints(self) -> None:
        """Show no joints."""
        _set(self._joints, 'content', '')


def _forward(control: Any, request: Callable[[str], None]) -> None:
    async def on_update(event: Any) -> None:  # async: such callbacks keep their order
        if event.client is not None:  # else it was us who set it
            request(event.target.value)

    control.on_update(on_update)


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


def _row(joint: Joint, position: float) -> str:
    """A line of the table of joints: name, position, and a bar for the place within the limits."""
    bar = '<div style="height:4px"></div>'
    if joint.lower is not None and joint.upper is not None:
        width = joint.upper - joint.lower
        part = min(max((position - joint.lower) / width, 0.0), 1.0) if width > 0.0 else 0.5
        bar = (
            '<div style="height:4px;border-radius:2px;background:#e9ecef;position:relative">'
            f'<div style="position:absolute;left:calc({100.0 * part:.1f}% - 4px);top:-2px;'
            'width:8px;height:8px;border-radius:4px;background:#f08c2e"></div></div>'
        )
    return (
        '<div style="font-size:.8em;margin-bottom:.45em">'
        f'<div style="display:flex;justify-content:space-between"><span>{escape(joint.name)}</span>'
        f'<span style="font-variant-numeric:tabular-nums">{math.degrees(position):.1f}°</span>'
        f'</div>{bar}</div>'
    )
