"""The part of the panel about paths that are drawn."""

from __future__ import annotations

from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.viewer.controls import OnRequest, add_button, box, on_change, on_press, small, update
from ik2d_ros.viewer.drawing import listen
from ik2d_ros.viewer.drawn_path import BAD, GOOD, NO_PATH, DrawnPath
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.script import ROW_OF_FIVE, for_pointer
from ik2d_ros.viewer.view import Words

FILE = 'path.csv'
HELP = 'a point, or draw a line, in the plane of the arm. Green is what the arm can follow.'


class PathTab:
    """The controls of the path; disabled at first."""

    def __init__(self, gui: Any, on_request: OnRequest) -> None:
        """Add them.

        Args:
            gui: the ``gui`` of a server.
            on_request: called when one is used.
        """
        self._path = NO_PATH
        self.draw = gui.add_checkbox('Draw', False, disabled=True, hint='A path for the tip')
        """Whether the mouse draws."""
        self.speed = gui.add_number('Speed, m/s', 0.05, min=0.001, step=0.001, disabled=True)
        """The speed of the tip."""
        gui.add_html(ROW_OF_FIVE)
        self._follow = add_button(gui, 'Follow', 'The tip goes along the path')
        self._undo = add_button(gui, 'Undo', 'Take back the last point or line', 'gray')
        self._clear = add_button(gui, 'Clear', 'If the arm follows it, it stops', 'gray')
        self._save = add_button(gui, 'Save', f'The points as {FILE}', 'gray')
        load = gui.add_upload_button('Load', mime_type='.csv', color='gray', hint='Points (CSV)')
        self._verdict = gui.add_html('', visible=False)
        gui.add_html(small(f'{for_pointer("Click", "Tap")} {HELP}'))
        on_change(self.draw, Act.DRAW, on_request)
        listen(load.on_upload, _loaded, on_request)
        on_press(self._follow, Act.FOLLOW, on_request)
        on_press(self._undo, Act.UNDO, on_request)
        on_press(self._clear, Act.CLEAR, on_request)
        listen(self._save.on_click, self._download, on_request)

    def show(
        self, arm: ArmDescription | None, path: DrawnPath, is_drawing: bool, can_undo: bool
    ) -> None:
        """Show what can be done with the path that is drawn, and what the node says of it."""
        self._path = path
        update(self.draw, value=is_drawing)
        update(self._follow, disabled=len(path.points) < 2)
        update(self._undo, disabled=not can_undo)
        for button in (self._clear, self._save):
            update(button, disabled=not path.points)
        update(self._verdict, visible=path.verdict is not None)
        if path.verdict is not None and arm is not None:
            colour = GOOD if path.verdict.reachable else BAD
            words = Words(path.verdict.code, path.says(arm), colour)
            update(self._verdict, content=box(words))

    def _download(self, event: Any) -> None:
        rows = ''.join(f'{x:.6g},{y:.6g},{z:.6g}\n' for x, y, z in self._path.points)
        event.client.send_file_download(FILE, f'x,y,z\n{rows}'.encode(), save_immediately=True)


def _loaded(event: Any) -> Request:
    return Request(Act.LOAD, event.target.value.content.decode('utf-8', 'replace'))
