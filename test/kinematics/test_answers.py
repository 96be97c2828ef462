"""Laws of every answer for arms of every kind, one by one and in batches, at angles and without."""

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from arms import headings, placed
from harness import IS_UNCOMPILED, PROGRAM_TIMEOUT, examples
from space import (
    ARMS,
    both,
    check_answer,
    closest_of_an_optimiser,
    is_carried,
    of_chain,
    random_pose,
    tip,
)

from ik2d_ros.kinematics import Chain, Joint, Status, solve, solve_batch

KNOWN, COUNT = 5, 12


@pytest.mark.parametrize('kind', ARMS)
def test_forward_is_what_links_and_turns_add_up_to(kind):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        arm = ARMS[kind](rng)
        q = np.array([random_pose(arm, rng) for _ in range(3)])
        slack = 1e-13 * (arm.chain.reach.outer + math.hypot(*arm.plane.origin))
        assert arm.forward(q) == pytest.approx(np.array([tip(arm, one) for one in q]), abs=slack)
        assert arm.forward(q[0]) == pytest.approx(tip(arm, q[0]), abs=slack)
        carried = arm.carried_plane(q[0][0])
        assert carried.point(*arm.points(q[0])[-1]) == pytest.approx(tip(arm, q[0]), abs=slack)
        axes = np.array(carried.axes)
        assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-14)
        assert np.linalg.det(axes) > 0.0
        chain_pose = of_chain(arm, q[0])
        x, y = arm.chain.forward(chain_pose).T
        assert x + 1j * y == pytest.approx(placed(arm.chain, chain_pose), abs=slack)


def asked_of(arm, rng, aimed):
    """Targets, the first ones tips of poses, the others beside them; starts, and angles or none."""
    q = np.array([random_pose(arm, rng) for _ in range(COUNT)])
    size = arm.chain.reach.outer or 1.0
    targets = np.array([tip(arm, pose) for pose in q])
    away = 10.0 ** rng.uniform(-3.0, 0.3, (COUNT, 1)) * rng.normal(size=(COUNT, 3))
    if not is_carried(arm):
        away -= (away @ arm.plane.axes[2])[:, None] * np.array(arm.plane.axes[2])
    targets[KNOWN:] += size * away[KNOWN:]
    starts = np.array([random_pose(arm, rng) for _ in q])
    # Straight ahead of a start, both bends cost the same but for rounding.
    targets[-1] = arm.plane.point(size * rng.uniform(), 0.0)
    starts[-1] = np.clip(0.0, arm.lower, arm.upper)
    options = {'tolerance': size * 10.0 ** rng.integers(-9, -2)}
    options['solver'] = str(rng.choice(['auto', 'ccd', 'hybrid']))
    if aimed:
        angles = np.array([headings(arm.chain, of_chain(arm, pose))[-1] for pose in q])
        angles[KNOWN - 1 :: 2] += rng.uniform(-2.0, 2.0, len(angles[KNOWN - 1 :: 2]))
        options |= {'angle': angles, 'angle_tolerance': 10.0 ** rng.integers(-9, -2)}
    elif len(arm.chain) == 2 and rng.random() < 0.5:
        options |= {'solver': 'two_bone', 'bend': str(rng.choice(['positive', 'negative']))}
    if arm.roll is not None:
        options['roll'] = q[:, -1].copy()
        options['roll'][KNOWN::2] += rng.uniform(-4.0, 4.0, len(q[KNOWN::2]))
    return targets, starts, options


@pytest.mark.parametrize('aimed', [False, True])
@pytest.mark.parametrize('kind', ARMS)
def test_answers_are_true_and_those_of_one_by_one_and_no_pose_is_missed(kind, aimed):
    for seed in range(examples(20)):
        rng = np.random.default_rng(seed)
        arm = ARMS[kind](rng)
        while aimed and len(arm.chain) < 3:
            arm = ARMS[kind](rng)
        targets, starts, options = asked_of(arm, rng, aimed)
        batch = solve_batch(arm, targets, start=starts, **options)
        known = KNOWN - 1 if aimed else KNOWN
        assert (batch.status[:known] == Status.REACHED).all(), seed
        for k, target in enumerate(targets):
            each = {name: options[name][k] for name in ('angle', 'roll') if name in options}
            single = options | each
            one = solve(arm, target, start=starts[k], **single)
            check_answer(arm, target, one, **single)
            assert (batch.status[k], batch.proven[k]) == (one.status, one.proven)
            assert (batch.error[k], batch.angle_error[k]) == (one.error, one.angle_error)
            assert batch.roll_error[k] == pytest.approx(one.roll_error, abs=1e-12)
            assert batch.q[k].tolist() == one.q.tolist()


