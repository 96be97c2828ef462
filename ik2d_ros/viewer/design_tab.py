"""The part of the panel where the arm is designed."""

from __future__ import annotations

from ik2d_ros.viewer.controls import Controls, small
from ik2d_ros.viewer.design import ADD, REMOVE, Edit
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.script import ROW
from ik2d_ros.viewer.view import Design

FILE = 'arm.yaml'
HELP = 'Drag the balls: lengths and limits follow. Joints are added and removed at the end.'


class DesignTab:
    """The controls of a design.

    Attributes:
        drag: whether the ends of its links and limits are handles.
    """

    def __init__(self, controls: Controls) -> None:
        """Add them."""
        button = controls.button
        self._file, self._last = '', ''  # the last joint
        self.drag = controls.gui.add_checkbox('Handles', False, hint='Off: the target is dragged')
        controls.gui.add_html(ROW)
        self._add, self._remove = button('Add', 'A joint'), button('Remove', 'The last joint')
        self._undo = button('Undo', 'Take back the last change', Act.UNDO_EDIT)
        self._save = button('Save', f'The parameter file, as {FILE}')
        controls.gui.add_html(small(HELP))
        controls.on(self._add.on_click, lambda _: Request(Act.EDIT, Edit(ADD, self._last)))
        controls.on(self._remove.on_click, lambda _: Request(Act.EDIT, Edit(REMOVE, self._last)))
        controls.saves(self._save, FILE, lambda: self._file)

    def show(self, names: tuple[str, ...], design: Design) -> None:
        """Show what can be done with the design of an arm whose chain has these joints."""
        self._file, self._last = design.file, names[-1]
        self._add.disabled = self._save.disabled = False
        self._remove.disabled = len(names) < 2
        self._undo.disabled = not design.can_undo
