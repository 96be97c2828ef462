"""Calibration: random arms, wrong numbers, noise; the truth is within the stated uncertainty."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.calibration.model import FITS, TRAVELS, Model
from ik2d_ros.parameters.checks import ConfigError

NOISE = 1e-3  # m
HARDLY = ['one pose', 'one joint', 'one stays', 'small moves']


@pytest.fixture
def calibrate():
    return pytest.importorskip('ik2d_ros.calibration.calibrate', reason='SciPy').calibrate


def random_arm(random, joints, kind='plane'):
    names = [f'j{index}' for index in range(joints)]
    arm = {'joints': names}
    for name in names:
        arm |= {
            f'chain.{name}.length': random.uniform(0.05, 0.4),
            f'chain.{name}.offset': random.uniform(-1.0, 1.0),
            f'chain.{name}.axis': int(random.choice([-1, 1])),
        }
    if kind == 'slide':
        last = f'chain.{names[-1]}'
        arm |= {f'{last}.type': 'prismatic', f'{last}.min_position': 0.0}
        arm |= {f'{last}.max_position': 0.2, f'{last}.offset': 1.2}  # beside the link before
        if random.random() < 0.5:  # as the import writes it
            del arm[f'{last}.length']
            arm[f'{last}.link'] = [0.0, 0.0]
    if kind == 'lift':
        arm |= {'lift.joint': 'mast', 'lift.min_position': 0.0, 'lift.max_position': 0.3}
        arm |= {'lift.axis': -1, 'base.rpy': [0.3, 0.2, 0.1]}
    if kind == 'turntable':
        arm |= {
            'turntable.joint': 'waist',
            'base.rpy': [math.pi / 2, 0.0, 0.0],
            'base.xyz': [0.02, 0.01, 0.1],
        }
    return arm


def some_poses(random, built, count, still=(), spread=2.0):
    """Random positions (count, m); some joints stay where they are."""
    slides = np.array(built.units) == 'm'
    q = random.uniform(-2.0, 2.0, len(slides)) * np.ones((count, 1))
    q += random.uniform(-spread, spread, q.shape) * ~np.isin(np.arange(len(slides)), still)
    q[:, slides] = 0.05 * np.abs(q[:, slides])
    return q


def measured(random, built, q, noise=NOISE, in_space=False):
    """Tips of an arm, (k, 2) in its plane or (k, 3), where its file says that it is at q."""
    tips = built.kinematics.forward(q)
    if not (in_space or built.carrier):
        tips = built.kinematics.plane.located(tips)[:, :2]
    return tips + random.normal(0.0, noise, tips.shape)


def changed(random, arm, fits, angle=0.5):
    """An arm whose numbers are others than those of its file, and what they are, by name."""
    model = Model(arm)
    free = np.isin(model.fits, fits)
    x = random.uniform(-1.0, 1.0, len(free)) * np.where(model.turns, 10.0 * angle, 0.5) * free
    numbers = zip(model.changes, model.values(x), free, strict=True)
    truth = {change.name: value for change, value, is_free in numbers if is_free}
    return arm_from_parameters(model.written(x)), truth


def hits(found, truth):
    """Whether each number that is given has the truth in its interval."""
    turn = {'rad': math.tau, 'm': math.inf}
    return [
        abs(math.remainder(after - truth[change.name], turn[change.unit])) <= half
        for change, after, half in found.numbers
        if math.isfinite(half)
    ]


def undetermined(found):
    return [change.name for change, _, half in found.numbers if math.isinf(half)]


@pytest.mark.parametrize('kind', ['plane', 'slide', 'turntable', 'lift'])
def test_the_arm_that_is_written_has_the_tips_that_were_fitted(kind):
    random = np.random.default_rng(3)
    for _ in range(10):
        arm = random_arm(random, random.integers(2, 5), kind)
        if random.random() < 0.5:
            arm['tool'] = [0.03, -0.02]
        model = Model(arm)
        x = random.uniform(-3.0, 3.0, len(model.fits)) * np.isin(model.fits, FITS)
        lengths = [change.unit == 'm' and 'chain.' in change.name for change in model.changes]
        x = np.where(lengths, np.copysign(x, model.steps), x)
        q = random.uniform(-2.0, 2.0, (5, len(model.arm.names)))
        written = arm_from_parameters(model.written(x)).kinematics
        assert model.tips(x, q) == pytest.approx(written.forward(q), abs=1e-9)


@pytest.mark.parametrize('fits', [['offsets'], ['offsets', 'lengths'], ['base']])
def test_the_truth_is_within_the_intervals(calibrate, fits):
    """In 95 of 100 numbers, whatever the errors; a number that the points do not hold has none.

    At poses that differ, no number is without one, and no point is an outlier. At one pose,
    with one joint that moves, or that stays, or with small moves, some are.
    """
    random, inside = np.random.default_rng(7), []
    for kind in ('plane', 'slide', 'turntable', 'lift'):
        for poses in ('all', *random.choice(HARDLY, 2, replace=False)):
            arm = random_arm(random, random.integers(2, 5), kind)
            built, truth = changed(random, arm, fits)
            joints = range(len(built.names))
            one = int(random.integers(len(joints)))
            still = {'one pose': joints, 'one joint': set(joints) - {one}, 'one stays': {one}}
            spread = 0.03 if poses == 'small moves' else 2.0
            q = some_poses(random, built, 25, [*still.get(poses, ())], spread)
            found = calibrate(arm, q, measured(random, built, q, in_space=fits == ['base']), fits)
            assert {change.name for change, _, _ in found.numbers} == {*truth}
            if poses == 'one pose' and kind in ('plane', 'turntable') and fits != ['base']:
                assert not hits(found, truth)
            assert poses != 'all' or not undetermined(found)
            inside += hits(found, truth)
    assert np.mean(inside) >= 0.85


@pytest.mark.parametrize('kind', ['plane', 'turntable'])
def test_what_the_base_and_a_zero_do_alike_is_not_determined(calibrate, kind):
    random = np.random.default_rng(9)
    arm = random_arm(random, 3, kind) | {'base.xyz': [0.1, -0.05, 0.3]}
    built, _ = changed(random, arm, ['base'])
    q = some_poses(random, built, 20)
    tips = measured(random, built, q, in_space=True)
    found = calibrate(arm, q, tips, ['offsets', 'base'])
    assert found.after.max() < 5 * NOISE
    names = undetermined(found)
    assert ("zero of joint 'waist'" if kind == 'turntable' else 'chain.j0.offset') in names
    assert any(name.startswith('turn of the base') for name in names)


def test_outliers_count_less(calibrate):
    random, inside = np.random.default_rng(10), []
    for _ in range(3):
        arm = random_arm(random, 3)
        built, truth = changed(random, arm, ['offsets', 'lengths'])
        q = some_poses(random, built, 20)
        tips = measured(random, built, q)
        far = random.choice(20, 3, replace=False)
        tips[far] += [[0.05, 0.0], [0.0, -0.08], [0.1, 0.1]]
        found = calibrate(arm, q, tips, ['offsets', 'lengths'])
        assert {*np.argsort(found.after)[-3:]} == {*far}
        assert np.median(found.after) < 5 * NOISE
        inside += hits(found, truth)
    assert np.mean(inside) >= 0.85


def test_exact_points_and_few_points_are_fitted_as_well(calibrate):
    """Nothing is left of exact ones; too few determine nothing."""
    random = np.random.default_rng(13)
    for joints in (2, 4):
        arm = random_arm(random, joints)
        built, truth = changed(random, arm, ['offsets'])
        q = some_poses(random, built, 9)
        found = calibrate(arm, q, measured(random, built, q, noise=0.0), ['offsets'])
        assert found.after.max() < 1e-6
        assert {change.name for change, _, _ in found.numbers} == {*truth}
        few = calibrate(
            arm, q[:joints], measured(random, built, q[:joints]), ['offsets', 'lengths']
        )
        assert not hits(few, {})


def test_joints_that_do_not_go_as_far_as_they_are_told_are_named(calibrate):
    """A servo of another range, or the other sense; no number is true then."""
    random = np.random.default_rng(3)
    for travels in ({1: 1.5}, {0: -1.0, 2: -1.0}, {2: 0.667}):
        arm = random_arm(random, 3)
        built, _ = changed(random, arm, ['offsets'])
        q = random.uniform(-1.5, 1.5, (16, 3))
        by = np.array([travels.get(j, 1.0) for j in range(3)])
        numbers = calibrate(arm, q, measured(random, built, by * q), ['offsets']).numbers
        assert {change.fit for change, _, _ in numbers} == {TRAVELS}
        found = {change.name: after for change, after, _ in numbers}
        assert found == pytest.approx({f'j{j}': travel for j, travel in travels.items()}, abs=0.05)


def test_an_arm_without_such_numbers_is_refused(calibrate):
    arm = random_arm(np.random.default_rng(12), 1, 'slide')
    with pytest.raises(ConfigError, match='no lengths to fit'):
        calibrate(arm, np.zeros((5, 1)), np.zeros((5, 2)), ['lengths'])
