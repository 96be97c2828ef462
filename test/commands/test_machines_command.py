"""The shipped arms of public robots are listed, found by name, and name their sources."""

from harness import ROOT, load_configuration

from ik2d_ros.parameters.file import nodes_in
from ik2d_ros.parameters.shipped import find_config

FILES = sorted((ROOT / 'config/machines').glob('*.yaml'))


def test_every_limb_of_every_machine_is_listed(run):
    listed = run('machines')[1].splitlines()[1:]
    expected = [(file.stem, limb) for file in FILES for limb in nodes_in(file) or ['ik2d']]
    assert len(listed) == len(expected)
    for line, (name, limb) in zip(listed, expected, strict=True):
        arm = load_configuration(find_config(name), node_name=limb).arm
        assert line.startswith(f'{name} ')
        assert limb == 'ik2d' or f' {limb} ' in line
        assert f' {len(arm.chain)} ' in line
        assert (' turntable ' in line) == (arm.turntable is not None)
        assert (' lift ' in line) == (arm.lift is not None)
        assert f' {arm.reach.outer:.3g} m ' in line
