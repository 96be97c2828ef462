"""The panel of the page, without nodes or a browser."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from ik2d_ros.arm.coordinates import coordinates, plane_coordinates
from ik2d_ros.kinematics import Wall
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


@pytest.mark.parametrize('name', ['two_bone', 'three_link', 'so101'])
def test_a_place_is_typed_in_coordinates_of_the_base_frame_or_refused(serve, open_wire, name):
    served, rng = serve(name), random.Random(name)
    page, names = open_wire(served.address), coordinates(served.view.arm)
    label = f'Go to {", ".join(names)}'
    page.wait(lambda: page.labels(label), 'the field')
    numbers = [round(rng.uniform(-1.0, 1.0), 3) for _ in names]
    page.submit(label, ', '.join(map(str, numbers)))
    [place] = page.wait(lambda: served.requested(Act.TARGET), 'the target')
    assert plane_coordinates(served.view.arm, place) == pytest.approx(numbers)
    for text in ('', 'here', '0.1', '0.1 ' * 4, 'nan ' * len(names)):
        served.requests.clear()
        page.submit(label, text)
        [words] = page.wait(lambda: served.requested(Act.REFUSE), 'the refusal')
        assert f'{len(names)} finite numbers in m' in words


def test_walls_are_drawn_behind_their_surfaces(serve, open_wire):
    served, walls = serve(), {'table': (0.0, -0.1, 0.0), 'far': (0.0, -9.0, 0.0)}
    drawn = [Wall(point, (0.0, 1.0, 0.0), 0.01, name=name) for name, point in walls.items()]
    served.show(arm=replace(served.view.arm, walls=tuple(drawn)), version=99)
    page = open_wire(served.address)
    for name, (_, surface, _) in walls.items():
        slab = page.wait(lambda name=name: page.nodes.get(f'/walls/{name}'), 'a wall')
        top = slab['position'][1] + 0.5 * slab['dimensions'][2]
        assert surface - 0.02 < top < surface - 0.005  # a little below, for the floor's lines
