"""Several arms in one process: each answers for itself."""

from __future__ import annotations

import math

import yaml
from harness import once
from node_client import LIMITS, TWO, tip, values

from ik2d_ros.kinematics import Chain

ARMS = [f'arm{i}' for i in range(5)]
LENGTHS = {arm: round(0.2 + 0.01 * number, 2) for number, arm in enumerate(ARMS)}


@once
def test_each_arm_answers_its_own_target(client_of, start_process, tmp_path):
    sections = {'/**': {**TWO, 'arms': ARMS}}
    sections |= {f'/{arm}/ik2d': {'chain.shoulder.length': LENGTHS[arm]} for arm in ARMS}
    file = tmp_path / 'fleet.yaml'
    file.write_text(yaml.safe_dump({k: {'ros__parameters': v} for k, v in sections.items()}))
    process = start_process('node', '--ros-args', '--params-file', file)
    clients = [client_of(f'/{arm}/ik2d') for arm in (*ARMS[:2], ARMS[-1])]
    process.wait_for_output(f'[{ARMS[-1]}.ik2d]: ready')
    for number, client in enumerate(clients):
        goal = (0.25, 0.1 + 0.01 * number, 0.0)
        message = client.connect().ask(goal)
        assert values(message)['code'] == 'REACHED'
        assert message.status[0].hardware_id == client.name
        arm = client.name.split('/')[1]
        chain = Chain.from_lengths([LENGTHS[arm], 0.25], limits=[LIMITS, LIMITS])
        assert math.dist(tip(client.pose(), chain), goal[:2]) <= 1e-5

    # A parameter of one arm, good or bad, is no other's, nor is a target that is refused.
    first, second, _ = clients
    assert not first.set({'chain.elbow.length': -1.0}).successful
    assert first.set({'plane_tolerance': 0.5}).successful
    assert first.get('chain.elbow.length', 'plane_tolerance') == [0.25, 0.5]
    assert second.get('chain.elbow.length', 'plane_tolerance')[0] == 0.25
    assert math.isnan(second.get('plane_tolerance')[0])
    assert values(first.ask((math.nan, 0.0, 0.0)))['code'] == 'INVALID_TARGET'
    assert [values(client.statuses[-1])['code'] for client in clients[1:]] == ['REACHED'] * 2
