"""The tabs of the panel where joints are moved, a path is drawn, and the arm is designed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.joints import is_gripper
from ik2d_ros.viewer.controls import HINTS, Controls, Slider, show_box, small
from ik2d_ros.viewer.design import ADD, REMOVE, Draft, Edit
from ik2d_ros.viewer.drawn_path import BAD, GOOD, NO_PATH, DrawnPath
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.script import ROW
from ik2d_ros.viewer.view import Words

PATH_FILE, ARM_FILE = 'path.csv', 'arm.yaml'
DRAWING = "Press points, or draw lines, in the arm's plane. Green is what the arm can follow."
DESIGNING = (
    'Drag a red ball to change a length, a violet one for a limit. Joints are added and removed '
    'at the end.'
)


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
                self._controls.on(
                    group.on_click, lambda event: Request(Act.GO_TO_POSE, str(event.target.value))
                )
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
        controls.asks(self.draw, Act.DRAW)
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