@pytest.mark.filterwarnings('ignore:Values in x were outside bounds')  # They are clipped.
@pytest.mark.parametrize('kind', [kind for kind in ARMS if 'linkage' not in kind])
def test_no_optimiser_comes_closer(kind):
    for seed, tolerance in enumerate((1e-9, 1e-6, 1e-2)):  # which has no say in how close
        rng = np.random.default_rng(seed)
        arm = ARMS[kind](rng)
        targets, starts, _ = asked_of(arm, rng, False)
        if arm.roll is not None:
            starts[:, -1] = starts[0, -1]
        found = solve_batch(arm, targets, start=starts, tolerance=tolerance * arm.chain.reach.outer)
        for k in np.flatnonzero(found.status != Status.REACHED)[:3]:
            best = closest_of_an_optimiser(arm, targets[k], rng, starts[0, -1])
            assert found.proven[k] == (tolerance >= 1e-8)
            assert found.error[k] <= best + 1e-6 * arm.chain.reach.outer
            assert best <= found.error[k] + 1e-3 * arm.chain.reach.outer  # it is an optimiser


@pytest.mark.parametrize('kind', ARMS)
def test_an_answer_does_not_depend_on_what_else_is_in_the_batch(kind):
    """Nor on the thread that finds it; and no targets give no answers."""
    rng = np.random.default_rng(6)
    arm = ARMS[kind](rng)
    some, starts, _ = asked_of(arm, rng, False)
    others = np.tile([tip(arm, random_pose(arm, rng)) for _ in range(60)], (10, 1))
    alone = solve_batch(arm, some, start=starts)
    more = np.tile([random_pose(arm, rng) for _ in range(10)], (60, 1))
    batch = solve_batch(arm, [*others, *some], start=[*more, *starts])
    assert batch.status[600:].tolist() == alone.status.tolist()
    assert batch.q[600:] == pytest.approx(alone.q, abs=1e-9)
    for what in (arm, arm.chain):
        assert solve_batch(what, []).q.shape == (0, len(what))


@pytest.mark.parametrize('solver', ['auto', 'ccd'])
@pytest.mark.parametrize('kind', ARMS)
def test_a_pose_on_the_target_does_not_move(kind, solver):
    """Nor by whole turns, where rounding puts a joint outside of a limit."""
    for seed in range(examples(20)):
        rng = np.random.default_rng(seed)
        arm = ARMS[kind](rng)
        start = random_pose(arm, rng)
        if is_carried(arm) and seed % 3 and math.isfinite(arm.lower[0]):
            start[0] = arm.limits[0][seed % 2]
        for found in both(arm, tip(arm, start), start, solver=solver):
            assert found.q == pytest.approx(start, abs=1e-6)


@pytest.mark.parametrize('kind', ARMS)
def test_joints_that_do_not_move_the_tip_stay_where_they_start(kind):
    """Those whose links have no length, with none behind them that has one."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        some = ARMS[kind](rng)
        idle = Joint('idle', (0.0, 0.0), -2.0, 2.0), Joint('fixed', (0.0, 0.0), 0.3, 0.3)
        arm = replace(some, chain=Chain([*some.chain.joints, *idle], some.chain.tool), roll=None)
        targets, starts, options = asked_of(arm, rng, False)
        q = solve_batch(arm, targets, start=starts, **options).q
        assert q[:, -2:] == pytest.approx(starts[:, -2:], abs=1e-9)


A_LONG_BATCH = """
import os, signal, sys, threading, time
import numpy as np
from ik2d_ros.kinematics import Chain, solve_batch

def interrupt():
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)

chain = Chain.from_lengths([0.1] * 11, [(-1.0, 0.3)] * 11)
targets = np.random.default_rng(0).uniform(-0.8, 0.8, (int(sys.argv[1]), 2))
solve_batch(chain, targets[:1], angle=1.0)
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.1, interrupt).start()
try:
    solve_batch(chain, targets, angle=1.0)
except KeyboardInterrupt:
    print(time.monotonic() - sent)
"""


@pytest.mark.parametrize('count', [500, 5000])
def test_a_batch_ends_soon_after_ctrl_c(count):
    """In one thread or in some: they would take some 4 and 20 s."""
    program = [sys.executable, '-c', A_LONG_BATCH, f'{count}']
    took = subprocess.check_output(program, text=True, timeout=PROGRAM_TIMEOUT)
    assert float(took) < (20.0 if IS_UNCOMPILED else 2.0)
