"""The page in a real browser, against the real node: what a person sees and does there.

Positions are read from the scene that the browser draws, and held against a forward kinematics of
the test's own over the joint states that the node publishes.
"""

from __future__ import annotations

import math
import os
import statistics
import threading
import time
from pathlib import Path

import pytest

if not os.environ.get('IK2D_REQUIRE_ROS'):
    pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('viser', reason='viser is not installed')
pytest.importorskip('playwright', reason='playwright is not installed')

import page as pages
import rclpy
from geometry_msgs.msg import PointStamped
from harness import DEFAULT_TIMEOUT
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from ik2d_ros.arm.description import load_arm
from ik2d_ros.arm.plane import plane_from_pose
from ik2d_ros.demo.monitor import joint_points
from ik2d_ros.viewer.parameters import find_url

pytestmark = pytest.mark.skipif(
    pages.CHROMIUM is None, reason='Chromium is missing: apt-get install chromium'
)

CONFIG = Path(__file__).resolve().parents[2] / 'config'
MILLIMETRE = 1e-3

RELIABLE = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)


@pytest.fixture(scope='module')
def chromium():
    with pages.browser() as running:
        yield running


class Heard:
    """What is published in a namespace, taken in by a thread of its own."""

    def __init__(self, namespace=''):
        self.targets, self.poses = [], []
        self.node = rclpy.create_node('prober')
        self.publisher = self.node.create_publisher(
            PointStamped, f'{namespace}/ik2d/target', RELIABLE
        )
        self.node.create_subscription(
            PointStamped, f'{namespace}/ik2d/target', self.targets.append, RELIABLE
        )
        self.node.create_subscription(
            JointState,
            f'{namespace}/joint_states',
            lambda message: self.poses.append((time.monotonic(), message)),
            RELIABLE,
        )
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.is_over = False
        self.thread.start()

    def spin(self):
        while not self.is_over:
            self.executor.spin_once(timeout_sec=0.05)

    def set(self, node, name, value):
        """Set a parameter of a node."""
        client = self.node.create_client(SetParameters, f'{node}/set_parameters')
        assert client.wait_for_service(timeout_sec=DEFAULT_TIMEOUT)
        parameter = Parameter(name, value=value).to_parameter_msg()
        done = threading.Event()
        future = client.call_async(SetParameters.Request(parameters=[parameter]))
        future.add_done_callback(lambda _: done.set())
        assert done.wait(DEFAULT_TIMEOUT)
        assert future.result().results[0].successful

    def end(self):
        self.is_over = True
        self.thread.join()
        self.node.destroy_node()

    def tips(self, arm, since=0):
        """(time, x, y) of this arm's tip for the poses from the one numbered ``since`` on."""
        return [
            (when, *joint_points(arm, message.position)[-1])
            for when, message in self.poses[since:]
            if tuple(message.name) == arm.chain.names
        ]

    def tip(self, arm):
        """(x, y) of this arm's tip; nan, which is close to nothing, before its first pose."""
        tips = self.tips(arm, since=-1)
        return tips[-1][1:] if tips else (math.nan, math.nan)


@pytest.fixture
def heard(ros):
    listeners = []

    def listen(namespace=''):
        listeners.append(Heard(namespace))
        return listeners[-1]

    yield listen
    for listener in listeners:
        listener.end()


@pytest.fixture
def run(start_process, ros_environment):
    """Start programs of the package; none may have printed a traceback in the end."""
    processes = []

    def start(module, *arguments):
        processes.append(start_process('-m', f'ik2d_ros.{module}', *arguments))
        return processes[-1]

    def start_node(name, *arguments):
        file = str(CONFIG / f'{name}.yaml')
        return start('node', '--ros-args', '--params-file', file, *arguments)

    def start_viewer(*arguments):
        viewer = start('viewer', '--ros-args', '-p', 'port:=0', *arguments)
        viewer.wait_for_output('showing')
        return find_url(viewer.output)

    start.node, start.viewer = start_node, start_viewer
    yield start
    for process in processes:
        process.end()
        assert 'Traceback' not in process.output
        assert 'Error' not in process.output


