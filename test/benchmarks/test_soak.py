"""The soak judges a record as it says; the run itself is `make soak`."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness import PROGRAM_TIMEOUT, ROOT
from hypothesis import assume, given, settings
from hypothesis import strategies as st

sys.path.append(str(ROOT / 'benchmarks'))
import soak_record as record
import soak_world as world

COUNT, PERIOD = 60, 30.0  # samples, s
LEVELS = st.floats(20.0, 200.0)
BUSY = st.lists(st.integers(0, 400), min_size=COUNT, max_size=COUNT)


def sample(number: int, memory: float, missed: int = 0, bare: int = 0) -> record.Sample:
    cycles = {'plane': 1500, record.BARE: 1500}
    return record.Sample(
        number * PERIOD,
        {'plane': memory, record.BARE: 70.0},
        cycles,
        {'plane': missed, record.BARE: bare},
    )


def met(samples: list[record.Sample]) -> dict[str, bool | None]:
    """Whether the demands on memory and on cycles are met."""
    bars = record.judge(samples, warm_up=10.0 * PERIOD)
    return {'memory' if 'memory' in bar.demand else 'cycles': bar.met for bar in bars}


@settings(max_examples=20)
@given(level=LEVELS, busy=BUSY)
def test_a_flat_run_on_a_busy_machine_meets_all_demands(level: float, busy: list[int]) -> None:
    samples = [sample(i, level, missed=each, bare=each) for i, each in enumerate(busy)]
    assert met(samples) == {'memory': True, 'cycles': True}


@settings(max_examples=20)
@given(level=LEVELS, growth=st.floats(0.0, 10.0))
def test_memory_may_grow_by_the_limit_and_no_more(level: float, growth: float) -> None:
    assume(abs(growth - record.GROWTH) > 1e-6)
    samples = [sample(i, level + (growth if i > COUNT // 2 else 0.0)) for i in range(COUNT)]
    assert met(samples)['memory'] is (growth < record.GROWTH)


@settings(max_examples=20)
@given(level=LEVELS, leak=st.floats(0.1, 5.0))
def test_a_leak_is_seen_and_what_the_start_takes_is_not(level: float, leak: float) -> None:
    leaking = [sample(i, level + leak * i) for i in range(COUNT)]
    starting = [sample(i, level - (leak * (10 - i) if i < 10 else 0.0)) for i in range(COUNT)]
    assert met(leaking)['memory'] is False
    assert met(starting)['memory'] is True


@settings(max_examples=20)
@given(level=LEVELS, place=st.integers(10, COUNT - 3), height=st.floats(0.0, 50.0))
def test_a_moment_decides_nothing(level: float, place: int, height: float) -> None:
    moment = range(place, place + 2)
    samples = [
        sample(i, level + (height if i in moment else 0.0), missed=1000 * (i in moment))
        for i in range(COUNT)
    ]
    assert met(samples) == {'memory': True, 'cycles': True}


@settings(max_examples=20)
@given(more=st.integers(2, 30), busy=st.integers(0, 400))
def test_cycles_missed_more_and_more_are_seen(more: int, busy: int) -> None:
    samples = [sample(i, 70.0, missed=min(busy + i * more, 1500), bare=busy) for i in range(COUNT)]
    assert met(samples)['cycles'] is False


def test_an_arm_that_falls_silent_misses_all_cycles() -> None:
    silent = record.Sample(PERIOD, {}, {'plane': 0}, {'plane': 0})
    assert silent.missed_share('plane') == 100.0


def test_a_run_of_some_samples_is_not_judged() -> None:
    with pytest.raises(ValueError, match='3 samples'):
        record.judge([sample(i, 70.0) for i in range(3)], warm_up=0.0)


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    samples = [sample(i, 70.0 + 0.25 * i, missed=i, bare=2) for i in range(COUNT)]
    record.write(tmp_path / 'record.csv', samples)
    assert record.read(tmp_path / 'record.csv') == samples


def test_the_picture_is_drawn_from_the_record(tmp_path: Path) -> None:
    pytest.importorskip('matplotlib')
    record.draw(tmp_path / 'soak.png', [sample(i, 70.0) for i in range(COUNT)], 60.0)
    assert (tmp_path / 'soak.png').stat().st_size > 1000


def test_logs_that_tell_of_exceptions_are_named(tmp_path: Path) -> None:
    (tmp_path / 'plane.log').write_text('[INFO] ready\n[WARN] TOO_FAR: away\n')
    (tmp_path / 'fleet.log').write_text('Traceback (most recent call last):\n')
    (tmp_path / 'visitor.log').write_text('Traceback (most recent call last):\n')
    assert world.complaints(tmp_path) == ['log of fleet: Traceback (most recent call last):']


@pytest.mark.parametrize('ending', [None, signal.SIGINT])
def test_a_visitor_that_does_not_leave_is_killed_and_counted_once(
    ending: signal.Signals | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = 'import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print(flush=True); input()'
    visitor = subprocess.Popen(
        [sys.executable, '-c', deaf], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with visitor:
        visitor.stdout.readline()
        visitors = world.Visitors()
        visitors.come(visitor, 0.0, ending)
        visitors.look()
        assert (visitors.count, visitors.stuck, visitor.poll()) == (1, 0, None)
        monkeypatch.setattr(world, 'PATIENCE', 0.0)
        visitors.look()
        visitors.look()
    assert (visitors.count, visitors.stuck) == (1, 1)
    assert visitor.returncode == -signal.SIGKILL


def test_a_port_that_another_process_took_over_is_known_as_lost() -> None:
    name = f'fastrtps_port{os.getpid()}000000'  # no port of Fast DDS has so many digits
    port, lock = Path('/dev/shm', name), Path('/dev/shm', f'{name}_el')
    with contextlib.ExitStack() as stack:
        for file in (port, lock):
            stack.callback(file.unlink, missing_ok=True)
        port.write_bytes(bytes(mmap.PAGESIZE))
        with port.open('r+b') as stream:
            stack.enter_context(mmap.mmap(stream.fileno(), 0))
        assert name not in world.lost_ports(os.getpid())
        port.unlink()
        assert name in world.lost_ports(os.getpid())
        assert name not in world.own_ports(os.getpid())
        stack.enter_context(lock.open('w'))
        assert name in world.own_ports(os.getpid())


@pytest.mark.parametrize('seconds', ['5', 'nan'])
def test_a_soak_that_is_too_short_is_refused(seconds: str) -> None:
    command = [sys.executable, str(ROOT / 'benchmarks' / 'soak.py'), '--seconds', seconds]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PROGRAM_TIMEOUT, check=False
    )
    assert done.returncode == 2
    assert '--seconds' in done.stderr
