"""An arm in the process of its page, without ROS: in virtual time, and as it is started."""

from __future__ import annotations

import math
import random
import re
from itertools import pairwise

import pytest
from harness import load_configuration, without
from hypothesis import example, given
from hypothesis import strategies as st
from test_controller import REQUESTS

from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.robot.from_urdf import load_completed
from ik2d_ros.viewer.controller import Controller
from ik2d_ros.viewer.design import ADD, LENGTH, LOWER, REMOVE, UPPER, Edit, span
from ik2d_ros.viewer.local import PERIOD, LocalArm
from ik2d_ros.viewer.view import POINTS, Act, Request, Requests

ROS = (
    'rclpy ament_index_python builtin_interfaces diagnostic_msgs geometry_msgs launch launch_ros '
    'nav_msgs rcl_interfaces rosidl_parser sensor_msgs std_msgs std_srvs tf2_ros trajectory_msgs '
    'visualization_msgs'
)


class Alone:
    """An arm and what its page would show, with a clock of their own."""

    def __init__(self, name='two_bone'):
        self.ticks, self.controller, self.told = 0, Controller(name, can_design=True), []
        self.path = path = single_arms()[name]
        parameters, tell = load_completed(path), self.told.append
        self.arm = LocalArm(path, 'ik2d', parameters, self.controller, tell, self.now)

    @property
    def now(self):
        return Now(BILLION + round(self.ticks * PERIOD * BILLION), self.ticks * PERIOD)

    @property
    def view(self):
        return self.controller.view(self.now.steady)

    def do(self, *requests):
        for request in requests:
            for command in self.controller.answer(request, self.now.steady):
                self.arm.carry_out(command, self.now)

    def after(self, seconds):
        for _ in range(round(seconds / PERIOD)):
            self.ticks += 1
            self.arm.tick(self.now)
        return self.view

    def run(self, seconds):
        return (self.after(PERIOD) for _ in range(round(seconds / PERIOD)))

    def tip(self):
        return self.view.arm.kinematics.forward(self.view.positions).tolist()


@given(
    st.lists(st.sampled_from(REQUESTS), max_size=8),
    st.floats(-1.0, 1.0),
    st.floats(0.0, 20.0),
)
def test_whatever_was_asked_the_arm_moves_within_its_limits_to_the_last_target(
    given_, angle, pause
):
    """And however long its process does not run in between."""
    alone = Alone()
    arm, target = alone.view.arm, (0.4 * math.cos(angle), 0.4 * math.sin(angle), 0.0)
    before = arm.home
    for request in given_:
        alone.do(request)
        alone.ticks += round(pause / PERIOD)
        for view in alone.run(0.2):
            for q, last, limits, motion in zip(
                view.positions, before, arm.limits, arm.motion, strict=True
            ):
                assert limits[0] <= q <= limits[1]
                assert abs(q - last) <= motion.velocity * PERIOD + 1e-9
            before = view.positions
    alone.do(Request(Act.KEEP_ANGLE, False), Request(Act.TARGET, target))
    alone.after(0.1)
    alone.ticks += round(pause / PERIOD)
    view = alone.after(8.0)
    assert alone.tip() == pytest.approx(target, abs=1e-5)
    assert (view.words.title, view.target) == ('REACHED', target)


numbers = st.floats() | st.floats(-1.0, 1.0)
places = st.tuples(numbers, numbers, numbers)
names = st.sampled_from(['shoulder', 'elbow', 'joint2', 'joint3', 'three_link', 'nobody', ''])
values = {
    Act.EDIT: st.builds(Edit, st.sampled_from([LENGTH, LOWER, UPPER, ADD, REMOVE]), names, numbers),
    Act.MOVE_JOINT: st.tuples(names, numbers),
    Act.SET: st.tuples(st.just('path_speed'), numbers) | st.tuples(st.just('bend'), names),
    Act.TURN: numbers,
    **dict.fromkeys((Act.GO_TO_POSE, Act.CHOOSE_ARM, Act.REFUSE), names),
    **dict.fromkeys((Act.KEEP_ANGLE, Act.DRAW), st.booleans()),
    **dict.fromkeys((Act.DRAG, Act.TARGET), places | st.none()),
    **dict.fromkeys(POINTS, places),
}
asked = st.sampled_from([*Act, *[Act.EDIT] * 9]).flatmap(
    lambda act: st.builds(Request, st.just(act), values.get(act, st.none()))
)


