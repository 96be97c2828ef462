"""The part of the panel where the arm is designed."""

from __future__ import annotations

import math
from functools import partial
from html import escape
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.viewer.controls import Controls, small
from ik2d_ros.viewer.design import ADD, LENGTH, LOWER, REMOVE, UPPER, Edit, span
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.script import COPY, ROW_OF_FIVE
from ik2d_ros.viewer.sliders import Slider
from ik2d_ros.viewer.stage import listen
from ik2d_ros.viewer.view import Design

FIELDS = {LENGTH: 'Length', LOWER: 'From', UPPER: 'To'}
FILE = 'arm.yaml'


class DesignTab:
    """The controls of one joint at a time, and of the arm.

    Attributes:
        drag: whether the ends of its links and limits are handles.
    """

    def __init__(self, controls: Controls, tab: Any) -> None:
        """Add them to a tab."""
        gui, button = controls.gui, controls.button
        self._controls, self._tab = controls, tab
        self._shown: tuple[ArmDescription, Design] | None = None
        self._joint = gui.add_dropdown('Joint', ('',))
        self._content = gui.add_folder(None)
        self._sliders: dict[str, Slider] = {}
        self._slid = ''  # the joint that they are of
        self.drag = gui.add_checkbox('Handles', False, hint='Drag the ends of links and limits')
        gui.add_html(ROW_OF_FIVE)
        add, self._remove = button('Add', 'A joint after this one'), button('Remove', 'This joint')
        self._undo = button('Undo', 'Take back the last change', Act.UNDO_EDIT)
        copy, save = button(COPY, 'The parameter file'), button('Save', f'The same, as {FILE}')
        self._angles, self._file = gui.add_html(''), gui.add_html('')
        controls.on(add.on_click, lambda _: self._edit(ADD))
        controls.on(self._remove.on_click, lambda _: self._edit(REMOVE))
        for always in (add, copy, save):
            always.disabled = False
        controls.saves(save, FILE, lambda: self._shown[1].file if self._shown else '')
        listen(self._joint.on_update, lambda _: True, lambda _: self._show_joint())

    def show(self, arm: ArmDescription, design: Design) -> None:
        """Show the design, but leave the sliders while they may be in someone's hand."""
        self._shown, names = (arm, design), arm.chain.names
        is_other = self._joint.options != names
        if is_other:
            name = self._joint.value if self._joint.value in names else names[-1]
            self._joint.options = names
            self._joint.value = name
        if is_other or not design.is_new:
            self._show_joint()
        self._remove.disabled = len(names) < 2
        self._undo.disabled = not design.can_undo
        self._file.content = f'<pre class="ik2d-file" hidden>{escape(design.file)}</pre>'
        text = f'Tip angles at the target: {design.angles}' if design.angles else ''
        self._angles.content = small(text)

    def _show_joint(self) -> None:
        """Show the joint that is chosen, with other sliders if it is another one."""
        if self._shown is None or self._joint.value not in self._shown[0].chain.names:
            return
        arm, name = self._shown[0], self._joint.value
        joint = arm.chain.joints[arm.chain.names.index(name)]
        lower, upper = span(arm, name)
        numbers = {LENGTH: joint.length, LOWER: lower, UPPER: upper}
        if name != self._slid or not all(self._sliders[f].holds(x) for f, x in numbers.items()):
            reach = arm.chain.reach.outer or 1.0
            longest = max(math.ceil(20.0 * reach / len(arm.chain)) / 10.0, joint.length)
            far = reach if joint.slides else math.pi
            limits = min(lower, -far), max(upper, far)
            self._slid = name
            self._content = self._controls.emptied(self._content, self._tab)
            ranges = {LENGTH: ('m', (0.0, longest))} | dict.fromkeys(
                (LOWER, UPPER), (joint.unit, limits)
            )
            with self._content:
                self._sliders = {
                    field: Slider(self._controls, FIELDS[field], *of, partial(self._edit, field))
                    for field, of in ranges.items()
                }
        for field, number in numbers.items():
            self._sliders[field].show(number)

    def _edit(self, field: str, number: float = 0.0) -> Request:
        return Request(Act.EDIT, Edit(field, self._joint.value, number))
