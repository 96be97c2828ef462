"""The nodes that the tests of a file talk to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from harness import DEFAULT_TIMEOUT, HAS_ROS
from node_client import Client, new_context, parameter_file
from refusals import TWO

from ik2d_ros.node.parameters import PARAMETERS

if HAS_ROS:
    from std_srvs.srv import Trigger

JOINT_FIELDS = ('max_velocity', 'max_acceleration', 'max_jerk', 'link')


@pytest.fixture
def start(
    ros_environment: int, start_process: Any, spin_until: Any, tmp_path: Path
) -> Iterator[Callable[..., Any]]:
    """``start(parameters, *ros_arguments) -> (process, client)``."""
    clients = []
    # Its own: a context that has been there for long is heard of by new nodes only later.
    with new_context() as context:

        def start_node(
            parameters: Mapping[str, object],
            *arguments: str,
            node: str = '/ik2d',
            env: Mapping[str, str] | None = None,
            program: Sequence[str] = ('-m', 'ik2d_ros.node'),
        ) -> tuple[Any, Client]:
            file = parameter_file(tmp_path / f'{len(clients)}.yaml', parameters)
            ros_arguments = ('--ros-args', '--params-file', file, *arguments)
            process = start_process(*program, *ros_arguments, env=env)
            client = Client(context, spin_until, node)
            clients.append(client)
            process.wait_for_output('ready')
            return process, client

        yield start_node
        for client in clients:
            client.close()


@pytest.fixture(scope='module')
def lasting(
    ros_environment: int, spin_until: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """One node with two joints for all the tests of a file."""
    directory = tmp_path_factory.mktemp('lasting')
    file = parameter_file(directory / 'two.yaml', TWO)
    command = [sys.executable, '-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file)]
    with new_context() as context, (directory / 'output').open('w') as output:
        process = subprocess.Popen(
            [*command, '-r', '__ns:=/lasting'], stdout=output, stderr=subprocess.STDOUT
        )
        client = Client(context, spin_until, '/lasting/ik2d').connect()
        yield client
        client.close()
        process.terminate()
        assert process.wait(DEFAULT_TIMEOUT) == 0
    assert 'Traceback' not in (directory / 'output').read_text()


@pytest.fixture
def arm(lasting: Client) -> Client:
    """That node at home, with the parameters that it was started with, and nothing under way."""
    given = {**dict.fromkeys(name for name, row in PARAMETERS.items() if not row.read_only), **TWO}
    del given['joints']
    joints = ('shoulder', 'elbow')
    given |= {f'chain.{joint}.{name}': None for joint in joints for name in JOINT_FIELDS}
    result = lasting.set(given)
    assert result.successful, result.reason
    for service in ('home', 'stop'):
        assert lasting.call(Trigger, service).success
    lasting.connect().pose()
    lasting.joint_states.clear()
    return lasting
