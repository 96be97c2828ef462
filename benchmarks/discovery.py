"""What it costs to find many arms, and to hear them: time, traffic and processor time.

Real processes in two network namespaces, which are to one another what two machines are: the arms
in one, who listens to them in the other. All traffic between them is counted. Once, as root:

    ip netns add robots && ip netns add office
    ip link add robots0 netns robots type veth peer name office0 netns office
    ip -n robots addr add 10.9.0.1/24 dev robots0 && ip -n office addr add 10.9.0.2/24 dev office0
    ip -n robots link set robots0 up && ip -n office link set office0 up
    ip -n robots route add 224.0.0.0/4 dev robots0 && ip -n office route add 224.0.0.0/4 dev office0

and then, as root: .venv/jazzy/bin/python benchmarks/discovery.py
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fleet import processor_time
from tables import Report, Table, number, show

ARMS_IN = ('ip', 'netns', 'exec', 'robots')
CLIENT_IN = ('ip', 'netns', 'exec', 'office')
ADDRESS = '10.9.0.1'
PORT = 11811
CYCLE = 50.0  # Hz
HEARD = 5.0  # s
SETTLING = 4.0  # s
SIMPLE, SERVER = 'simple', 'server'
CASES = (
    *((arms, 1, SIMPLE) for arms in (1, 4, 16, 64)),
    (16, 16, SIMPLE),
    *((arms, 1, SERVER) for arms in (1, 4, 16, 64)),
    (16, 16, SERVER),
)

JOIN = """
import json, sys, time
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
arms, heard = int(sys.argv[1]), float(sys.argv[2])
def sent():
    counts = open('/proc/self/net/dev').read().split(sys.argv[3] + ':')[1].split()
    return int(counts[0]) + int(counts[8])
rclpy.init(args=[])
before, began, known, count = sent(), time.monotonic(), set(), [0]
node = Node('client', start_parameter_services=False, enable_rosout=False)
kept = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
for number in range(arms):
    hear = lambda _, n=number: known.add(n)
    node.create_subscription(DiagnosticArray, f'/arm{number}/ik2d/status', hear, kept, raw=True)
try:
    from rclpy.experimental import EventsExecutor as Executor
except ImportError:
    Executor = SingleThreadedExecutor
executor = Executor()
executor.add_node(node)
while len(known) < arms and time.monotonic() - began < 60.0:
    executor.spin_once(timeout_sec=0.05)
found = {'arms': len(known), 'time': time.monotonic() - began, 'bytes': sent() - before}
def hear(_):
    count[0] += 1
for number in range(arms):
    node.create_subscription(JointState, f'/arm{number}/joint_states', hear, 10, raw=True)
end = time.monotonic() + 2.0
while time.monotonic() < end:
    executor.spin_once(timeout_sec=0.05)
print('go', flush=True)
before, count[0], began = sent(), 0, time.monotonic()
while time.monotonic() - began < heard:
    executor.spin_once(timeout_sec=0.05)
span = time.monotonic() - began
found.update(rate=count[0] / span, traffic=(sent() - before) / span)
print(json.dumps(found), flush=True)
"""


@contextmanager
def running(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run a program; it is ended afterwards."""
    with tempfile.TemporaryFile('w+') as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, text=True)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def hosting(names: Sequence[str]) -> list[str]:
    """Return the command that starts arms in one process."""
    parameters = (
        *(f'arms:=[{", ".join(names)}]', f'publish_rate:={CYCLE}', 'joints:=[shoulder, elbow]'),
        *('chain.shoulder.length:=0.3', 'chain.elbow.length:=0.25'),
    )
    arguments = itertools.chain.from_iterable(('-p', each) for each in parameters)
    return [sys.executable, '-m', 'ik2d_ros.node', '--ros-args', *arguments]


def sent(process: int) -> int:
    """Return the bytes between the namespaces, counted where a process is that hosts arms."""
    counts = Path(f'/proc/{process}/net/dev').read_text().split('robots0:')[1].split()
    return int(counts[0]) + int(counts[8])


def measure(arms: int, processes: int, kind: str) -> tuple[str, ...]:
    """Measure one case; returns a row."""
    environment = {
        **os.environ,
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET',
        'ROS_DOMAIN_ID': '7',
    }
    names = [f'arm{number}' for number in range(arms)]
    with_server = {**environment, 'ROS_DISCOVERY_SERVER': f'{ADDRESS}:{PORT}'}
    with ExitStack() as stack:
        if kind == SERVER:
            server = str(Path(sys.executable).with_name('fast-discovery-server'))
            command = [*ARMS_IN, server, '-i', '0', '-l', ADDRESS, '-p', str(PORT)]
            stack.enter_context(running(command, environment))
            environment = with_server
            time.sleep(1.0)
        hosts = [
            stack.enter_context(running([*ARMS_IN, *hosting(names[first::processes])], environment))
            for first in range(processes)
        ]
        time.sleep(SETTLING + 0.05 * arms + 0.5 * processes)
        pid = hosts[0].pid
        before, began = sent(pid), time.monotonic()
        time.sleep(HEARD)
        at_rest = (sent(pid) - before) / (time.monotonic() - began)
        client = subprocess.Popen(
            [*CLIENT_IN, sys.executable, '-c', JOIN, str(arms), str(HEARD), 'office0'],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert client.stdout is not None
        client.stdout.readline()
        used = sum(processor_time(host.pid) for host in hosts)
        found = json.loads(client.stdout.readline())
        used = (sum(processor_time(host.pid) for host in hosts) - used) / HEARD
        client.wait()
    return (
        f'{arms} in {processes}, {kind}',
        *(f'{found["arms"]}', number(found['time']), number(found['bytes'] / 1e3)),
        *(number(at_rest / 1e3), number(found['rate']), number(found['traffic'] / 1e3)),
        number(100.0 * used),
    )


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', help='cases that begin with this text, such as "16 in 1,"')
    options = parser.parse_args()
    report = Report()
    table = Table(
        'Finding and hearing arms',
        '',
        (
            *('arms in processes, discovery', 'found', 'in s', 'kB for that'),
            *('kB/s at rest', 'messages/s', 'kB/s heard', 'CPU, %'),
        ),
    )

    def run() -> None:
        for case in CASES:
            if f'{case[0]} in {case[1]}, {case[2]}'.startswith(options.only or ''):
                table.rows.append(measure(*case))
                print(' | '.join(table.rows[-1]), flush=True)
        report.tables.append(table)

    show(report, [run])
    return 0


if __name__ == '__main__':
    sys.exit(main())
