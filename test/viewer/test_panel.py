"""The panel and the drawing of the page, without nodes or a browser."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space import random_pose, tip
from wire import shown_arm

from ik2d_ros.arm.coordinates import coordinates, last_link, plane_coordinates
from ik2d_ros.drawing.area import reach_area
from ik2d_ros.drawing.extent import extent, skeleton
from ik2d_ros.drawing.solids import link_width
from ik2d_ros.kinematics import Chain, Wall
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.camera import MARGINS, VIEW_ANGLE, framed, front_of
from ik2d_ros.viewer.design import ADD, LENGTH, REMOVE, UPPER, Draft, Edit
from ik2d_ros.viewer.figure import FINGER, FINGER_RADIUS
from ik2d_ros.viewer.handles import ARROWS, seats
from ik2d_ros.viewer.view import Act


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
        assert (
            surface - 0.02 < slab['position'][1] < surface - 0.005
        )  # a little below, for the floor's lines


def test_the_needle_and_the_slider_show_and_turn_the_tip_angle(serve, open_wire):
    served, angle = serve('three_link'), 0.5
    served.show(angle=angle)
    page, link = open_wire(served.address), last_link(served.view.arm)
    page.wait(lambda: abs(page.needle - angle) < 1e-3, 'the needle along the last link')
    page.turn(-0.3)
    label, degrees = 'Tip angle, °', -20.0
    page.choose(label, degrees)
    page.choose('Keep angle', True)
    page.wait(lambda: served.requested(Act.KEEP_ANGLE) == [True], 'all of it')
    expected = [-0.3, link.angle(math.radians(degrees))]
    assert served.requested(Act.TURN) == pytest.approx(expected)
    served.show(angle=0.2)
    shown = pytest.approx(math.degrees(link.read(0.2)), abs=0.51)
    page.wait(lambda: page.chosen(label) == shown, 'the angle')


def test_balls_at_the_ends_of_links_and_limits_design_the_arm(serve, open_wire):
    served = serve()
    served.show(design=Draft({}, str))
    arm, page = served.view.arm, open_wire(served.address)
    page.choose('Handles', True)
    (ex, ey), (x, y) = arm.chain.forward(arm.home)[-2:].tolist()
    name = '/plane/grips/1length'
    ball = page.wait(lambda: served.show() or page.nodes.get(name), 'a ball')
    page.wait(lambda: ball['position'][:2] == pytest.approx((x, y)), 'it at the tip')
    for field, place, value in (
        (LENGTH, (2.0 * x - ex, 2.0 * y - ey, 0.0), 2.0 * arm.chain.joints[1].length),
        (UPPER, (ex, ey + 1.0, 0.0), 0.5 * math.pi - arm.home[0]),
    ):
        page.socket.send(page.dragged(f'/plane/grips/1{field}', 'update', place))
        [edit] = page.wait(lambda: served.requested(Act.EDIT), 'an edit')
        assert edit == Edit(field, arm.chain.names[1], pytest.approx(value))
        served.requests.clear()
    for button, field in (('Add', ADD), ('Remove', REMOVE)):
        page.press(button)
        page.wait(lambda f=field: served.requested(Act.EDIT) == [Edit(f, 'elbow')], button)
        served.requests.clear()
    page.choose('Handles', False)
    page.wait(lambda: served.show() or name not in page.nodes, 'no balls')


@pytest.mark.parametrize('name', [*single_arms()])
def test_all_that_is_drawn_fills_most_of_a_window_seen_from_the_front_of_its_plane(name):
    """In space it is seen from above, too, and there is room for the arrows."""
    arm, rng = shown_arm(name).arm, random.Random(name)
    turn, *rest = arm.home
    q = arm.clamped([turn + rng.uniform(-3.0, 3.0) * (arm.turntable is not None), *rest])
    axes, plane = front_of(arm, q), arm.tip_plane_at(q)
    margin = MARGINS[arm.carrier is None]
    area = [plane.point(*corner) for corner in reach_area(arm.at_home_roll).points.tolist()]

    def seen(points, aspect):
        """Where points are in the window, from -1 to 1."""
        center, distance = framed(extent(arm, q), axes, aspect, margin)
        x, y, near = axes @ (np.array(points) - center).T
        depths = math.tan(0.5 * VIEW_ANGLE) * (distance - near)
        return np.stack([x / aspect / depths, y / depths], axis=1)

    right, up, away = axes
    assert np.cross(right, up) == pytest.approx(away)
    normal = plane.axes[2]
    assert abs(normal[2]) > 0.5 or abs(np.dot(away, normal)) > 0.7
    if arm.carrier is not None:
        assert (right[2], up[2] > 0.0, away[2] > 0.0) == (pytest.approx(0.0), True, True)
    ends = tip(arm.kinematics, q) + ARROWS * arm.chain.reach.outer * np.eye(3)
    # Beside the panel, and of a phone above it.
    for aspect, height in (((1280 - 384) / 800, 1.0), (390 / 844, 0.56)):
        drawn = seen([*area, *skeleton(arm, q)], aspect)
        assert abs(drawn).max() < 1.0
        assert (0.5 * np.ptp(drawn, axis=0) / (1.0, height)).max() > 0.5
        assert arm.carrier is None or abs(seen(ends, aspect)).max() < 0.95


ARMS = [shown_arm(name).arm for name in ('two_bone', 'three_link', 'so101', 'mearm', 'telescope')]


def frame_of(page, name):
    """The frame of a node as the browser composes it of those that it is on."""
    names = name.split('/')[1:]
    found = Plane.from_pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for count in range(1, len(names) + 1):
        node = page.nodes['/' + '/'.join(names[:count])]
        w, x, y, z = node['wxyz']
        own = Plane.from_quaternion(tuple(node['position']), (x, y, z, w))
        axes = tuple(found.point(*axis) for axis in own.axes)
        axes = tuple(tuple(np.subtract(axis, found.origin)) for axis in axes)
        found = Plane(found.point(*own.origin), axes)
    return found


def test_hand_and_jaws_are_drawn_where_the_kinematics_has_them(serve, open_wire):
    served, rng = serve(), np.random.default_rng(5)
    page = open_wire(served.address)
    for name in ('telescope', 'mearm', 'so101'):  # with a slide, a tool, a roll
        served.show_arm(name)
        page.wait_for_text(name)
        arm, width = served.view.arm, link_width(served.view.arm.chain)
        (hand,) = [
            node for node in page.nodes if node.startswith('/arm/') and node.endswith('/hand')
        ]
        for _ in range(2):
            q = random_pose(arm.kinematics, rng)
            there = pytest.approx(tip(arm.kinematics, q), abs=1e-5)
            served.show(positions=tuple(q.tolist()))
            page.wait(lambda at=hand, there=there: frame_of(page, at).origin == there, 'the hand')
            plane = frame_of(page, '/plane')  # of the area that the tip reaches
            assert plane.locate(frame_of(page, hand).origin).out_of_plane == pytest.approx(
                0.0, abs=1e-5
            )
            left = frame_of(page, f'{hand}/left')
            assert page.nodes[f'{hand}/left']['visible'] == (arm.roll is not None)
            front = drawing.bar(FINGER * width, FINGER_RADIUS * width).vertices[:, 0].max()
            x, gap, z = page.nodes[f'{hand}/left']['position']
            assert -0.1 * width < x + front <= 1e-9  # they end at the tip
            assert z == 0.0
            if arm.roll is not None:
                # A finger is a point of what rolls: the tip of an arm whose last link ends there.
                link, axis = np.array(arm.chain.joints[-1].link), np.array(arm.roll.axis)
                ahead = axis * math.copysign(1.0, axis @ (link - arm.roll.origin))
                link += gap * np.array([-ahead[1], ahead[0]])
                *joints, last = arm.kinematics.chain.joints
                chain = Chain([*joints, last.with_link(tuple(link))], arm.kinematics.chain.tool)
                jaw = tip(replace(arm.kinematics, chain=chain), q)
                assert left.point(-x, 0.0, 0.0) == pytest.approx(jaw, abs=1e-5)


@given(st.sampled_from(ARMS), st.data())
def test_a_limit_is_shown_where_it_brings_the_link_and_read_back_from_there(arm, data):
    q = [data.draw(st.floats(*limits)) for limits in arm.limits]
    index = data.draw(st.integers(0, len(arm.chain) - 1))
    seat = seats(arm, q, away=0.1)[index]
    place = arm.names.index(arm.chain.names[index])
    limits = arm.limits[place]
    position, near = (data.draw(st.floats(*limits)) for _ in range(2))
    x, y = seat.at(position)
    if (not seat.joint.slides and abs(position - near) < math.pi) or seat.joint.slides:
        assert seat.position(x, y, near) == pytest.approx(position)
    q[place] = position
    begin, end = arm.chain.forward(arm.in_plane(q))[index : index + 2]
    if index + 1 == len(arm.chain):
        end = end - arm.chain.tool
    along, shown = end - begin, (x, y) - begin
    if seat.joint.slides:
        shown = shown - along
        assert shown @ along == pytest.approx(0.0, abs=1e-9)
    elif seat.joint.length:
        assert shown == pytest.approx(0.1 * along / seat.joint.length)
