"""Calibration: random arms, wrong numbers, noise; the truth is within the stated uncertainty."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ik2d_ros.arm.calibration import Points, calibrate
from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.checks import ConfigError

NOISE = 1e-3  # m


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
    if kind == 'turntable':
        arm |= {
            'turntable.joint': 'waist',
            'base.rpy': [math.pi / 2, 0.0, 0.0],
            'base.xyz': [0.02, 0.01, 0.1],
        }
    return arm


def measured(random, arm, count, noise=NOISE):
    built = arm_from_parameters(arm)
    slides = np.array(built.units) == 'm'
    q = random.uniform(-2.0, 2.0, (count, len(slides)))
    q[:, slides] = random.uniform(0.0, 0.2, (count, slides.sum()))
    dimensions = 2 if built.carrier is None else 3
    errors = random.normal(0.0, noise, (count, 3))
    errors[:, dimensions:] = 0.0
    return Points(q, built.kinematics.forward(q) + errors, dimensions)


def with_errors(random, arm):
    wrong = dict(arm)
    for name in arm['joints']:
        wrong[f'chain.{name}.length'] *= random.uniform(0.9, 1.1)
        if arm.get(f'chain.{name}.type') != 'prismatic':
            wrong[f'chain.{name}.offset'] += random.uniform(-0.5, 0.5)
    return wrong


@pytest.mark.parametrize('kind', ['plane', 'slide', 'turntable'])
def test_the_truth_is_within_the_uncertainty(kind):
    """In 95 of 100 numbers, whatever the errors; and no point is an outlier."""
    random, inside = np.random.default_rng(7), []
    for _ in range(25):
        arm = random_arm(random, random.integers(2, 6), kind)
        points = measured(random, arm, random.integers(15, 40))
        found = calibrate(with_errors(random, arm), points, ['offsets', 'lengths'])
        assert not found.undetermined
        assert not found.outliers
        inside += [
            abs(math.remainder(after - unknown.value(arm), math.tau)) <= uncertainty
            for unknown, _, after, uncertainty in found.numbers
        ]
    assert 0.91 <= np.mean(inside) < 1.0


def test_wrong_senses_are_found():
    random = np.random.default_rng(8)
    for _ in range(3):
        kind = random.choice(['plane', 'turntable'])
        arm = random_arm(random, random.integers(2, 4), kind)
        points = measured(random, arm, 20)
        wrong = with_errors(random, arm)
        flipped = tuple(name for name in arm['joints'] if random.random() < 0.5)
        wrong |= {f'chain.{name}.axis': -arm[f'chain.{name}.axis'] for name in flipped}
        found = calibrate(wrong, points, ['offsets', 'axis'])
        assert found.flipped == flipped
        found = calibrate(wrong, points, ['offsets', 'lengths', 'axis'])
        assert np.sqrt(np.mean(found.after**2)) < 3 * NOISE


def test_the_pose_of_the_base_is_found():
    """But for what the zero of the first joint does as well, which is said."""
    random = np.random.default_rng(9)
    arm = random_arm(random, 3) | {'base.xyz': [0.1, -0.05, 0.3], 'base.rpy': [1.4, 0.1, 0.7]}
    points = measured(random, arm, 30)._replace(dimensions=3)
    found = calibrate({**arm, 'base.xyz': [0.0] * 3, 'base.rpy': [1.6, 0.0, 0.5]}, points, ['base'])
    assert found.after.max() < 5 * NOISE
    assert not found.undetermined
    found = calibrate(arm, points, ['offsets', 'base'])
    [(unknown, others, poses)] = found.undetermined
    names = {str(unknown), *map(str, others)}
    assert 'chain.j0.offset' in names
    assert any(name.startswith('base.rpy') for name in names)
    assert not poses


def test_outliers_are_left_out():
    random = np.random.default_rng(10)
    for _ in range(10):
        arm = random_arm(random, 3)
        points = measured(random, arm, 20)
        far = sorted(random.choice(20, 3, replace=False))
        points.tips[far] += [[0.05, 0.0, 0.0], [0.0, -0.08, 0.0], [0.1, 0.1, 0.0]]
        found = calibrate(with_errors(random, arm), points, ['offsets', 'lengths'])
        assert found.outliers == far


def test_exact_points_and_few_points_are_fitted_as_well():
    """Nothing is left of exact ones; of few, so many stay in that they determine the numbers."""
    random = np.random.default_rng(13)
    for _ in range(4):
        arm = random_arm(random, int(random.integers(2, 4)))  # more senses take longer to try
        exact = measured(random, arm, 9, noise=0.0)
        assert calibrate(arm, exact, ['offsets', 'axis']).flipped == ()
        joints = int(random.integers(2, 6))
        arm, fits = random_arm(random, joints), ['offsets', 'lengths']
        few = measured(random, arm, joints + 1 + int(random.integers(2)))
        few.tips[0, :2] += 0.1
        assert len(calibrate(arm, few, fits).outliers) <= len(few.q) - joints - 1


def test_what_the_points_do_not_tell_keeps_its_value_and_poses_that_would_are_named():
    """A joint that never moves has its zero and its neighbour's length in one number."""
    random = np.random.default_rng(11)
    arm = random_arm(random, 3)
    still = measured(random, arm, 12)
    still.q[:, 2] = 0.3
    tips = arm_from_parameters(arm).kinematics.forward(still.q)
    points = Points(still.q, tips + random.normal(0.0, NOISE, tips.shape) * [1, 1, 0], 2)
    wrong = with_errors(random, arm)
    found = calibrate(wrong, points, ['offsets', 'lengths'])
    assert found.undetermined
    for unknown, others, poses in found.undetermined:
        assert unknown.value(found.parameters) == unknown.value(wrong)
        assert others
        assert poses
    more = np.vstack([points.q, *(each.poses for each in found.undetermined)])
    tips = arm_from_parameters(arm).kinematics.forward(more)
    assert not calibrate(wrong, Points(more, tips, 2), ['offsets', 'lengths']).undetermined


def test_what_cannot_be_fitted_is_refused():
    random = np.random.default_rng(12)
    arm = random_arm(random, 3)
    with pytest.raises(ConfigError, match='2 points do not determine 3 numbers; 3 is the least'):
        calibrate(arm, measured(random, arm, 2), ['offsets'])
    with pytest.raises(ConfigError, match='must be X Y Z'):
        calibrate(arm, measured(random, arm, 20), ['base'])
    many = random_arm(random, 9)
    with pytest.raises(ConfigError, match='9 joints are too many'):
        calibrate(many, measured(random, many, 30), ['axis'])
