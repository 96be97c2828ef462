"""The page without a browser, against real nodes, and its process.

That it ends at a signal, whatever it does, is tested with each process: faults/test_signals.py.
"""

from __future__ import annotations

import contextlib
import math
import socket
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from harness import CONFIG, DEFAULT_TIMEOUT, once, resent, without
from page import find_url
from space import tip
from wire import websocket_headers

from ik2d_ros.robot.from_urdf import load_arm


class Heard:
    """What is published in a namespace: targets, and the poses of an arm."""

    def __init__(self, node, namespace=''):
        from geometry_msgs.msg import PointStamped
        from sensor_msgs.msg import JointState

        self.node, self.targets, self.poses = node, [], []
        topics = {
            'ik2d/target': (PointStamped, self.targets),
            'joint_states': (JointState, self.poses),
        }
        for topic, (kind, messages) in topics.items():
            node.create_subscription(kind, f'{namespace}/{topic}', messages.append, 10)

    def positions(self, arm):
        """The newest (m,) positions of all of an arm's joints; None before the first."""
        import rclpy

        known = None
        while known != (known := (len(self.targets), len(self.poses))):
            rclpy.spin_once(self.node, timeout_sec=0.0)
        last = self.poses[-1] if self.poses else None
        return tuple(last.position) if last and tuple(last.name) == arm.names else None

    def is_at(self, arm, place, tolerance=1e-5):
        """Whether the tip is at a place in the base frame, in m."""
        positions = self.positions(arm)
        return positions is not None and close(tip(arm.kinematics, positions), place, tolerance)


def close(place, other, tolerance=1e-5):
    return math.dist(place, other) <= tolerance


def drag(page, ros, arm, place):
    """Drag the handle to a place in m until we hear the target, and the arm is there.

    The node or this test may have subscribed a moment too late for the first time.
    """
    send = resent(lambda: page.drag(place))
    page.wait(
        lambda: send() or page.listen() or (ros.is_at(arm, place) and ros.targets),
        'the tip at the handle',
    )


@once
def test_an_arm_in_space_is_dragged_along_its_plane_and_across_and_paths_are_drawn_in_it(
    run, ros_node, open_wire
):
    arm, ros = load_arm(CONFIG / 'machines/arduinobot.yaml'), Heard(ros_node)
    run.node('machines/arduinobot', '-p', 'path_speed:=0.5')
    address = run.viewer().address
    page = open_wire(address)
    page.wait_for_text('READY')

    page.wait(lambda: '/plane/front' in page.nodes, 'the area')
    known = len(page.added)
    place = arm.kinematics.forward((-0.4, 0.5, -0.6)).tolist()
    drag(page, ros, arm, place)
    page.wait_for_text('REACHED')
    assert {target.header.frame_id for target in ros.targets} == {arm.base_frame}
    assert all(target.header.stamp.sec > 0 for target in ros.targets)
    assert page.added[known:] == []  # everything moves, and nothing is drawn again

    # The handle lies in the plane, which does not turn while the target stays in it.
    plane = arm.plane_at(ros.positions(arm))
    x, y, z, w = plane.quaternion()
    page.wait(lambda: close(page.nodes['/target/plane']['wxyz'], (w, x, y, z), 1e-3), 'the axes')
    x, y, _ = plane.locate(place)
    wanted = plane.point(x - 0.02, y + 0.01)
    page.drag(wanted)
    page.wait(lambda: ros.is_at(arm, wanted), 'the tip at the handle')
    assert ros.positions(arm)[0] == pytest.approx(-0.4, abs=1e-3)

    page.choose('Draw', True)
    page.wait(lambda: '/plane/paper' in page.nodes, 'a sheet')
    x, y, _ = plane.locate(wanted)
    eye, places = (3.0, -2.0, 1.0), [plane.point(x - a, y) for a in (0.01, 0.04)]
    for each in places:  # seen from aside
        page.click_along(eye, np.subtract(each, eye).tolist())
    page.wait_for_text('can be followed.')
    page.press('Follow')
    page.wait(lambda: ros.is_at(arm, places[-1], 1e-3), 'the end of the path')
    open_wire(address, wait=False)  # which does not know that one draws, and cannot drag then
    page.wait(lambda: '/plane/paper' not in page.nodes, 'no sheet')


