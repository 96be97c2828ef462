"""The parts of the panel where a path is drawn, and where the arm is designed."""

from __future__ import annotations

from ik2d_ros.viewer.controls import Controls, show_box, small
from ik2d_ros.viewer.design import ADD, REMOVE, Edit
from ik2d_ros.viewer.drawn_path import BAD, GOOD, NO_PATH, DrawnPath
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.script import ROW
from ik2d_ros.viewer.view import Design, Words

PATH_FILE, ARM_FILE = 'path.csv', 'arm.yaml'
DRAWING = "Press points, or draw lines, in the arm's plane. Green is what the arm can follow."
DESIGNING = (
    'Drag a red ball to change a length, a violet one for a limit. Joints are added and removed '
    'at the end.'
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
        self._design: Design | None = None
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

    def show(self, names: tuple[str, ...], design: Design) -> None:
        """Show what can be done with the design of an arm whose chain has these joints."""
        self._design, self._last = design, names[-1]
        self._add.disabled = self._save.disabled = False
        self._remove.disabled = len(names) < 2
        self._undo.disabled = not design.can_undo
