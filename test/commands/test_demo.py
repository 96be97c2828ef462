"""The demo itself, as a person runs it: a real process, real middleware."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from itertools import pairwise

import pytest
from harness import PROGRAM_TIMEOUT, once, without

from ik2d_ros.commands.demo import keep_local


def test_a_lap_shows_reached_targets_and_those_at_a_limit(ros_environment, start_process):
    process = start_process('-m', 'ik2d_ros.cli', 'demo', '--view', 'terminal')
    for code in ('REACHED', 'JOINT_LIMIT'):  # lap after lap: on a busy machine targets are lost
        process.wait_for_output(f' s  {code} ')
    assert process.stop(signal.SIGTERM) == 0
    assert process.stderr == ''
    told = re.findall(r'^ *(\d+\.\d) s  (\w+) ', process.stdout, re.MULTILINE)
    for (before, code), (after, other) in pairwise(told):  # few, but one for every change
        assert code != other or float(after) - float(before) > 0.5


@once
def test_an_arm_in_physics_is_driven(ros_environment, start_process):
    for package in ('mujoco', 'ruckig'):
        pytest.importorskip(package, reason=f'{package} is not installed')
    process = start_process(
        *('-m', 'ik2d_ros.cli', 'demo', '--robot', 'sim'),
        *('--view', 'terminal', '--duration', '3', 'three_link'),
    )
    assert process.wait() == 0, process.output
    assert process.stderr == ''
    assert 's  REACHED ' in process.stdout


@once
@pytest.mark.parametrize(
    ('arguments', 'missing', 'words'),
    [
        (['--robot', 'sim', '--view', 'terminal'], 'mujoco ruckig', 'pip install mujoco ruckig'),
        ([], 'viser', 'pip install viser'),
    ],
)
def test_it_says_what_to_install_and_what_else_can_be_done(
    ros_environment, start_process, arguments, missing, words
):
    process = start_process('-m', 'ik2d_ros.cli', 'demo', *arguments, env=without(missing))
    assert process.wait() == 2
    assert words in process.stderr
    assert '--view terminal' in process.stderr
    assert 'Traceback' not in process.output


@once
@pytest.mark.parametrize(
    ('reader', 'unbuffered'), [('true', ''), ('head -n 1', '1'), ('head -n 4', '')]
)
def test_it_ends_when_its_output_is_closed(ros_environment, start_process, reader, unbuffered):
    demo = f'{sys.executable} -m ik2d_ros.cli demo --view terminal'
    process = start_process(
        *('bash', '-c', f'{demo} | {reader}; exit ${{PIPESTATUS[0]}}'),
        env={**os.environ, 'PYTHONUNBUFFERED': unbuffered},
    )
    assert process.wait() == 0
    assert process.stderr == ''


LOCAL = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


@pytest.mark.parametrize(
    ('before', 'added'),
    [
        ({}, LOCAL),
        ({'ROS_DISTRO': 'humble'}, {**LOCAL, 'ROS_LOCALHOST_ONLY': '1'}),
        ({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}, {}),
        ({'ROS_LOCALHOST_ONLY': '0'}, {}),
        ({'ROS_STATIC_PEERS': 'robot'}, {}),
    ],
)
def test_it_stays_on_this_machine_unless_the_user_chose(before, added):
    environment = dict(before)
    keep_local(environment)
    assert environment == before | added


def test_the_page_is_opened_from_a_terminal_which_shows_one_line(tmp_path):
    pytest.importorskip('viser', reason='viser is not installed')
    browser, opened = tmp_path / 'browser', tmp_path / 'opened'
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o700)
    main, screen = pty.openpty()
    view = [sys.executable, '-m', 'ik2d_ros.cli', 'view', '--port', '0', '--duration', '0.5']
    subprocess.run(
        view,
        **dict.fromkeys(('stdin', 'stdout', 'stderr'), screen),
        env={**os.environ, 'DISPLAY': ':0', 'BROWSER': f'{browser} %s'},
        timeout=PROGRAM_TIMEOUT,
        check=True,
    )
    told = ''
    os.close(screen)  # else a missing end would be waited for
    while not re.search(r'\d m .*\n', told):  # it comes in parts
        told += os.read(main, 65536).decode()
    [address] = re.findall(r'http://\S+', told)
    line = told.partition('ends)\r\n\r\n')[2]
    assert re.fullmatch('[^\n]*\r[^\n]* REACHED [^\n]*\n', line)
    assert opened.read_text().split() == [address]