@given(st.lists(st.lists(asked, min_size=1, max_size=6), max_size=6))
@example([[Request(Act.EDIT, Edit(ADD, 'nobody'))]])
@example(
    [
        [Request(Act.EDIT, Edit(REMOVE, 'elbow')), Request(Act.EDIT, Edit(LENGTH, 'elbow', 0.1))],
        [Request(Act.EDIT, Edit(UPPER, 'elbow', 1.0))],
    ]
)
def test_whatever_pages_ask_there_is_a_design_and_an_arm_that_goes_on(tmp_path_factory, given_):
    """What several pages ask comes late, in any order, and of joints that are gone."""
    alone, waiting = Alone(), Requests(lambda: None)
    for together in given_:
        for each in together:
            waiting.put(each)
        alone.do(*waiting.take())
        view = alone.after(2 * PERIOD)
        assert view.settings is not None
        assert alone.arm.name == view.name
        for q, (lower, upper) in zip(view.positions, view.arm.limits, strict=True):
            assert lower <= q <= upper
    file = tmp_path_factory.mktemp('design') / 'arm.yaml'
    file.write_text(alone.view.design.file())
    assert load_configuration(file).arm == alone.view.arm


def test_the_demo_opens_and_closes_the_gripper_on_its_way_until_it_is_paused_and_again():
    alone = Alone('so101')
    views = [*alone.run(15.0)]
    is_open = [view.opening > 0.5 for view in views if not 0.2 < (view.opening or 0.5) < 0.8]
    assert sum(a != b for a, b in pairwise(is_open)) >= 4  # lap after lap
    alone.do(Request(Act.PAUSE))
    alone.after(5.0)
    assert len({view.positions for view in alone.run(1.0)}) == 1
    alone.do(Request(Act.PAUSE))
    alone.after(0.5)
    assert len({view.positions for view in alone.run(1.0)}) > 10


def test_a_path_is_judged_and_followed():
    alone = Alone()
    begin, far, end = (0.4, 0.1, 0.0), (0.4, 0.9, 0.0), (0.3, 0.3, 0.0)
    alone.do(Request(Act.SET, ('path_speed', 0.05)), Request(Act.DRAW, True))
    alone.do(Request(Act.ADD_POINT, begin), Request(Act.ADD_POINT, far))
    verdict = lambda: alone.view.path.verdict  # noqa: E731
    while verdict() is None:
        alone.after(PERIOD)
    assert verdict().code == 'TOO_FAR'
    alone.do(Request(Act.UNDO), Request(Act.ADD_POINT, end), Request(Act.FOLLOW))
    titles = set()
    while verdict() is None or math.dist(alone.tip(), end) > 1e-4:
        titles |= {view.words.title for view in alone.run(PERIOD)}
    assert verdict().reachable
    assert len([title for title in titles if '% of the path' in title]) > 5, 'no progress is told'


@given(st.floats(-1.5, 1.5), st.floats(0.25, 0.35))
def test_the_tip_angle_is_kept_wherever_the_target_is_until_it_is_let_go(turn, x):
    alone = Alone('three_link')
    arm = alone.view.arm
    alone.do(Request(Act.TARGET, arm.kinematics.plane.point(0.3, 0.3)))
    view = alone.after(5.0)
    angle = math.remainder(view.angle + turn, math.tau)
    alone.do(Request(Act.TURN, angle))
    for target in (view.target, arm.kinematics.plane.point(x, 0.28)):
        alone.do(Request(Act.TARGET, target))
        view = alone.after(5.0)
        off = math.remainder(arm.chain.tip_angle(view.positions) - angle, math.tau)
        assert (view.words.title == 'REACHED') == (abs(off) < 1e-3)
        assert (view.is_kept, view.angle) == (True, pytest.approx(angle))
    alone.do(Request(Act.KEEP_ANGLE, False))
    view = alone.after(5.0)
    assert (view.words.title, view.is_kept) == ('REACHED', False)


edits = st.lists(
    st.tuples(
        st.sampled_from([LENGTH, LOWER, UPPER, ADD, REMOVE]),
        st.integers(0, 9),
        st.floats(-4.0, 4.0),
    ),
    max_size=6,
)


