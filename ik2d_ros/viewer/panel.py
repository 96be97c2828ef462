"""The panel on the page: the controls, the status, and the tabs."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ik2d_ros.arm.coordinates import coordinates, last_link, plane_coordinates, to_base_frame
from ik2d_ros.arm.description import ArmDescription, is_gripper
from ik2d_ros.kinematics import BENDS, SOLVERS
from ik2d_ros.kinematics.options import BENDING, angle_refusal
from ik2d_ros.parameters.checks import printable
from ik2d_ros.pilot.outcome import Colour, Level, place_text
from ik2d_ros.pilot.parameters import solvers_for
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.controller import ANGLE
from ik2d_ros.viewer.controls import ROW, STOP, Controls, Slider, heading, show_box, small
from ik2d_ros.viewer.design import ADD, REMOVE, Draft, Edit
from ik2d_ros.viewer.drawing import listen
from ik2d_ros.viewer.handles import KEPT
from ik2d_ros.viewer.view import BAD, GOOD, NO_PATH, Act, DrawnPath, Request, Words

PATH_FILE, ARM_FILE = 'path.csv', 'arm.yaml'
DRAWING = "Press points, or draw lines, in the arm's plane. Green is what the arm can follow."
DESIGNING = (
    'Drag a red ball to change a length, a violet one for a limit. Joints are added and removed '
    'at the end.'
)
WIDTH, LINES = 384, 3  # pixels; of the status, so that what is below does not jump
LINE = 'display:flex;justify-content:space-between;font-variant-numeric:tabular-nums'
LEGEND: Sequence[tuple[Colour, str]] = (
    (drawing.AREA, 'what the tip can reach'),
    (drawing.LIMIT, 'range of a joint; red at a limit'),
    (drawing.GHOST, 'the measured arm'),
    (KEPT, 'the needle, while the tip angle is kept'),
    (GOOD, 'the part of a path that can be followed'),
    (BAD, 'the rest of it'),
)
IN_PLANE = 'Press anywhere: the arm goes there. Drag: it follows.'
IN_SPACE = (
    'Press in the plane of the arm: it goes there. Drag an arrow, or a square to move in two '
    'directions: it follows. Drag anywhere else to turn the view.'
)
VIEW = 'The right button or two fingers move the view, the wheel zooms.'
NEEDLE = (
    'The arc at the end of the needle turns the tip angle. It is that of the last link, from the '
    'horizon upwards.'
)


class PathTab:
    """The controls of the path; disabled at first.

    Attributes:
        draw: whether the mouse draws.
        speed: the speed of the tip.
    """

    def __init__(self, controls: Controls) -> None:
        """Add them."""
        self._path, gui, button = NO_PATH, controls.gui, controls.button
        self.draw = gui.add_checkbox('Draw', False, disabled=True, hint='Off: drags turn the view')
        self.speed = gui.add_number('Speed, m/s', 0.05, min=0.001, step=0.001, disabled=True)
        gui.add_html(ROW)
        self._follow = button('Follow', 'The tip goes along the path', Act.FOLLOW, None)
        self._undo = button('Undo', 'Take back the last point or line', Act.UNDO)
        self._clear = button('Clear', 'Forget the path', Act.CLEAR)
        self._save = button('Save', f'The points as {PATH_FILE}')
        self._verdict = gui.add_html('', visible=False)
        gui.add_html(small(DRAWING))
        controls.asks(self.draw.on_update, Act.DRAW)
        controls.saves(self._save, PATH_FILE, self._csv)

    def show(self, path: DrawnPath, is_drawing: bool) -> None:
        """Show what can be done with the path that is drawn, and what the node says of it."""
        self._path = path
        self.draw.value = is_drawing
        self._follow.disabled = len(path.points) < 2
        self._undo.disabled = path.before is None
        for button in (self._clear, self._save):
            button.disabled = not path.points
        words, verdict = None, path.verdict
        if verdict is not None:
            words = Words(verdict.code, verdict.message, GOOD if verdict.reachable else BAD)
        show_box(self._verdict, words)

    def _csv(self) -> str:
        return 'x,y,z\n' + ''.join(f'{x:.6g},{y:.6g},{z:.6g}\n' for x, y, z in self._path.points)


class DesignTab:
    """The controls of a design.

    Attributes:
        drag: whether the ends of its links and limits are handles.
    """

    def __init__(self, controls: Controls) -> None:
        """Add them."""
        button = controls.button
        self._design: Draft | None = None
        self._last = ''  # joint
        self.drag = controls.gui.add_checkbox('Handles', False, hint='Off: the target is dragged')
        controls.gui.add_html(ROW)
        self._add, self._remove = button('Add', 'A joint'), button('Remove', 'The last joint')
        self._undo = button('Undo', 'Take back the last change', Act.UNDO_EDIT)
        self._save = button('Save', f'The parameter file, as {ARM_FILE}')
        controls.gui.add_html(small(DESIGNING))
        controls.on(self._add.on_click, lambda _: Request(Act.EDIT, Edit(ADD, self._last)))
        controls.on(self._remove.on_click, lambda _: Request(Act.EDIT, Edit(REMOVE, self._last)))
        controls.saves(self._save, ARM_FILE, lambda: self._design.file() if self._design else '')

    def show(self, names: tuple[str, ...], design: Draft) -> None:
        """Show what can be done with the design of an arm whose chain has these joints."""
        self._design, self._last = design, names[-1]
        self._add.disabled = self._save.disabled = False
        self._remove.disabled = len(names) < 2
        self._undo.disabled = not design.before


class Panel:
    """The panel; empty and disabled at first.

    Attributes:
        path: the part about paths.
        design: the part for designing the arm, if that is possible.
    """

    def __init__(
        self,
        server: Any,
        title: str,
        on_request: Callable[[Request], None],
        reset_view: Callable[[Any], None],
        can_design: bool,
    ) -> None:
        """Add the panel to a ``viser.ViserServer``; the view is reset for a client."""
        self._controls = controls = Controls(server.gui, on_request)
        gui = controls.gui
        self._of: ArmDescription | None = None

        gui.configure_theme(show_logo=False, show_share_button=False, control_width='large')
        gui.main_panel.set_width(WIDTH)
        gui.main_panel.dock_right()
        self._title, self._heading = title, gui.add_html('')
        self._hint = gui.add_html('', visible=False)
        gui.add_html(ROW + STOP)
        self._stop = controls.button('Stop', 'The arm brakes and stands', Act.STOP, 'red')
        self._home = controls.button('Home', 'Send the joints home', Act.HOME, None)
        reset = gui.add_button('View', hint='Show all of the arm', color='gray')
        self._pause = controls.button('', 'The target of the demo stops, or goes on', Act.PAUSE)
        self._tip, self._status = gui.add_html(''), gui.add_html('')
        self._refusal = gui.add_html('', visible=False)
        tabs = gui.add_tab_group()
        with tabs.add_tab('Joints') as self._joints:
            with gui.add_form(None) as form:
                hint = 'Where the tip shall go: type it, and press Enter'
                self._target = gui.add_text('Go to', '', disabled=True, hint=hint)
            self._content, self._sliders = gui.add_folder(None), dict[str, Slider]()
            with gui.add_folder(None):  # as wide as the sliders
                hint = 'Reach the target at this tip angle only'
                self._keep = gui.add_checkbox('Keep angle', False, visible=False, hint=hint)
                hint = 'Of the last link, from the horizon upwards; the arrow keys turn it, too'
                turn = 'Tip angle, °', -180.0, 180.0, 1.0, 0.0
                self._turn = gui.add_slider(*turn, visible=False, hint=hint)
        with tabs.add_tab('Path'):
            self.path = PathTab(controls)
        self.design: DesignTab | None = None
        if can_design:
            with tabs.add_tab('Design'):
                self.design = DesignTab(controls)
        with tabs.add_tab('Arm'):
            self._arm = gui.add_dropdown('Arm', ('',), visible=False)
            self._settings = {  # parameters of the node
                'path_speed': self.path.speed,
                'solver': gui.add_dropdown('Solver', SOLVERS),
                'bend': gui.add_dropdown('Bend', BENDS, hint='Which way the elbow bends'),
            }
        with tabs.add_tab('Help'):
            self._legend = gui.add_html('')
        for name, control in self._settings.items():
            controls.on(control.on_update, partial(_setting, name))
        controls.asks(self._arm.on_update, Act.CHOOSE_ARM)
        controls.asks(self._keep.on_update, Act.KEEP_ANGLE)
        controls.on(self._turn.on_update, self._turned)
        controls.on(form.on_submit, self._typed)
        listen(reset.on_click, lambda event: event.client, reset_view)

        async def stop_drawing(_: Any) -> None:  # a new page could not drag, and not see why
            on_request(Request(Act.DRAW, False))

        server.on_client_connect(stop_drawing)

    def show_status(self, words: Words, refusal: str = '') -> None:
        """Show the status, and why a change was refused, if one was."""
        show_box(self._status, words, LINES)
        refused = Words('refused', refusal, Level.ERROR.colour)
        show_box(self._refusal, refused if refusal else None)

    def show_choice(self, arms: tuple[str, ...], name: str) -> None:
        """Show which arm this is, also in the browser's tab, and which others there are."""
        self._controls.gui.set_panel_label(name or self._title)
        self._heading.content = heading(name or self._title.strip('/'))
        self._arm.visible = bool(arms)
        if arms:
            self._arm.options = arms
            self._arm.value = name

    def show_arm(
        self,
        arm: ArmDescription,
        poses: tuple[str, ...],
        held: Mapping[str, tuple[float, float]],
    ) -> None:
        """Show the parts that depend on the arm, its named poses and the joints that are held."""
        self._of, controls, names = arm, self._controls, (*arm.names, *held)
        self._target.label = f'Go to {", ".join(coordinates(arm))}'
        self._settings['solver'].options = solvers_for(arm)
        self._legend.content = _help(arm)
        units = *arm.units, *('%' if is_gripper(name) else '' for name in held)
        labels, limits = (*short_names(arm.names), *held), (*arm.limits, *held.values())
        self._content.remove()
        with self._joints:
            self._content = controls.gui.add_folder(None, order=self._content.order)
        with self._content:
            if poses:
                group = controls.gui.add_button_group('Pose', poses)
                controls.asks(group.on_click, Act.GO_TO_POSE)
            self._sliders = {
                each[0]: Slider(controls, *each)
                for each in zip(names, labels, units, limits, strict=True)
            }

    def show_settings(
        self, arm: ArmDescription | None, settings: Mapping[str, object] | None
    ) -> None:
        """Set the controls to the node's values, those that are given; None disables all."""
        given, is_off = settings or {}, settings is None
        for name, control in self._settings.items():
            if name in given:
                control.value = given[name]
        used = self._stop, self._home, self._pause, self.path.draw, self._target
        sliders = (each.handle for each in self._sliders.values())
        for control in (*used, *self._settings.values(), *sliders):
            control.disabled = is_off
        angle = given.get(ANGLE)
        if isinstance(angle, float):
            self._keep.value = not math.isnan(angle)
        if arm is not None and 'solver' in given:
            bends = len(arm.chain) == 2 and given['solver'] in BENDING
            self._settings['bend'].visible = bends

    def show_demo(self, is_paused: bool | None) -> None:
        """Show whether the demo path is paused; None where there is none."""
        self._pause.visible = is_paused is not None
        self._pause.label = 'Go on' if is_paused else 'Pause'

    def show_hint(self, hint: str) -> None:
        """Show on the canvas what to do; nothing hides it."""
        self._hint.content = f'<div class="ik2d-hint">{hint}</div>'
        self._hint.visible = bool(hint)

    def show_angle(self, angle: float | None, is_turned: bool) -> None:
        """Show the tip angle in rad, or leave the slider to who turns it; None hides it."""
        for control in (self._keep, self._turn):
            control.visible = angle is not None
        if angle is not None and self._of is not None and not is_turned:
            self._turn.value = float(round(math.degrees(last_link(self._of).read(angle))))

    def _turned(self, event: Any) -> Request | None:
        if self._of is None:
            return None
        direction = math.radians(event.target.value)
        return Request(Act.TURN, last_link(self._of).angle(direction))

    def _typed(self, _: Any) -> Request | None:
        if self._of is None:
            return None
        text, names, place = self._target.value, coordinates(self._of), None
        with contextlib.suppress(ValueError):
            numbers = [float(number) for number in re.split(r'[\s,;]+', text.strip())]
            place = to_base_frame(self._of, numbers)
        if place is not None and all(map(math.isfinite, place)):
            return Request(Act.TARGET, place)
        allowed = f'{len(names)} finite numbers in m: {", ".join(names)}'
        return Request(Act.REFUSE, f"'{printable(text, 80)}' is no place; it must be {allowed}")

    def show_pose(
        self,
        arm: ArmDescription,
        positions: Sequence[float],
        held_at: Mapping[str, float],
        in_hand: object,
    ) -> None:
        """Show the tip and joints at (m,) positions, but not a slider in someone's hand."""
        x, y, z = arm.kinematics.forward(positions).tolist()
        names = ', '.join(coordinates(arm))
        numbers = place_text(plane_coordinates(arm, (x, y, z)))
        tip = f'<div style="{LINE}"><span>Tip {names}</span><span>{numbers} m</span></div>'
        self._tip.content = small(tip)
        known = {**dict(zip(arm.names, positions, strict=True)), **held_at}
        for name, slider in self._sliders.items():
            position = known.get(name, math.nan)
            if name != in_hand and math.isfinite(position):
                slider.show(position)


def _setting(name: str, event: Any) -> Request:
    return Request(Act.SET, (name, event.target.value))


def _help(arm: ArmDescription) -> str:
    """Return the HTML of the tab with that name."""
    rows = ''.join(
        f'<div><span style="color:rgb{colour};font-size:1.4em">&#9632;</span> {words}</div>'
        for colour, words in LEGEND
    )
    how = f'{IN_PLANE if arm.carrier is None else IN_SPACE} {VIEW}'
    if not angle_refusal(arm.chain):
        sense, zero = last_link(arm)
        shift = round(math.degrees(-sense * zero), 1) + 0.0
        own = f'{"-" * (sense < 0.0)}angle {"-" if shift < 0.0 else "+"} {abs(shift):g}'
        how += f' {NEEDLE} Parameter tip_angle: {own}°.'
    return small(f'<p>{how}</p>{rows}')


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
