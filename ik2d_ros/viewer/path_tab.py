"""The part of the panel about paths that are drawn."""

from __future__ import annotations

from typing import Any

from ik2d_ros.viewer.controls import Controls, show_box, small
from ik2d_ros.viewer.drawn_path import BAD, GOOD, NO_PATH, DrawnPath
from ik2d_ros.viewer.incoming import MOST_BYTES
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.script import ROW_OF_FIVE, for_pointer
from ik2d_ros.viewer.view import Words

FILE = 'path.csv'
HELP = 'points, or draw lines, in the plane of the arm. Green is what the arm can follow.'


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
        gui.add_html(ROW_OF_FIVE)
        self._follow = button('Follow', 'The tip goes along the path', Act.FOLLOW, None)
        self._undo = button('Undo', 'Take back the last point or line', Act.UNDO)
        self._clear = button('Clear', 'If the arm follows it, it stops', Act.CLEAR)
        self._save = button('Save', f'The points as {FILE}')
        load = gui.add_upload_button('Load', mime_type='.csv', color='gray', hint='Points (CSV)')
        self._verdict = gui.add_html('', visible=False)
        gui.add_html(small(f'{for_pointer("Click", "Tap")} {HELP}'))
        controls.asks(self.draw, Act.DRAW)
        controls.on(load.on_upload, _loaded)
        controls.saves(self._save, FILE, self._csv)

    def show(self, path: DrawnPath, is_drawing: bool, can_undo: bool) -> None:
        """Show what can be done with the path that is drawn, and what the node says of it."""
        self._path = path
        self.draw.value = is_drawing
        self._follow.disabled = len(path.points) < 2
        self._undo.disabled = not can_undo
        for button in (self._clear, self._save):
            button.disabled = not path.points
        words, verdict = None, path.verdict
        if verdict is not None:
            words = Words(verdict.code, verdict.message, GOOD if verdict.reachable else BAD)
        show_box(self._verdict, words)

    def _csv(self) -> str:
        return 'x,y,z\n' + ''.join(f'{x:.6g},{y:.6g},{z:.6g}\n' for x, y, z in self._path.points)


def _loaded(event: Any) -> Request:
    file = event.target.value
    if not file.name:
        most = f'{MOST_BYTES:,} bytes are allowed'
        return Request(Act.REFUSE, f'the file is too large, or another one is on its way; {most}')
    return Request(Act.LOAD, file.content.decode('utf-8', 'replace'))
