"""The panel of the page, without nodes or a browser."""

from __future__ import annotations

import math
import random

import pytest

from ik2d_ros.viewer.requests import Act


def test_sliders_follow_the_joints_and_move_them_and_poses_are_buttons(serve, open_wire):
    served, rng = serve('so101'), random.Random(2)
    served.show(poses=('rest',), held={'jaw': (-0.2, 1.7)})
    arm, page = served.view.arm, open_wire(served.address)
    labels = [*(f'{name}, °' for name in arm.names), 'jaw, %']
    page.wait(lambda: all(map(page.labels, labels)), 'a slider for each joint')
    positions = tuple(rng.uniform(*limits) for limits in arm.limits)
    served.show(positions=positions, held_at={'jaw': 0.7})
    percent = 100.0 * (0.7 + 0.2) / (1.7 + 0.2)
    degrees = pytest.approx([*map(math.degrees, positions), percent], abs=0.51)
    page.wait(lambda: list(map(page.chosen, labels)) == degrees, 'the positions')
    page.choose(labels[1], 12.5)
    page.wait(lambda: served.requested(Act.MOVE_JOINT), 'a joint that moves')
    [(moved, position)] = served.requested(Act.MOVE_JOINT)  # before, they only followed
    assert (moved, math.degrees(position)) == (arm.names[1], pytest.approx(12.5))
    served.show(positions=arm.home, in_hand=moved)
    first = pytest.approx(math.degrees(arm.home[0]), abs=0.11)
    page.wait(lambda: page.chosen(labels[0]) == first, 'the others at home')
    assert page.chosen(labels[1]) == 12.5  # is left in the hand
    page.press('Pose', 'rest')
    page.wait(lambda: served.requested(Act.GO_TO_POSE) == ['rest'], 'the pose')

    def gap():
        left, right = (page.nodes[f'/arm/0/1/2/end/hand/{side}'] for side in ('left', 'right'))
        return left['visible'] and left['position'][1] - right['position'][1]

    before = gap()
    served.show(held_at={'jaw': 1.5})
    page.wait(lambda: gap() > 1.2 * before, 'two fingers that open')