@pytest.fixture
def open_page(chromium):
    opened = []

    def open_one(address, wait=True):
        opened.append(pages.open_page(chromium, address))
        if wait:
            opened[-1].wait_for_arm()
        return opened[-1]

    yield open_one
    for page in opened:
        assert page.complaints == []
        page.page.close()


def close(place, other, tolerance=MILLIMETRE):
    return math.dist(place, other) <= tolerance


def is_where_ros_says(page, heard, arm):
    return close(page.tip, heard.tip(arm))


def test_a_drag_moves_the_arm_and_the_page_shows_where_it_is(run, heard, open_page, capsys):
    arm = load_arm(CONFIG / 'two_bone.yaml')
    ros = heard()
    run.node('two_bone')
    page = open_page(run.viewer())
    page.wait_for_text('READY')
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the tip at home')
    home = page.handle
    assert close(home, page.tip)
    assert ros.targets == []  # an untouched handle never publishes

    page.drag((0.3, 0.2), (0.1, 0.3))
    page.wait(lambda: close(ros.tip(arm), (0.1, 0.3), 0.003), 'the tip at the mouse')
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the tip on the page')
    page.wait_for_text('REACHED')
    assert close(page.handle, (0.1, 0.3), 0.003)

    page.drag((0.5, 0.4))
    page.wait_for_text('TOO_FAR')
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the closest pose on the page')
    assert close(page.handle, (0.5, 0.4), 0.003)
    assert {target.point.z for target in ros.targets} == {0.0}

    count = len(ros.targets)
    page.page.get_by_role('button', name='Home').click()
    page.wait(lambda: close(page.tip, home) and close(page.handle, home), 'the arm at home')
    page.wait(lambda: len(ros.targets) > count, 'the target at home')
    assert len(ros.targets) == count + 1

    with capsys.disabled():
        print(f'\n  drag to joint_states: {report_latency(page, ros, arm)}')


def report_latency(page, ros, arm):
    """Drag along a line, 60 times a second, and see when the tip is where the mouse was."""
    moves, count = [], len(ros.poses)
    places = [(0.45 - 0.004 * i, 0.2) for i in range(90)]
    page.drag(places[0])
    page.wait(lambda: close(ros.tip(arm), places[0], 0.003), 'the begin of the line')
    pixels = [page.on_screen(*place) for place in places]
    with page.grabbed():
        begin = time.monotonic()
        for i, (place, pixel) in enumerate(zip(places, pixels, strict=True)):
            while time.monotonic() < begin + i / 60.0:
                time.sleep(0.001)
            moves.append((time.monotonic(), place[0]))
            page.page.mouse.move(*pixel)
    page.wait(lambda: close(ros.tip(arm), places[-1], 0.003), 'the end of the line')
    tips = ros.tips(arm, count)
    delays = []
    for sent, x in moves[1:]:
        # A pixel is some 2 mm, and the mouse is on whole ones only.
        arrived = next(when for when, tip_x, _ in tips if when >= sent and tip_x <= x + 0.002)
        delays.append(1e3 * (arrived - sent))
    worst = statistics.quantiles(delays, n=20)[-1]
    return f'median {statistics.median(delays):.0f} ms, 95 % within {worst:.0f} ms'


def test_the_solver_is_switched_and_a_refusal_is_shown(run, heard, open_page):
    arm = load_arm(CONFIG / 'three_link.yaml')
    ros = heard('/robot1')
    run.node('three_link', '-r', '__ns:=/robot1')
    page = open_page(run.viewer('-p', 'node:=/robot1/ik2d'))
    page.wait_for_text('READY')
    page.choose('Solver', 'two_bone')
    page.wait_for_text('exactly two')
    page.wait(lambda: page.chosen('Solver') == 'auto', 'the solver that was')
    page.choose('Solver', 'ccd')
    page.wait(lambda: 'exactly two' not in page.text, 'the end of the refusal')
    page.wait(lambda: page.chosen('Solver') == 'ccd', 'the solver that was chosen')

    # The plane of this arm stands upright and beside its frame's origin.
    plane = plane_from_pose(arm.base_xyz, arm.base_rpy)
    page.drag((0.3, 0.4))
    page.wait(lambda: close(ros.tip(arm), (0.3, 0.4), 0.003), 'the tip at the mouse')
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the tip on the page')
    point = ros.targets[-1].point
    assert plane.locate((point.x, point.y, point.z)) == pytest.approx((0.3, 0.4, 0.0), abs=0.003)


