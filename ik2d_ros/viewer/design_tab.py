"""The part of the panel where the arm is designed."""

from __future__ import annotations

import math
from functools import partial
from html import escape
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.viewer.controls import OnRequest, on_press, small, update
from ik2d_ros.viewer.design import ADD, LENGTH, LOWER, REMOVE, UPPER, Edit, span
from ik2d_ros.viewer.drawing import listen
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.script import COPY, ROW_OF_FIVE, SAVE
from ik2d_ros.viewer.view import Design

DEGREES = math.degrees(1.0)
STEPS = {'m': 0.001, 'deg': 1.0}


class DesignTab:
    """The controls of one joint at a time, and of the arm."""

    def __init__(self, gui: Any, on_request: OnRequest) -> None:
        """Add them.

        Args:
            gui: the ``gui`` of a server.
            on_request: called when one is used.
        """
        self._shown: tuple[ArmDescription, Design] | None = None
        self._joint = gui.add_dropdown('Joint', ('',))
        names = {LENGTH: 'Length', LOWER: 'From', UPPER: 'To'}
        self._sliders = {
            field: gui.add_slider(name, 0.0, 1.0, 0.001, 0.0) for field, name in names.items()
        }
        self._factors = dict.fromkeys(names, 1.0)
        self.drag = gui.add_checkbox('Drag ends', False, hint='The ends of the links are handles')
        """Whether they are."""
        gui.add_html(ROW_OF_FIVE)
        add = gui.add_button('Add', hint='A joint after this one', color='gray')
        self._remove = gui.add_button('Remove', hint='This joint', color='gray')
        self._undo = gui.add_button('Undo', hint='Take back the last change', color='gray')
        gui.add_button(COPY, hint='The parameter file', color='gray')
        gui.add_button(SAVE, hint='The parameter file', color='gray')
        self._angles = gui.add_html('')
        self._file = gui.add_html('')
        for field, slider in self._sliders.items():
            listen(slider.on_update, partial(self._edited, field), on_request)
        for field, button in ((ADD, add), (REMOVE, self._remove)):
            listen(button.on_click, partial(self._pressed, field), on_request)
        on_press(self._undo, Act.UNDO_EDIT, on_request)
        listen(self._joint.on_update, lambda _: True, lambda _: self._show_joint(is_new=True))

    def show(self, arm: ArmDescription, design: Design) -> None:
        """Show the design, but leave the sliders while they may be in someone's hand."""
        is_other = self._shown is None or self._shown[0].names != arm.names
        self._shown, names = (arm, design), arm.chain.names
        if is_other:
            name = self._joint.value if self._joint.value in names else names[-1]
            update(self._joint, options=names)
            update(self._joint, value=name)
        if is_other or not design.is_new:
            self._show_joint(is_other)
        update(self._remove, disabled=len(names) < 2)
        update(self._undo, disabled=not design.can_undo)
        update(self._file, content=f'<pre class="ik2d-file" hidden>{escape(design.file)}</pre>')
        text = f'Tip angles at the target: {design.angles}' if design.angles else ''
        update(self._angles, content=small(text))

    def _show_joint(self, is_new: bool) -> None:
        """Show the joint that is chosen; a new one may have another range."""
        if self._shown is None:
            return
        arm = self._shown[0]
        joint = next((each for each in arm.chain.joints if each.name == self._joint.value), None)
        if joint is None:
            return
        lower, upper = span(arm, joint.name)
        unit, factor, reach = 'm', 1.0, arm.chain.reach.outer or 1.0
        least, most = (lower - reach, upper + reach)
        if arm.units[arm.names.index(joint.name)] == 'rad':
            unit, factor, least, most = 'deg', DEGREES, -math.pi, math.pi
        length = math.hypot(*joint.link)
        for field, value, low, high, what, scale in (
            (LENGTH, length, 0.0, math.ceil(20.0 * reach / len(arm.chain)) / 10.0, 'm', 1.0),
            (LOWER, lower, least, most, unit, factor),
            (UPPER, upper, least, most, unit, factor),
        ):
            slider, shown = self._sliders[field], scale * value
            if is_new or not slider.min <= shown <= slider.max:
                self._factors[field] = scale
                update(slider, label=f'{slider.label.partition(",")[0]}, {what}')
                update(slider, step=STEPS[what])
                update(slider, min=min(scale * low, shown), max=max(scale * high, shown))
            update(slider, value=round(shown, 1 if what == 'deg' else 4))

    def _edited(self, field: str, event: Any) -> Request:
        value = float(event.target.value) / self._factors[field]
        return Request(Act.EDIT, Edit(field, self._joint.value, value))

    def _pressed(self, field: str, _: Any) -> Request:
        return Request(Act.EDIT, Edit(field, self._joint.value))
