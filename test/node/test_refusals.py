"""What the node refuses to start with, as it refuses it: from the file to the message, without ROS.

That the node ends with the message, and that it refuses the same while it runs, is seen in
``test_parameters_at_run_time``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import ALWAYS, AT_START, TWO, yaml_of

from ik2d_ros.node.parameters import configuration_from_parameters
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters


@pytest.mark.parametrize('row', [*ALWAYS, *AT_START])
def test_a_refusal_names_the_parameter_its_value_and_what_is_allowed(
    tmp_path: Path, row: str
) -> None:
    changes, words = {**ALWAYS, **AT_START}[row]
    file = tmp_path / 'parameters.yaml'
    file.write_text(yaml_of({'solver': 'auto', **TWO, **changes}))
    with pytest.raises(ConfigError) as raised:
        configuration_from_parameters(load_parameters(file))
    assert [word for word in words if word not in str(raised.value)] == []


def test_what_they_change_is_not_refused(tmp_path: Path) -> None:
    file = tmp_path / 'parameters.yaml'
    file.write_text(yaml_of({'solver': 'auto', **TWO}))
    assert configuration_from_parameters(load_parameters(file)).arm.chain.names == (
        'shoulder',
        'elbow',
    )
