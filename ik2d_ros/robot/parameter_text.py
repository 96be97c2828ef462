"""An imported arm as a parameter file, with comments on where it came from."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from ik2d_ros.parameters.file import written
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
    document = {'/**': {'ros__parameters': _nested(parameters)}}
    return '\n'.join([*lines, *_block(document), ''])


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


def _block(values: Mapping[str, Any], indent: str = '') -> Iterator[str]:
    """Yield the lines of nested mappings in YAML."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield f'{indent}{written(name)}:'
            yield from _block(value, f'{indent}  ')
        else:
            yield f'{indent}{written(name)}: {written(value)}'
