"""The viewer without a browser: its parameters, its process, and what it asks of the node."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import time
import urllib.request
from pathlib import Path

import pytest
from harness import DEFAULT_TIMEOUT, wait_for_signal_handler
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import load_parameters
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.viewer.parameters import (
    PARAMETERS,
    PORTS_TRIED,
    ViewerSettings,
    find_url,
    free_port,
    joint_states_topic,
    settings_from_parameters,
    url,
)

CONFIG = Path(__file__).resolve().parents[2] / 'config'


def viewer(*extra, **parameters):
    """The command line of a viewer on any free port."""
    given = [('-p', f'{name}:={value}') for name, value in ({'port': 0} | parameters).items()]
    return ['-m', 'ik2d_ros.viewer', '--ros-args', *itertools.chain(*given), *extra]


def page_of(process):
    """The address of the page, once it is there."""
    process.wait_for_output('showing')
    return find_url(process.output)


# --- without ROS -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'value', 'allowed'),
    [
        ('host', '', 'not empty'),
        ('host', 7, 'text'),
        ('port', -1, '0 to 65535'),
        ('port', 65536, '0 to 65535'),
        ('port', 80.5, '0 to 65535'),
        ('port', True, '0 to 65535'),
        ('node', '', 'name of a node'),
        ('node', '~/ik2d', 'name of a node'),
        ('node', 'ik2d/', 'name of a node'),
        ('node', 'two words', 'name of a node'),
        ('target_node', '2d', 'name of a node'),
    ],
)
def test_refused_values_are_told_what_is_allowed(name, value, allowed):
    with pytest.raises(ConfigError) as caught:
        settings_from_parameters({name: value})
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)
    assert allowed in str(caught.value)


def test_every_setting_has_a_row_with_its_default():
    assert PARAMETERS.defaults == vars(ViewerSettings())


@pytest.mark.parametrize(
    ('node', 'topic'),
    [
        ('ik2d', 'joint_states'),
        ('/ik2d', '/joint_states'),
        ('left/ik2d', 'left/joint_states'),
        ('/robot/left/arm', '/robot/left/joint_states'),
    ],
)
def test_joint_states_are_those_in_the_namespace_of_the_node(node, topic):
    assert joint_states_topic(node) == topic


@given(st.sampled_from(['127.0.0.1', '0.0.0.0', '::', '::1', 'robot.local']), st.integers(1, 65535))
def test_the_address_of_a_page_is_found_in_what_is_logged(host, port):
    address = url(host, port)
    assert find_url(f'[INFO] [1.0] [ik2d_viewer]: showing /ik2d at {address}\nmore') == address
    assert address.endswith(f':{port}')
    assert find_url('nothing yet') is None


def test_the_next_free_port_is_taken():
    with socket.socket() as first:
        first.bind(('127.0.0.1', 0))
        first.listen()
        taken = first.getsockname()[1]
        found = free_port('127.0.0.1', taken)
        assert taken < found < taken + PORTS_TRIED
        with socket.socket() as second:
            second.bind(('127.0.0.1', found))


@pytest.mark.parametrize('host', ['203.0.113.1', 'no.such.host.invalid', 'x' * 300])
def test_a_host_that_is_not_this_machine_is_refused(host):
    with pytest.raises(ConfigError, match='an address of this machine'):
        free_port(host, 8080)


# --- the process -----------------------------------------------------------------------------


def require_viewer():
    pytest.importorskip('viser', reason='viser is not installed')


@pytest.fixture
def started(start_process, ros_environment):
    """Start programs of the package; none may have printed a traceback in the end."""
    require_viewer()
    processes = []

    def start(*arguments, **kwargs):
        processes.append(start_process(*arguments, **kwargs))
        return processes[-1]

    yield start
    for process in processes:
        process.end()
        assert 'Traceback' not in process.output
        assert 'Error' not in process.output


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_it_serves_a_page_until_it_is_told_to_stop(started, number):
    process = started(*viewer())
    with urllib.request.urlopen(page_of(process), timeout=10.0) as answer:
        assert answer.status == 200
        assert b'<html' in answer.read(2000)
    assert process.stop(number) == 0
    assert 'viser' not in process.output  # whose banner says the same in another way


def test_it_ends_quietly_however_early_it_is_told_to(started):
    for delay in (0.0, 0.3, 0.6, 0.9, 1.2):
        process = started(*viewer())
        wait_for_signal_handler(process.popen.pid)
        deadline = time.monotonic() + delay
        while time.monotonic() < deadline and not process.output:
            os.sched_yield()
        assert process.stop() == 0


def test_only_this_machine_can_see_it(started):
    process = started(*viewer())
    assert page_of(process).startswith('http://127.0.0.1:')
    port = int(page_of(process).rpartition(':')[2])
    listening = {
        fields[1].rpartition(':')[0]
        for name in ('tcp', 'tcp6')
        for line in Path('/proc/net', name).read_text().splitlines()[1:]
        if (fields := line.split())[3] == '0A' and fields[1].endswith(f':{port:04X}')
    }
    assert listening == {'0100007F'}  # 127.0.0.1


def test_two_viewers_get_two_ports(started):
    first = started(*viewer())
    port = int(page_of(first).rpartition(':')[2])
    second = started(*viewer(port=port))
    assert int(page_of(second).rpartition(':')[2]) > port
    assert f'port {port} is taken' in second.output


@pytest.mark.parametrize(
    ('parameters', 'words'),
    [
        ({'port': 70000}, ("parameter 'port' is 70000", '0 to 65535')),
        ({'host': '203.0.113.1'}, ("parameter 'host' is '203.0.113.1'", 'address of this machine')),
        ({'node': "'a b'"}, ("parameter 'node' is 'a b'", 'such as ik2d')),
    ],
)
def test_refused_at_start_up(started, parameters, words):
    process = started(*viewer(**parameters))
    assert process.wait() == 1
    assert process.stderr.startswith('ik2d_viewer: ')
    assert all(word in process.stderr for word in words)


def test_without_viser_it_says_what_to_install(start_process, ros_environment, tmp_path):
    (tmp_path / 'viser.py').write_text("raise ImportError('not today')\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get('PYTHONPATH')]))
    process = start_process(*viewer(), env={'PYTHONPATH': path})
    assert process.wait() == 1
    assert process.stderr.startswith('ik2d_viewer: ')
    assert 'pip install viser' in process.stderr
    assert len(process.stderr.splitlines()) == 1


def test_mistyped_parameters_are_pointed_out_and_those_of_the_arm_are_not(started):
    process = started(
        *viewer('--params-file', str(CONFIG / 'two_bone.yaml'), '-p', 'hots:=127.0.0.1')
    )
    page_of(process)
    assert "did you mean 'host'?" in process.output
    assert 'chain' not in process.output


# --- the node's parameters, from elsewhere ---------------------------------------------------


@pytest.fixture
def remote(ros_node, spin_until):
    """``remote(name)``: reads and sets the parameters of a node, waiting for the answer."""
    from ik2d_ros.ros.remote_parameters import RemoteParameters

    class Remote:
        def __init__(self, name):
            self.parameters = RemoteParameters(ros_node, name)

        def wait(self, what=True):
            spin_until(ros_node, lambda: self.parameters.is_there() == what, what='the services')
            deadline = time.monotonic() + DEFAULT_TIMEOUT
            while what and self.read() is None:  # the node may see us later than we see it
                assert time.monotonic() < deadline

        def ask(self, ask, *arguments):
            answers = []
            ask(*arguments, answers.append)
            spin_until(ros_node, lambda: self.parameters.tick() or answers, what='an answer')
            assert len(answers) == 1
            return answers[0]

        def read(self):
            return self.ask(self.parameters.read)

        def write(self, name, value):
            return self.ask(self.parameters.write, name, value)

    return Remote


@pytest.mark.parametrize('name', ['two_bone', 'three_link', 'snake'])
def test_the_parameters_of_a_node_are_those_it_was_given(started, remote, name):
    file = CONFIG / f'{name}.yaml'
    started('-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file))
    node = remote('ik2d')
    node.wait()
    given = load_parameters(file)
    assert {key: value for key, value in node.read().items() if key in given} == given


def test_parameters_are_set_or_refused_with_the_reason(started, remote):
    file = CONFIG / 'three_link.yaml'
    started('-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file))
    node = remote('/ik2d')
    node.wait()
    assert node.write('solver', 'ccd') is None
    assert node.read()['solver'] == 'ccd'
    assert 'exactly two' in node.write('solver', 'two_bone')
    assert node.read()['solver'] == 'ccd'


def test_those_of_the_viewer_are_fixed_at_start_up(started, remote):
    page_of(started(*viewer()))
    node = remote('ik2d_viewer')
    node.wait()
    before = node.read()
    refusal = node.write('host', '0.0.0.0')
    assert all(word in refusal for word in ("'host'", "'0.0.0.0'", "'127.0.0.1'", 'restart'))
    assert "did you mean 'host'?" in node.write('hots', '127.0.0.1')
    assert node.read() == before


def test_a_node_that_does_not_answer_is_given_up_on(started, remote):
    """Its services are still to be seen, but the process is stopped."""
    file = CONFIG / 'two_bone.yaml'
    process = started('-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file))
    node = remote('ik2d')
    node.wait()
    process.popen.send_signal(signal.SIGSTOP)
    try:
        assert node.read() is None
        assert 'no answer' in node.write('solver', 'ccd')
    finally:
        process.popen.send_signal(signal.SIGCONT)
    deadline = time.monotonic() + DEFAULT_TIMEOUT
    while node.read() is None:  # it has old requests to answer first
        assert time.monotonic() < deadline
    process.stop()
    node.wait(False)
