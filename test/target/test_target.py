"""The demo targets: the real node on the real middleware."""

from __future__ import annotations

import dataclasses
import math
import signal
import time
from itertools import pairwise
from pathlib import Path

import pytest
from harness import HAS_ROS, asking

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.target.parameters import PARAMETERS, TargetSettings, settings_from_parameters
from ik2d_ros.target.paths import HOPS_PER_LAP, point_at

if HAS_ROS:
    from geometry_msgs.msg import PointStamped, PoseStamped
    from rcl_interfaces.msg import Parameter
    from rcl_interfaces.srv import GetParameters, SetParametersAtomically
    from rclpy.parameter import parameter_value_to_python
    from rclpy.qos import QoSProfile, ReliabilityPolicy

    BEST_EFFORT = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
    RELIABLE = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)

THREE_LINK = Path(__file__).resolve().parents[2] / 'config' / 'three_link.yaml'


def arguments(**parameters):
    given = [('-p', f'{name.replace("__", ".")}:={value}') for name, value in parameters.items()]
    return ['-m', 'ik2d_ros.target', '--ros-args', *(part for pair in given for part in pair)]


def comparable(parameters):
    """Parameters by name as plain values, in which NaN equals NaN."""

    def plain(value):
        if hasattr(value, '__iter__') and not isinstance(value, str):
            return list(value)
        return 'NaN' if value != value else value  # noqa: PLR0124

    return {name: plain(value) for name, value in parameters}


DEFAULTS = comparable((name, row.default) for name, row in PARAMETERS.items())


@pytest.fixture
def target(start_process, ros_node, spin_until):
    """Start the node; gives a function that collects targets, and the process."""

    def start(*extra, topic='ik2d/target', qos=None, kind=None, **parameters):
        process = start_process(*arguments(**parameters), *extra)
        heard = []
        ros_node.create_subscription(kind or PointStamped, topic, heard.append, qos or BEST_EFFORT)

        def collect(count, predicate=lambda _message: True):
            """The next so many that hold it, of those that come from now on."""
            heard.clear()
            found = spin_until(
                ros_node,
                lambda: (
                    len(chosen := [m for m in heard if predicate(m)]) >= count and chosen[:count]
                ),
                what=f'{count} targets from {process.output}',
            )
            assert process.is_running()
            return found

        return collect, process

    return start


@pytest.fixture
def set_parameters(ros_node, spin_until):
    """Set parameters of the running node as a whole; gives the service's result."""

    def call(service, name, request):
        client = ros_node.create_client(service, f'/ik2d_target/{name}')
        spin_until(ros_node, client.service_is_ready, what=f'service {name}')
        return spin_until(ros_node, asking(client, request), what=f'answer of {name}')

    def change(**parameters):
        from rclpy.parameter import Parameter as RclpyParameter

        request = SetParametersAtomically.Request()
        for name, value in parameters.items():
            message = Parameter(name=name.replace('__', '.'))
            message.value = RclpyParameter(message.name, value=value).get_parameter_value()
            request.parameters.append(message)
        return call(SetParametersAtomically, 'set_parameters_atomically', request).result

    def current():
        answer = call(GetParameters, 'get_parameters', GetParameters.Request(names=[*PARAMETERS]))
        values = map(parameter_value_to_python, answer.values)
        return comparable(zip(PARAMETERS, values, strict=True))

    change.current = current
    return change


def xyz(message):
    return message.point.x, message.point.y, message.point.z


