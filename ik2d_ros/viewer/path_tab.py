"""The part of the panel about paths that are drawn."""

from __future__ import annotations

from ik2d_ros.viewer.controls import Controls, show_box, small
from ik2d_ros.viewer.drawn_path import BAD, GOOD, NO_PATH, DrawnPath
from ik2d_ros.viewer.requests import Act
from ik2d_ros.viewer.script import ROW
from ik2d_ros.viewer.view import Words

FILE = 'path.csv'
HELP = "Press points, or draw lines, in the arm's plane. Green is what the arm can follow."


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
        self._save = button('Save', f'The points as {FILE}')
        self._verdict = gui.add_html('', visible=False)
        gui.add_html(small(HELP))
        controls.asks(self.draw, Act.DRAW)
        controls.saves(self._save, FILE, self._csv)

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
