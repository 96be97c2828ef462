"""Targets and queries that wait: which is answered, when, and in which order."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.pilot.answer import Target
from ik2d_ros.pilot.waiting import WaitingLine

TIMEOUT, MOST = 1.0, 40


class World:
    """A line with its own clock, and its answers: number, time, and whether refused.

    A target says from when on it can be answered: that is its x; y is its number.
    """

    def __init__(self, last_wins: bool = True) -> None:
        self.now = 0.0
        self.answered: list[tuple[int, float, bool]] = []
        self.line = WaitingLine(
            self.update,
            lambda target: self.answered.append(
                (int(target.point[1]), self.now, bool(target.frame_fault))
            ),
            lambda arrival: arrival + TIMEOUT,
            last_wins,
            MOST,
            lambda: self.now,
        )

    def update(self, target: Target) -> Target:
        return target._replace(frame_fault='' if self.now >= target.point[0] else 'why')

    def add(self, number: int, ready_at: float = math.inf) -> bool:
        is_taken = self.line.add(Target((ready_at, number, 0.0)))
        self.look(self.now)
        return is_taken

    def look(self, now: float) -> None:
        self.now = now
        while self.line.answer_next():
            pass


steps = st.lists(
    st.tuples(st.floats(0.0, 1.5), st.one_of(st.none(), st.floats(0.0, 3.0))), max_size=30
)


@given(steps, st.booleans())
def test_targets_and_queries_are_answered_in_time_and_in_order(steps, last_wins) -> None:
    world = World(last_wins)
    arrivals: dict[int, float] = {}
    for number, (pause, delay) in enumerate(steps):
        world.look(world.now + pause)
        arrivals[number] = world.now
        world.add(number, math.inf if delay is None else world.now + delay)
    for _ in range(50):
        world.look(world.now + 0.1)
    first = {number: time for number, time, _ in reversed(world.answered)}
    for number, time in first.items():
        # No later than the first look after its time.
        assert time <= arrivals[number] + TIMEOUT + 1.5
    accepted = [number for number, _, is_refused in world.answered if not is_refused]
    assert len(accepted) == len(set(accepted))
    if last_wins:
        # No target is answered after a newer one: the arm never goes back to an older one.
        numbers = [number for number, _, _ in world.answered]
        assert numbers == sorted(numbers)
        assert arrivals.keys() - first.keys() <= {*range(accepted[-1] if accepted else 0)}
    else:
        assert first.keys() == arrivals.keys()


def test_waiting_targets_do_not_drop_older_ones() -> None:
    """Else a stream of targets whose transforms are always late would never be answered."""
    world = World()
    for number in range(100):
        world.look(0.1 * number)
        world.add(number, ready_at=world.now + 0.25)
    assert [number for number, _, is_refused in world.answered if not is_refused] == [*range(97)]