def nanoseconds(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def seconds(message):
    return message.header.stamp.sec + message.header.stamp.nanosec * 1e-9


@pytest.mark.parametrize('path', ['circle', 'line', 'eight'])
def test_targets_lie_on_the_path_at_the_time_of_their_stamp(target, path):
    """Whatever the moment of the start: one offset in time explains all of them."""
    collect, _ = target(path=path, period=2.0, rate=100.0, center='[0.3, -0.1]', size=0.2)
    messages = collect(120)
    stamps = [seconds(message) for message in messages]
    assert all(later > earlier for earlier, later in pairwise(stamps))

    def misfit(offset):
        return max(
            math.dist(xyz(m)[:2], point_at(path, (s - stamps[0]) / 2.0 + offset, (0.3, -0.1), 0.2))
            for m, s in zip(messages, stamps, strict=True)
        )

    best = min(range(4000), key=lambda i: misfit(i / 4000))
    assert misfit(best / 4000) < 0.2 * math.tau * 1.5 / 4000
    assert {m.point.z for m in messages} == {0.0}
    assert {m.header.frame_id for m in messages} == {''}


def test_random_targets_are_those_of_the_seed(target):
    collect, _ = target(path='random', period=0.5, rate=50.0, seed=3, size=0.2)
    places = [xyz(message)[:2] for message in collect(100)]
    hops = list(dict.fromkeys(places))
    center = TargetSettings.center
    expected = [point_at('random', (i + 0.5) / HOPS_PER_LAP, center, 0.2, 3) for i in range(500)]
    first = expected.index(hops[0])
    assert len(hops) >= 5
    following = iter(expected[first:])
    assert all(hop in following for hop in hops)  # in this order; a slow machine may skip some


def test_defaults_are_those_of_the_table(target, set_parameters):
    collect, _ = target()
    center, size = TargetSettings.center, TargetSettings.size
    assert all(math.dist(xyz(message)[:2], center) == pytest.approx(size) for message in collect(5))
    assert set_parameters.current() == DEFAULTS


def test_a_reliable_subscriber_hears_it_too(target):
    collect, _ = target(qos=RELIABLE, frame_id='world')
    assert {message.header.frame_id for message in collect(3)} == {'world'}


def test_the_topic_follows_namespace_and_remapping(target):
    collect, _ = target('-r', '__ns:=/left', '-r', 'ik2d/target:=goal', topic='/left/goal')
    assert collect(3)


def test_an_arm_s_parameter_file_puts_the_path_into_its_plane(target):
    """The arm of the file stands in the x-z plane, its shoulder at (0.10, 0, 0.25)."""
    collect, process = target('--params-file', THREE_LINK, path='circle', center='[0.0, 0.0]')
    for message in collect(10):
        x, y, z = xyz(message)
        assert y == pytest.approx(0.0, abs=1e-12)
        assert math.dist((x, z), (0.10, 0.25)) == pytest.approx(TargetSettings.size)
    assert 'WARN' not in process.output


def test_integers_go_for_numbers(target):
    collect, _ = target(
        path='random', rate=20, period=1, center='[0, 1]', size=0, base__xyz='[0, 0, 2]'
    )
    assert {xyz(message) for message in collect(5)} == {(0.0, 1.0, 2.0)}


def test_a_change_while_running(target, set_parameters):
    collect, process = target(rate=20.0)
    collect(1)
    assert set_parameters(path='line', size=1, center=[5.0, 6.0], frame_id='map').successful
    messages = collect(5, lambda message: message.header.frame_id == 'map')
    assert all(message.point.y == 6.0 and 4.0 <= message.point.x <= 6.0 for message in messages)
    assert set_parameters(rate=200.0).successful
    collect(100)
    assert set_parameters(base__xyz=[0.0, 0.0, 1.0], base__rpy=[math.pi / 2, 0.0, 0.0]).successful
    message = collect(1, lambda message: message.point.z > 6.0)[0]
    assert xyz(message)[1:] == pytest.approx((0.0, 7.0))
    assert process.stop() == 0


def test_a_parameter_without_a_value_goes_back_to_its_default(target, set_parameters):
    collect, _ = target(size=0.5, rate=100.0)
    collect(1)
    assert set_parameters(size=None, rate=None).successful
    assert set_parameters.current() == DEFAULTS


def test_targets_with_an_angle_are_poses_along_the_path(
    target, set_parameters, ros_node, spin_until
):
    """Their x-axis is at the angle in the path's plane, and they come and go with the parameter."""
    rpy = (math.pi / 2.0, 0.0, 0.5)
    path = {'center': '[0.3, 0.1]', 'size': 0.2, 'base__rpy': list(rpy)}
    at_angle, process = target(
        topic='ik2d/target_pose', kind=PoseStamped if HAS_ROS else None, angle=0.7, **path
    )
    plane = Plane.from_pose((0.0, 0.0, 0.0), rpy)
    expected = plane.point(math.cos(0.7), math.sin(0.7))
    for message in at_angle(5):
        point, turn = message.pose.position, message.pose.orientation
        x, y, out = plane.locate((point.x, point.y, point.z))
        assert out == pytest.approx(0.0, abs=1e-12)
        assert math.dist((x, y), (0.3, 0.1)) == pytest.approx(0.2)
        frame = Plane.from_quaternion((0.0, 0.0, 0.0), (turn.x, turn.y, turn.z, turn.w))
        assert frame.axes[0] == pytest.approx(expected)
        assert message.header.stamp.sec > 0
    assert 'on /ik2d/target_pose in' in process.output
    plain = []
    ros_node.create_subscription(PointStamped, 'ik2d/target', plain.append, BEST_EFFORT)
    assert set_parameters(angle=math.nan).successful
    spin_until(ros_node, lambda: plain, what='targets without an angle')
    assert set_parameters(angle=-1, frame_id='again').successful
    assert at_angle(2, lambda message: message.header.frame_id == 'again')


def test_a_slow_rate_can_be_changed_at_once(target, set_parameters):
    collect, _ = target(rate=0.01)
    assert set_parameters(rate=100).successful
    assert collect(3)


def test_a_pause_stops_the_targets_where_they_are(target, set_parameters, ros_node, spin_until):
    collect, _ = target(path='circle', size=0.2, period=4.0, rate=100.0)
    collect(5)
    heard = []
    ros_node.create_subscription(PointStamped, 'ik2d/target', heard.append, BEST_EFFORT)
    spin_until(ros_node, lambda: heard)
    assert set_parameters(paused=True).successful
    # In half a second the path would go on by 0.16 m, with some 50 targets.
    begin, paused = time.monotonic(), ros_node.get_clock().now().nanoseconds
    spin_until(ros_node, lambda: time.monotonic() > begin + 0.5)
    assert max(map(nanoseconds, heard)) <= paused  # all of them were on their way
    count, last = len(heard), heard[-1]
    assert set_parameters(paused=False).successful
    spin_until(ros_node, lambda: len(heard) > count)
    assert math.dist(xyz(heard[count]), xyz(last)) < 0.03


@pytest.mark.parametrize('topic', ['ik2d/target', 'ik2d/target_pose'])
def test_whoever_it_makes_way_for_has_the_last_word(
    target, set_parameters, ros_node, spin_until, topic
):
    """A target of its own that is under way at that moment does not stay the last one."""
    collect, _ = target(path='circle', rate=200.0, yields=True)
    kind = PoseStamped if topic.endswith('pose') else PointStamped
    others = ros_node.create_publisher(kind, topic, 10)
    heard = []
    ros_node.create_subscription(kind, topic, heard.append, RELIABLE)
    listeners = 2 if kind is PoseStamped else 3  # `collect` is one of points
    spin_until(ros_node, lambda: others.get_subscription_count() == listeners, what='all to listen')
    for number in range(5):
        collect(5)
        click = kind()
        click.header.frame_id = 'base_link'
        click.header.stamp = ros_node.get_clock().now().to_msg()
        place = click.pose.position if kind is PoseStamped else click.point
        place.x = 7.0 + number
        others.publish(click)
        spin_until(
            ros_node, lambda click=click: heard.count(click) == 2, what='the click, said again'
        )
        assert heard[-1] == click
        assert set_parameters.current()['paused'] is True
        assert heard[-1] == click
        assert set_parameters(paused=False).successful


REFUSED = {
    'path': ('triangle', 'circle, line, eight, random'),
    'rate': (0.0, '>= 0.01 and <= 10000'),
    'period': (-1.0, '>= 0.001 and <= 1000000000'),
    'center': ([1.0], '2 finite numbers'),
    'size': (-0.1, '>= 0'),
    'frame_id': (7, 'frame'),
    'seed': (0.5, 'whole number'),
    'paused': ('perhaps', 'true or false'),
    'yields': ('perhaps', 'true or false'),
    'angle': (math.inf, 'or NaN'),
    'base.xyz': ([0.0, 1.0], '3 finite numbers'),
    'base.rpy': ([0.0, 1.0, math.inf], '3 finite numbers'),
}


def test_every_setting_has_a_row_and_the_default_of_its_field():
    fields = [field.name for field in dataclasses.fields(TargetSettings)]
    assert fields == [row.field for row in PARAMETERS.values()]
    assert settings_from_parameters(PARAMETERS.defaults) == TargetSettings()
    assert settings_from_parameters(dict.fromkeys(PARAMETERS)) == TargetSettings()


def test_every_parameter_is_refused_by_something():
    assert REFUSED.keys() == PARAMETERS.keys()


@pytest.mark.parametrize('name', REFUSED)
def test_what_is_refused_is_named_with_what_is_allowed(name):
    value, allowed = REFUSED[name]
    with pytest.raises(ConfigError) as raised:
        settings_from_parameters({name: value})
    assert f"'{name}' is {value!r}; it must be " in str(raised.value)
    assert allowed in str(raised.value)


@pytest.mark.parametrize('name', ['path', 'center', 'frame_id', 'seed'])
def test_refused_at_start_up(start_process, ros_environment, name):
    value, allowed = REFUSED[name]
    text = str(value).replace("'", '').replace('inf', '.inf')
    process = start_process(*arguments(**{name: text}))
    assert process.wait() == 1
    assert process.stderr.startswith('ik2d_target: ')
    assert name in process.stderr
    assert allowed in process.stderr
    assert 'Traceback' not in process.output


def test_refused_at_run_time_and_nothing_changes(target, set_parameters):
    collect, process = target(size=0.25)
    collect(1)
    before = set_parameters.current()
    for name, (value, allowed) in REFUSED.items():
        other = {'size': 0.5} if name != 'size' else {'seed': 5}
        result = set_parameters(**other, **{name: value})
        assert not result.successful
        assert name in result.reason
        assert allowed in result.reason
    assert not set_parameters(size=0.5, siez=1.0).successful
    assert set_parameters.current() == before
    center = TargetSettings.center
    assert all(math.dist(xyz(m)[:2], center) == pytest.approx(0.25) for m in collect(5))
    assert 'Traceback' not in process.output


def test_a_command_line_that_ros_refuses(start_process, ros_environment):
    process = start_process(*arguments(center='[0, 0.3]'))
    assert process.wait() == 1
    assert 'ROS cannot start' in process.stderr
    assert 'Traceback' not in process.output


def test_a_mistyped_parameter_is_pointed_out(target):
    collect, process = target(sise=0.3)
    collect(1)
    process.wait_for_output("did you mean 'size'?")


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_ends_quietly(target, number):
    collect, process = target()
    collect(1)
    assert process.stop(number) == 0
    (line,) = process.stderr.splitlines()  # what it publishes where, at the start
    assert '/ik2d/target' in line


def test_simulated_time_without_a_clock_is_told_of_in_the_log(target):
    _, process = target(use_sim_time=True)
    process.wait_for_output('there is no valid time: use_sim_time is true')
    assert process.is_running()


def test_it_says_at_the_start_what_it_publishes_where(target):
    _, process = target(rate=5.0, path='line', frame_id='map')
    process.wait_for_output("publishing line at 5 Hz on /ik2d/target in frame 'map'")
    _, process = target(paused=True)
    process.wait_for_output('/ik2d/target in the frame of the arm, paused')
