"""Calibration: random arms, wrong numbers, noise; the truth is within the stated uncertainty."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.calibration.model import FITS, Model, Points
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


def measured(random, built, q, noise=NOISE, dimensions=None):
    """Points of an arm, where its file says that it is at q."""
    dimensions = dimensions or (2 if built.carrier is None else 3)
    errors = random.normal(0.0, noise, (len(q), 3))
    errors[:, dimensions:] = 0.0
    return Points(q, built.kinematics.forward(q) + errors, dimensions)


def changed(random, arm, fits, angle=0.5):
    """An arm whose numbers are others than those of its file, and what they are, by name."""
    model = Model(arm)
    x, free = np.zeros(len(model.changes)), model.indices(fits)
    x[free] = random.uniform(-1.0, 1.0, len(free)) * np.where(model.turns[free], 10.0 * angle, 0.5)
    values = model.values(x).tolist()
    truth = {model.changes[i].name: values[i] for i in free}
    return arm_from_parameters(model.written(x)), truth


def hits(found, truth):
    """Whether each number that is given has the truth in its interval."""
    off = [
        math.remainder(after - truth[change.name], math.tau if change.unit == 'rad' else math.inf)
        for change, after, _ in found.numbers
    ]
    return [abs(each) <= n.uncertainty for each, n in zip(off, found.numbers, strict=True)]


@pytest.mark.parametrize('kind', ['plane', 'slide', 'turntable', 'lift'])
def test_the_arm_that_is_written_has_the_tips_that_were_fitted(kind):
    random = np.random.default_rng(3)
    for _ in range(10):
        arm = random_arm(random, random.integers(2, 5), kind)
        if random.random() < 0.5:
            arm['tool'] = [0.03, -0.02]
        model = Model(arm)
        x, free = np.zeros(len(model.changes)), model.indices(FITS)
        x[free] = random.uniform(-3.0, 3.0, len(free))
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
            points = measured(random, built, q, dimensions=3 if fits == ['base'] else None)
            found = calibrate(arm, points, fits)
            assert len(found.numbers) + len(found.undetermined) == len(truth)
            if poses == 'one pose' and kind in ('plane', 'turntable') and fits != ['base']:
                assert not found.numbers
            if poses == 'all':
                assert not found.undetermined
                assert not found.outliers
                assert not found.travels
            inside += hits(found, truth)
    assert np.mean(inside) >= 0.85


@pytest.mark.parametrize('kind', ['plane', 'turntable'])
def test_what_the_base_and_a_zero_do_alike_is_not_determined(calibrate, kind):
    random = np.random.default_rng(9)
    arm = random_arm(random, 3, kind) | {'base.xyz': [0.1, -0.05, 0.3]}
    built, _ = changed(random, arm, ['base'])
    points = measured(random, built, some_poses(random, built, 20), dimensions=3)
    found = calibrate(arm, points, ['offsets', 'base'])
    assert found.after.max() < 5 * NOISE
    names = [change.name for change in found.undetermined]
    assert ("zero of joint 'waist'" if kind == 'turntable' else 'chain.j0.offset') in names
    assert any(name.startswith('turn of the base') for name in names)


def test_outliers_are_left_out(calibrate):
    random = np.random.default_rng(10)
    for _ in range(3):
        arm = random_arm(random, 3)
        built, _ = changed(random, arm, ['offsets', 'lengths'])
        points = measured(random, built, some_poses(random, built, 20))
        far = sorted(random.choice(20, 3, replace=False))
        points.tips[far] += [[0.05, 0.0, 0.0], [0.0, -0.08, 0.0], [0.1, 0.1, 0.0]]
        assert calibrate(arm, points, ['offsets', 'lengths']).outliers == far


def test_exact_points_and_few_points_are_fitted_as_well(calibrate):
    """Nothing is left of exact ones; of few, so many stay in that they determine the numbers."""
    random = np.random.default_rng(13)
    for joints in (2, 4):
        arm = random_arm(random, joints)
        built = arm_from_parameters(arm)
        exact = measured(random, built, some_poses(random, built, 9), noise=0.0)
        found = calibrate(arm, exact, ['offsets'])
        assert found.after.max() < 1e-6
        assert not found.travels
        count = joints + 1 + int(random.integers(2))
        few = measured(random, built, some_poses(random, built, count))
        few.tips[0, :2] += 0.1
        found = calibrate(arm, few, ['offsets', 'lengths'])
        assert len(found.outliers) <= count - joints - 1


def test_joints_that_do_not_go_as_far_as_they_are_told_are_named(calibrate):
    """A servo of another range, or the other sense; no number is true then."""
    random = np.random.default_rng(3)
    for travels in ({1: 1.5}, {0: -1.0, 2: -1.0}, {2: 0.667}):
        arm = random_arm(random, 3)
        built, _ = changed(random, arm, ['offsets'])
        q = random.uniform(-1.5, 1.5, (16, 3))
        by = np.array([travels.get(j, 1.0) for j in range(3)])
        points = measured(random, built, by * q)
        found = calibrate(arm, points._replace(q=q), ['offsets']).travels
        assert found == pytest.approx({f'j{j}': travel for j, travel in travels.items()}, abs=0.05)


def test_what_cannot_be_fitted_is_refused(calibrate):
    random = np.random.default_rng(12)
    arm = random_arm(random, 3)
    points = measured(random, arm_from_parameters(arm), np.zeros((2, 3)))
    with pytest.raises(ConfigError, match='2 points do not determine 3 numbers; 3 is the least'):
        calibrate(arm, points, ['offsets'])
    with pytest.raises(ConfigError, match='must be X Y Z'):
        calibrate(arm, points, ['base'])
