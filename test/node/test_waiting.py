"""Targets that wait for their transforms: who is answered, when, and in which order."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.node.answer import Target
from ik2d_ros.node.waiting import MOST_WAITING, WaitingLine

TIMEOUT = 1.0


class Message(NamedTuple):
    """A message that can be answered from a time on."""

    number: int
    ready_at: float = math.inf


class World:
    """A line with a clock of its own, and what it has answered: number, time, and if refused."""

    def __init__(self, last_wins: bool = True, is_hopeless: bool = False) -> None:
        self.now = 0.0
        self.answered: list[tuple[int, float, bool]] = []
        self.line: WaitingLine[Message] = WaitingLine(
            self.read,
            self.answer,
            lambda arrival: -math.inf if is_hopeless else arrival + TIMEOUT,
            last_wins,
            lambda: self.now,
        )

    def read(self, message: Message) -> Target:
        return Target((0.0, 0.0, 0.0), frame_fault='' if self.now >= message.ready_at else 'why')

    def answer(self, message: Message, target: Target) -> None:
        self.answered.append((message.number, self.now, bool(target.frame_fault)))

    def add(self, *messages: Message) -> None:
        for message in messages:
            self.line.add(message)

    def look(self, now: float) -> None:
        self.now = now
        self.line.look()


steps = st.lists(
    st.tuples(st.floats(0.0, 1.5), st.one_of(st.none(), st.floats(0.0, 3.0))), max_size=30
)


@given(steps, st.booleans())
def test_each_message_is_answered_in_time_and_in_order(steps, last_wins) -> None:
    world = World(last_wins)
    arrivals: dict[int, float] = {}
    for number, (pause, delay) in enumerate(steps):
        world.look(world.now + pause)
        arrivals[number] = world.now
        world.add(Message(number, math.inf if delay is None else world.now + delay))
    for _ in range(50):
        world.look(world.now + 0.1)
    first = {number: time for number, time, _ in reversed(world.answered)}
    assert first.keys() == arrivals.keys()
    for number, time in first.items():
        # No later than the first look after its time.
        assert time <= arrivals[number] + TIMEOUT + 1.5
    accepted = [number for number, _, is_refused in world.answered if not is_refused]
    assert len(accepted) == len(set(accepted))
    if last_wins:
        # No target is answered after a newer one, so that the arm never goes back to an older one.
        numbers = [number for number, _, _ in world.answered]
        assert numbers == sorted(numbers)


def test_a_newer_target_that_is_ready_refuses_the_older_ones_first() -> None:
    world = World()
    world.add(Message(0), Message(1), Message(2, ready_at=0.0))
    assert world.answered == [(0, 0.0, True), (1, 0.0, True), (2, 0.0, False)]
    assert world.line.is_empty


def test_a_newer_target_that_waits_too_leaves_the_older_ones_their_chance() -> None:
    """Else a stream of targets whose transforms are always late would never be answered."""
    world = World()
    for number in range(100):
        world.look(0.1 * number)
        world.add(Message(number, ready_at=world.now + 0.25))
    assert [number for number, _, is_refused in world.answered if not is_refused] == [*range(97)]


def test_a_query_is_not_refused_for_a_newer_one() -> None:
    world = World(last_wins=False)
    world.add(Message(0, ready_at=0.5), Message(1, ready_at=0.0))
    world.look(0.6)
    assert world.answered == [(1, 0.0, False), (0, 0.6, False)]


@pytest.mark.parametrize('last_wins', [True, False])
def test_only_the_last_target_is_answered_when_its_transform_comes_too_late(last_wins) -> None:
    world = World(last_wins)
    world.add(Message(0, ready_at=5.0), Message(1, ready_at=5.0))
    world.look(2.0)
    assert world.answered == [(0, 2.0, True), (1, 2.0, True)]
    world.look(6.0)
    assert world.answered[2:] == ([(1, 6.0, False)] if last_wins else [])
    assert world.line.is_empty
    world.look(7.0)
    assert len(world.answered) == 2 + last_wins


def test_a_refused_target_is_forgotten_when_another_one_comes() -> None:
    world = World()
    world.add(Message(0, ready_at=5.0))
    world.look(2.0)
    world.add(Message(1, ready_at=4.0))
    world.look(6.0)
    assert world.answered == [(0, 2.0, True), (1, 6.0, False)]


@pytest.mark.parametrize('last_wins', [True, False])
def test_without_hope_a_message_is_refused_at_once_and_forgotten(last_wins) -> None:
    world = World(last_wins, is_hopeless=True)
    world.add(Message(0))
    assert world.answered == [(0, 0.0, True)]
    assert world.line.is_empty


@pytest.mark.parametrize('last_wins', [True, False])
def test_a_flood_does_not_pile_up(last_wins) -> None:
    world = World(last_wins)
    world.add(*map(Message, range(MOST_WAITING + 50)))
    assert [number for number, _, _ in world.answered] == [*range(50)]


def test_an_answer_that_fails_is_not_tried_again() -> None:
    def answer(message: Message, target: Target) -> None:
        raise RuntimeError(message.number)

    world = World()
    world.answer = answer  # type: ignore[method-assign]
    line = WaitingLine(world.read, answer, lambda arrival: arrival + TIMEOUT, True, lambda: 0.0)
    with pytest.raises(RuntimeError, match='0'):
        line.add(Message(0, ready_at=0.0))
    assert line.is_empty
