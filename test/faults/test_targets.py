"""Hostile targets by the thousand: one status each, and never a pose that the arm cannot take."""

from __future__ import annotations

import math
from collections import Counter
from random import Random
from typing import Any

from peer import FULL, Peer, code, count, resident_kib

TARGETS = count(100_000, 120)
GROWTH = 1024  # KiB
LONG = 1_000_000  # characters of a frame's name

NUMBERS = [
    *(0.0, -0.0, 5e-324, -1e-310, 1e-9, 1.0, -1.0, 1e6, -1e9, 1e154, 1e300, 1.7e308, -1.7e308),
    *(math.nan, math.inf, -math.inf),
]
FRAMES = ['', 'base_link', '/base_link', 'map', ' ', 'base_link\n', '\x1b[2J', 'ü\u202e', '%s{0}']


def hostile_point(random: Random) -> tuple[float, float, float]:
    kind = random.randrange(4)
    if kind == 0:  # anything
        return random.choice(NUMBERS), random.choice(NUMBERS), random.choice(NUMBERS)
    if kind == 1:  # in reach or near it
        return random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), 0.0
    if kind == 2:  # at the edges of the reach, or beside the base by next to nothing
        radius = random.choice([0.55, math.nextafter(0.55, 1.0), 0.05, 5e-324, 1e-17])
        angle = random.choice([0.0, math.pi, random.uniform(-4.0, 4.0)])
        return radius * math.cos(angle), radius * math.sin(angle), random.choice([0.0, 1e-300])
    return 0.3, 0.2, random.choice(NUMBERS)


def test_every_target_has_its_status_and_the_arm_stays_within_its_limits(
    arm_node: Any, peer: Peer
) -> None:
    peer.connect()
    random = Random(5)
    codes: Counter[str] = Counter()
    sentences = 0
    warm = 0
    for turn in range(TARGETS):
        query = turn % 10 == 9
        frame = random.choice(['', 'base_link', random.choice(FRAMES)])
        if turn % 500 in {3, 9}:
            frame = 'x' * LONG
        status = peer.ask(hostile_point(random), query, frame_id=frame)
        for heard in (peer.statuses, peer.answers, peer.joint_states):
            heard.clear()
        codes[code(status)] += 1
        sentence = status.status[0].message
        assert sentence.isprintable()
        sentences = max(sentences, len(sentence))
        assert not peer.wrong, (turn, peer.wrong)
        if turn == TARGETS // 4:
            warm = resident_kib(arm_node.popen.pid)
    growth = resident_kib(arm_node.popen.pid) - warm
    print(
        f'{TARGETS} targets, {codes.total()} statuses ({dict(codes)}), the longest sentence of '
        f'{sentences} characters; memory grew by {growth} KiB'
    )
    assert codes.total() == TARGETS
    assert {'REACHED', 'INVALID_TARGET', 'UNKNOWN_FRAME', 'TOO_FAR', 'JOINT_LIMIT'} <= codes.keys()
    assert sentences < 600
    assert max(map(len, arm_node.output.splitlines())) < 1000
    assert growth < GROWTH or not FULL, growth  # a few are not enough to warm up