def test_the_node_goes_and_another_one_comes(run, ros_node, open_wire):
    """The solver is switched, a refusal is shown, and a measured arm while it is measured."""
    from rclpy.qos import QoSProfile
    from sensor_msgs.msg import JointState

    ros, namespace = Heard(ros_node, '/robot1'), ('-r', '__ns:=/robot1')
    page = open_wire(run.viewer('-p', 'node:=/robot1/ik2d').address, wait=False)
    page.wait_for_text('NO NODE')
    assert '/robot1/ik2d' in page.text
    assert page.chosen('Solver') is None
    node = run.node('three_link', *namespace)
    page.wait_for_text('READY')
    page.choose('Solver', 'two_bone')
    page.wait_for_text('exactly two')
    page.wait(lambda: page.chosen('Solver') == 'auto', 'the solver that was')
    page.choose('Solver', 'ccd')
    page.wait(lambda: 'exactly two' not in page.text, 'the end of the refusal')
    page.wait(lambda: page.chosen('Solver') == 'ccd', 'the other solver')
    # The plane of this arm stands upright and beside its frame's origin.
    page.wait_for_arm()
    arm = load_arm(CONFIG / 'three_link.yaml')
    drag(page, ros, arm, arm.kinematics.plane.point(0.3, 0.4))

    node.popen.kill()  # without a word of goodbye
    page.wait_for_text('is gone')
    node = run.node('telescope', *namespace)
    page.wait_for_text('READY')
    arm = load_arm(CONFIG / 'telescope.yaml')
    page.wait(lambda: page.labels('telescope, m'), 'the other arm')
    page.wait_for_arm()
    drag(page, ros, arm, arm.kinematics.forward((0.7, 0.25)).tolist())
    page.wait(lambda: page.chosen('telescope, m') == 0.25, '0.25 m')

    assert not page.nodes['/ghost']['visible']
    topic = 'measured_joint_states'
    measured = ros_node.create_publisher(JointState, topic, QoSProfile(depth=1))
    message = JointState(name=[*arm.names[::-1]], position=[0.1, 0.5])
    turn = math.cos(0.25), 0.0, 0.0, math.sin(0.25)

    def is_shown():
        measured.publish(message)  # as long as it takes: it goes when nothing is measured
        return page.nodes['/ghost']['visible'] and close(page.nodes['/ghost/0']['wxyz'], turn)

    page.wait(is_shown, 'the ghost in its pose')
    page.wait(lambda: not page.nodes['/ghost']['visible'], 'the end of the ghost')
    assert node.stop() == 0
    page.wait_for_text('is gone')


@once
def test_the_demo_path_makes_way_for_the_mouse_and_goes_on(run, ros_node, open_wire):
    from websockets.exceptions import ConnectionClosed

    arm, ros = load_arm(CONFIG / 'two_bone.yaml'), Heard(ros_node)
    demo = run('-m', 'ik2d_ros.cli', 'demo', '--port', '0')
    demo.wait_for_output('Drag the target at')
    page = open_wire(find_url(demo.output))
    page.wait(lambda: page.labels('Pause'), 'the demo path')
    first = page.handle
    page.wait(lambda: not close(page.handle, first, 0.01), 'the target on its way')
    assert 'Drag the ring' in page.text

    page.drag((0.25, 0.25, 0.0), (0.25, 0.2, 0.0))
    page.wait(lambda: page.labels('Go on'), 'the pause')
    page.drag((0.25, 0.2, 0.0))
    page.wait(lambda: ros.is_at(arm, (0.25, 0.2, 0.0)), 'the tip at the handle')
    page.wait(lambda: 'Drag the ring' not in page.text, 'the end of the hint')
    page.press('Go on')
    page.wait(lambda: not close(page.handle, (0.25, 0.2), 0.01), 'the target on its way again')
    assert demo.stop() == 0
    with pytest.raises(ConnectionClosed):
        page.wait(lambda: False, 'the end of the page')
    assert 'ENDED' in page.text
    assert demo.stderr == ''


@once
def test_it_serves_a_page_to_this_machine_until_it_is_told_to_stop(run):
    """It tells of mistyped parameters, but not of an arm's; the next one gets another port.

    With a host for other machines it tells the token that they need.
    """
    file = str(CONFIG / 'two_bone.yaml')
    process = run.viewer('--params-file', file, '-p', 'hots:=127.0.0.1')
    with urllib.request.urlopen(process.address, timeout=DEFAULT_TIMEOUT) as answer:
        assert b'<html' in answer.read(2000)
    port = urlsplit(process.address).port
    listening = {
        fields[1].rpartition(':')[0]
        for name in ('tcp', 'tcp6')
        for line in Path('/proc/net', name).read_text().splitlines()[1:]
        if (fields := line.split())[3] == '0A' and fields[1].endswith(f':{port:04X}')
    }
    assert listening == {'0100007F'}  # 127.0.0.1
    second = run.viewer('-p', f'port:={port}', '-p', 'host:=0.0.0.0')
    assert second.address.startswith('http://127.0.0.1:')
    assert urlsplit(second.address).port > port
    assert f'port {port} is taken' in second.output
    second.wait_for_output('can move the arm')
    with urllib.request.urlopen(second.address, timeout=DEFAULT_TIMEOUT) as answer:
        assert answer.status == 200
    with pytest.raises(urllib.error.HTTPError, match='403'):
        urllib.request.urlopen(second.address.partition('?')[0], timeout=DEFAULT_TIMEOUT)
    assert process.stop() == 0
    assert 'viser' not in process.output  # whose banner says the same in another way
    assert "did you mean 'host'?" in process.output
    assert 'chain' not in process.output


@once
def test_connections_that_nobody_uses_fill_no_log_and_do_not_hold_up_its_end(run):
    process = run.viewer()
    address = urlsplit(process.address)
    lines = ['GET / HTTP/1.1', f'Host: {address.netloc}', *websocket_headers(), '', '']
    handshake = '\r\n'.join(lines).encode()  # after which they neither read nor say goodbye
    with contextlib.ExitStack() as stack:
        for words in (b'', handshake, b'nonsense') * 30:
            place = address.hostname, address.port
            connection = stack.enter_context(socket.create_connection(place, DEFAULT_TIMEOUT))
            connection.sendall(words)
        # Below the 10 s that the library gives each of them; it takes one, with nothing else to do.
        assert process.stop(timeout=9.0) == 0
    assert len(process.output) < 10_000


@once
def test_without_viser_it_says_what_to_install(start_process, ros_environment):
    process = start_process('viewer', env=without('viser'))
    assert process.wait() == 1
    assert process.stderr.startswith('ik2d_viewer: ')
    assert 'pip install viser' in process.stderr
    assert len(process.stderr.splitlines()) == 1
