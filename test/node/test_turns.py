"""Arms of one process that answer in turn: no tick waits for more than one answer."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.node.turns import Turns

PERIOD = 20


class Arm:
    """An arm in a world with a clock of its own, whose answers and ticks take time."""

    def __init__(self, world: World, waiting: int, first: int) -> None:
        self.world, self.waiting, self.next = world, waiting, first
        self.count = self.answered = 0
        self.solved_since_due = 0

    def is_due(self) -> bool:
        return self.world.now >= self.next

    def answer_next(self) -> bool:
        if not self.waiting:
            return False
        self.waiting -= 1
        self.answered += 1
        self.world.order.append(self)
        for arm in self.world.arms:
            arm.solved_since_due += arm.is_due()
        self.world.now += self.world.takes
        return True

    def tick(self) -> None:
        self.world.waits.append(self.solved_since_due)
        self.count, self.solved_since_due, self.world.now = self.count + 1, 0, self.world.now + 1
        while self.is_due():
            self.next += PERIOD


class World:
    """Arms in one process, whose events an executor handles in the order in which they came."""

    def __init__(self, waiting: list[int], takes: int) -> None:
        self.now, self.takes = 0, takes
        self.waits: list[int] = []
        self.order: list[Arm] = []
        self.arms = [Arm(self, many, place) for place, many in enumerate(waiting)]
        self.turns = Turns()
        for arm in self.arms:
            self.turns.join(arm, arm.answer_next)

    def run(self) -> None:
        for arm in self.arms:
            if arm.is_due():
                arm.tick()
        self.turns.run()
        self.now += 1


@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(1, 300))
def test_no_tick_waits_for_more_than_one_answer_and_all_are_answered(
    waiting: list[int], takes: int
) -> None:
    world = World(waiting, takes)
    for _ in range(1000):
        if not any(arm.waiting for arm in world.arms):
            break
        world.run()
    assert [arm.answered for arm in world.arms] == waiting
    assert max(world.waits, default=0) <= 1


@given(st.integers(1, 12), st.integers(1, 300))
def test_arms_take_turns(many: int, takes: int) -> None:
    world = World([12, many], takes)
    while any(arm.waiting for arm in world.arms):
        world.run()
    first, second = world.arms
    alternating = world.order[: 2 * many]
    assert alternating.count(first) == alternating.count(second) == many
    assert all(one is not other for one, other in pairwise(alternating))