@given(st.sampled_from([*single_arms()]), edits)
@example('two_bone', [(LOWER, 0, 2.049897529845919)])
@example('eezybotarm_mk1', [(LOWER, 1, 0.0)])  # its bend moves other joints
def test_each_edit_gives_an_arm_that_stands_within_its_limits_is_saved_and_can_be_undone(
    tmp_path_factory, name, given_
):
    """The file that is saved has the comments of the one that was read."""
    alone = Alone(name)
    alone.do(Request(Act.PAUSE))
    known = [alone.after(PERIOD).arm]
    for field, place, value in given_:
        before = alone.view
        joint = before.arm.chain.names[place % len(before.arm.chain)]
        alone.do(Request(Act.EDIT, Edit(field, joint, value)))
        view = alone.after(PERIOD)
        for q, (lower, upper) in zip(view.positions, view.arm.limits, strict=True):
            assert lower <= q <= upper
        was = dict(zip(before.arm.names, before.positions, strict=True))
        now = dict(zip(view.arm.names, view.positions, strict=True))
        stays = view.arm.clamped([was.get(each, now[each]) for each in now])
        assert view.positions == pytest.approx(stays)  # as far as it can
        if view.refusal:
            assert view.arm == before.arm
        elif field == LENGTH:
            length = view.arm.chain.joints[place % len(view.arm.chain)].length
            assert length == pytest.approx(max(value, 0.0), abs=0.51e-3)
        elif field in (LOWER, UPPER):
            old, new = (span(each.arm, joint) for each in (before, view))
            wanted = min(value, old[1]) if field == LOWER else max(value, old[0])
            rounding = math.radians(0.05) + 0.51e-4  # to tenths of a degree, then to four digits
            assert new[field == UPPER] == pytest.approx(wanted, abs=rounding)
            assert len(str(new[field == UPPER])) < 8 or wanted in old
        elif field == ADD and view.arm.units[index := view.arm.names.index(joint)] == 'rad':
            assert view.arm.motion[index + 1].velocity == view.arm.motion[index].velocity
        known.append(view.arm)
    file = tmp_path_factory.mktemp('design') / 'arm.yaml'
    file.write_text(alone.view.design.file())
    assert load_configuration(file).arm == alone.view.arm
    before, after = (re.findall('#.*', each.read_text()) for each in (alone.path, file))
    is_removed = any(field == REMOVE for field, *_ in given_)  # with the comments in its lines
    assert after == ([each for each in before if each in after] if is_removed else before)
    while alone.view.design.before:
        before = alone.view.arm
        alone.do(Request(Act.UNDO_EDIT))
        assert alone.view.arm in known
    assert alone.view.arm == known[0]


def test_each_drag_is_undone_as_one_and_the_pose_of_the_demo_is_kept():
    alone = Alone()
    before, known = alone.after(1.0), []
    for field, values in ((LENGTH, (0.33, 0.34)), (LENGTH, (0.35, 0.36)), (UPPER, (2.5, 2.0002))):
        known.append(alone.view.arm)
        for value in values:
            alone.do(Request(Act.EDIT, Edit(field, 'elbow', value)))
        view = alone.after(2.0)
    assert view.is_paused
    assert view.positions == pytest.approx(before.positions, abs=1e-9)
    for arm in known[::-1]:
        assert alone.view.design.before
        alone.do(Request(Act.UNDO_EDIT))
        assert alone.view.arm == arm
    assert not alone.view.design.before


def test_each_arm_is_drawn_after_any_other_as_on_a_fresh_page(serve, open_wire):
    """Also after one whose joints have the same names, and after one that was designed."""
    alone, old = Alone(), serve()
    alone.do(Request(Act.PAUSE))
    page = open_wire(old.address)
    twins = 'so100', 'so101', 'px100', 'px150', 'wx200', 'px150'
    for name in (*random.Random(5).sample([*single_arms()], 4), *twins):
        alone.do(Request(Act.EDIT, Edit(LENGTH, alone.view.arm.chain.names[-1], 0.1)))
        alone.do(Request(Act.CHOOSE_ARM, name))
        other, fresh = Alone(name), serve()
        other.do(Request(Act.PAUSE))
        wire = open_wire(fresh.address)
        for each, served in ((alone, old), (other, fresh)):
            served.page.show(each.after(PERIOD))
        page.wait(lambda w=wire: w.listen() or page.drawing == w.drawing, f'{name} alone')
        title = f'document.title = &quot;{name}&quot;'
        page.wait(lambda t=title: t in str(page.controls), title)


@pytest.mark.parametrize('command', ['view', 'demo'])
def test_without_ros_there_is_the_same_page(viser, open_wire, start_process, command):
    arguments = ['-m', 'ik2d_ros.cli', command, 'so101', '--port', '0']
    process = start_process(*arguments, env=without(ROS))
    process.wait_for_output(' target ')
    [address] = re.findall(r'http://\S+', process.stdout)
    open_wire(address)
    assert process.stop() == 0
    said = 'ik2d demo: ROS 2 is not installed: this is `ik2d view`' * (command == 'demo')
    assert process.stderr.startswith(said)
    assert process.stderr.count('\n') == (command == 'demo')
