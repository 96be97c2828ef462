"""What is known of a chain is made once, however many there are, and goes with the chain."""

import gc
import math
import weakref

import numpy as np
import pytest

from ik2d_ros.kinematics import Arm, Chain, Joint, Plane, Status, Turntable, solve, solve_batch
from ik2d_ros.kinematics.kept import RECENT, kept
from ik2d_ros.kinematics.proof import proof
from ik2d_ros.kinematics.space import closest_poses
from ik2d_ros.kinematics.tip_angle import tip_angle_proof

UPRIGHT = Plane.from_pose((0.05, 0.02, 0.1), (0.5 * math.pi, 0.0, 0.0))
FLEET = 2 * RECENT
FORBIDDEN = 0.1, 0.1, 0.2


def arm_of(number, joints=4):
    """An arm like the others, but for the names of its joints, as in a fleet."""
    names = [f'arm{number}_{joint}' for joint in range(joints)]
    chain = Chain([Joint(name, (0.3, 0.0), -0.6, 0.8) for name in names])
    return Arm(chain, UPRIGHT, Turntable(lower=-2.0, upper=2.0, name=f'arm{number}_waist'))


def use(arm):
    """Solve what needs all that is kept: targets that limits forbid, in the plane and in space."""
    for chain, target in ((arm.chain, (0.1, 0.1)), (arm, FORBIDDEN)):
        for angle in (None, 2.0):
            assert solve(chain, target, angle=angle).status is Status.JOINT_LIMIT
            solve_batch(chain, np.array([target, target]), angle=angle)


def test_many_arms_find_what_was_made_for_each(monkeypatch):
    made = []
    for module, name in (
        (proof, 'edge_pieces'),
        (closest_poses, 'edge_of'),
        (tip_angle_proof, 'Tables'),
    ):
        make = getattr(module, name)

        def counted(*arguments, make=make, name=name):
            made.append(name)
            return make(*arguments)

        monkeypatch.setattr(module, name, counted)
    arms = [arm_of(number) for number in range(FLEET)]
    for _ in range(3):
        for arm in arms:
            use(arm)
    assert {name: made.count(name) for name in made} == {
        'edge_pieces': FLEET,
        'edge_of': FLEET,
        'Tables': FLEET,
    }


def test_of_arms_that_are_gone_nothing_is_left_but_of_the_last_few():
    gone = []
    for number in range(FLEET):
        arm = arm_of(f'short_lived_{number}', joints=2 + number % 3)
        if len(arm.chain) > 2:
            use(arm)
        else:
            solve(arm, FORBIDDEN)
        gone += [weakref.ref(arm), weakref.ref(arm.chain)]
    del arm
    for number in range(FLEET):
        use(arm_of(f'after_{number}'))
        solve(arm_of(f'pair_{number}', joints=2), FORBIDDEN)
    gc.collect()
    assert [ref() for ref in gone] == [None] * len(gone)


def test_equal_chains_share_what_is_kept_also_if_the_first_is_gone():
    made = []

    @kept
    def name_of(chain):
        made.append(chain.names)
        return chain.names[0]

    chains = [arm_of(number).chain for number in (1, 1, 2)]
    assert [name_of(chain) for chain in chains] == ['arm1_0', 'arm1_0', 'arm2_0']
    assert len(made) == 2
    assert name_of.__name__ == 'name_of'
    del chains
    assert name_of(arm_of(1).chain) == 'arm1_0'
    assert len(made) == 2


@pytest.mark.parametrize('change', [{'plane': Plane.from_pose((0.0,) * 3, (0.0,) * 3)}, {}])
def test_equal_arms_have_equal_hashes(change):
    def made():
        return Arm(**{'chain': Chain.from_lengths([0.3, 0.2]), 'plane': UPRIGHT, **change})

    one, same = made(), made()
    assert one == same
    assert hash(one) == hash(same)
    assert hash(Arm(one.chain, one.plane, Turntable(axis=one.plane.axes[1]))) != hash(one)