def test_the_node_goes_and_another_one_comes(run, heard, open_page):
    ros = heard()
    page = open_page(run.viewer(), wait=False)
    page.wait_for_text('NO NODE')
    assert '/ik2d' in page.text
    node = run.node('two_bone')
    page.wait_for_text('READY')
    page.wait_for_arm()
    page.drag((0.3, 0.2))
    page.wait_for_text('REACHED')
    node.popen.kill()  # without a word of goodbye
    page.wait_for_text('is gone')
    node = run.node('three_link')
    page.wait_for_text('READY')
    assert 'is gone' not in page.text
    page.wait_for_text('wrist')
    arm = load_arm(CONFIG / 'three_link.yaml')
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the tip of the other arm')
    page.drag((0.3, 0.4))
    page.wait(lambda: close(ros.tip(arm), (0.3, 0.4), 0.003), 'the tip at the mouse')
    assert node.stop() == 0
    page.wait_for_text('is gone')


def test_two_pages_show_the_same_and_others_move_the_target_too(run, heard, open_page):
    arm = load_arm(CONFIG / 'two_bone.yaml')
    ros = heard()
    run.node('two_bone')
    address = run.viewer()
    left, right = open_page(address), open_page(address)
    right.wait_for_text('READY')
    left.drag((0.2, 0.3))
    for page in (left, right):
        page.wait(lambda page=page: close(page.handle, (0.2, 0.3), 0.003), 'the handle')
        page.wait(lambda page=page: is_where_ros_says(page, ros, arm), 'the tip')
    right.drag((0.3, -0.2))
    left.wait(lambda: close(left.handle, (0.3, -0.2), 0.003), 'the handle')
    with left.grabbed() as move:  # and never lets go
        move(0.2, -0.3)
        left.wait(lambda: close(ros.tip(arm), (0.2, -0.3), 0.003), 'the tip')
        left.page.close()
    count = len(ros.targets)
    message = PointStamped()
    message.point.x, message.point.y = 0.25, 0.25
    ros.publisher.publish(message)
    right.wait(lambda: close(right.tip, (0.25, 0.25)), 'the tip where someone else put it')

    def is_followed():  # once it is clear that the other page will not drag any more
        ros.publisher.publish(message)
        return close(right.handle, (0.25, 0.25))

    right.wait(is_followed, 'the handle')
    places = {(target.point.x, target.point.y) for target in ros.targets[count:]}
    assert places == {(0.25, 0.25)}  # the handle followed, and published nothing itself


def test_the_demo_path_makes_way_for_the_mouse_and_comes_back(run, heard, open_page):
    arm = load_arm(CONFIG / 'two_bone.yaml')
    ros = heard()
    demo = run('cli', 'demo', '--port', '0')
    demo.wait_for_output('Drag the target at')
    page = open_page(find_url(demo.output))
    page.wait(lambda: page.chosen('Target') == 'demo path', 'the demo path')
    first = page.handle
    page.wait(lambda: not close(page.handle, first, 0.01), 'the target on its way')

    page.choose('Target', 'mouse')
    page.wait_until_at_rest()
    page.choose('Target', 'demo path')
    place = page.handle
    page.wait(lambda: not close(page.handle, place, 0.01), 'the target on its way again')

    ros.set('ik2d_target', 'period', 1200.0)  # on a busy machine the page lags behind the target
    page.catch()
    page.wait_until_at_rest()
    page.drag((0.25, 0.25), (0.25, 0.2))
    page.wait(lambda: close(ros.tip(arm), (0.25, 0.2), 0.003), 'the tip at the mouse')
    page.wait_until_at_rest()
    assert close(page.handle, (0.25, 0.2), 0.003)
    assert page.chosen('Target') == 'mouse'

    assert demo.stop() == 0
    assert 'targets answered' in demo.stdout
    assert demo.stderr == ''
