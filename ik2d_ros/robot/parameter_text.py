"""An imported arm as a parameter file, with comments on where it came from."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from ik2d_ros.parameters.file import as_file
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.importing import Imported


def parameter_text(imported: Imported, command: str) -> str:
    """Return an imported arm as the text of a ROS parameter file.

    Args:
        imported: the arm.
        command: the command that imported it.
    """
    parameters, remarks = imported
    lines = [
        *_comment(f'Imported by: {command}'),
        *_comment(
            f"from the link '{parameters['base_frame']}' to the link '{parameters['tip_frame']}'"
        ),
    ]
    for remark in remarks:
        lines += _comment(f'{"To check: " if remark.doubt else ""}{remark.text}', '- ')
    return '\n'.join([*lines, as_file(_nested(parameters))])


def _comment(text: str, bullet: str = '') -> list[str]:
    return textwrap.wrap(
        printable(text, 1000),
        98,
        initial_indent=f'# {bullet}',
        subsequent_indent=f'# {" " * len(bullet)}',
        break_on_hyphens=False,
    )


def _nested(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Return values by flat dotted name as nested mappings; names of joints may contain dots."""
    nested: dict[str, Any] = {}
    for name, value in parameters.items():
        first, _, rest = name.partition('.')
        joint, _, field = rest.rpartition('.') if first == 'chain' else ('', '', rest)
        at = nested.setdefault(first, {}) if rest else nested
        at = at.setdefault(joint, {}) if joint else at
        at[field if rest else first] = value
    return nested
