"""The page on machines has those that are shipped."""

import re

from harness import ROOT

from ik2d_ros.arm.description import load_arm
from ik2d_ros.commands.machines import carrier_of
from ik2d_ros.parameters.file import nodes_in
from ik2d_ros.parameters.shipped import find_machines

PAGE = (ROOT / 'docs/machines.md').read_text(encoding='utf-8')
SECTION = PAGE[PAGE.index('\n## Shipped') :].split('\n## ')[1]
ROWS = [
    [cell.strip() for cell in line.strip('|').split('|')]
    for line in SECTION.splitlines()
    if line.startswith('| `')
]


def test_every_shipped_machine_is_told_of_as_it_is():
    machines = find_machines()
    told = {name: row for row in ROWS for name in re.findall('`([^`]+)`', row[0])}
    assert told.keys() == machines.keys()
    assert f'the arms of {len(machines)} public robots' in PAGE
    for name, (_, _, carrier, joints, _) in told.items():
        nodes = nodes_in(machines[name])
        arm = load_arm(machines[name], (nodes or ['ik2d'])[0])
        assert carrier.partition(' ')[0] == carrier_of(arm)
        assert int(joints) == len(arm.chain)
        assert (' legs' in told[name][1]) == bool(nodes)
