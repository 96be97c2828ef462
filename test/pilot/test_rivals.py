"""Who publishes joints on one topic, in virtual time: others first, and nothing when in doubt."""

from __future__ import annotations

import math
from collections import deque
from random import Random

import pytest

from ik2d_ros.pilot.rivals import DISCOVERY, LISTENING, SILENCE, Rivals

OWN = ('shoulder', 'elbow')
SEQUENCES = 300


@pytest.mark.parametrize('part', range(4))
def test_a_node_publishes_its_joints_exactly_where_no_other_does(part: int) -> None:
    """Its own messages come back after a while; others publish its joints, or others, or both."""
    for seed in range(part * SEQUENCES, (part + 1) * SEQUENCES):
        random = Random(seed)
        begin = now = random.uniform(0.0, 1e5)
        rivals, period = Rivals(OWN, begin), random.choice([0.001, 0.02, 0.3])
        under_way: deque[tuple[float, int, list[float]]] = deque()
        appeared = rival = begin - 1e3
        has_others = has_published = False
        names, left, stamp = random_names(random), random.uniform(0.0, 3.0), 0
        for _ in range(400):
            now += period
            left -= period
            if left < 0.0:  # others come, go, or publish something else
                names, left = random_names(random), random.expovariate(0.3)
                if names and not has_others:
                    rivals.appear(now)
                    appeared = now if not has_published else appeared
                has_others = bool(names)
            while under_way and under_way[0][0] <= now:
                _, sent_at, sent = under_way.popleft()
                assert not rivals.hear(sent_at, OWN, sent, now)
            if has_others and random.random() < 0.7:
                q = [random.choice([math.nan, random.uniform(-3, 3)]) for _ in names]
                told = dict(zip(names, q, strict=True))
                is_rival = any(not math.isnan(told.get(name, math.nan)) for name in OWN)
                # At the same stamp as its own, too.
                assert rivals.hear(random.choice([0, stamp]), names, q, now) is is_rival
                rival = now if is_rival else rival
            may = rivals.may_publish(now)
            assert not (may and now - rival < SILENCE)
            listens = now - begin < DISCOVERY or now - appeared < LISTENING
            assert may or now - rival < SILENCE or listens
            assert not (may and listens and not has_published)
            if may:
                has_published, stamp = True, stamp + 1
                pose = [random.uniform(-3, 3), 0.0]
                rivals.send(stamp, pose)
                latest = under_way[-1][0] if under_way else now
                under_way.append((max(latest, now + random.uniform(0, 90 * period)), stamp, pose))


def random_names(random: Random) -> list[str]:
    kinds: list[list[str]] = [[], [], ['gripper'], ['gripper', 'elbow'], [*OWN], ['x', *OWN]]
    return random.choice(kinds)
