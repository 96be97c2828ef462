"""An imported arm as a parameter file, with comments on where it came from."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

import yaml

from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.importing import Imported

_PLAIN = re.compile(r'[A-Za-z_][A-Za-z0-9_/-]*|/\*\*')
_WORDS = ('y', 'n', 'yes', 'no', 'true', 'false', 'on', 'off', 'null', 'nan', 'inf', 'infinity')


def parameter_text(imported: Imported, command: str) -> str:
    """Return an imported arm as the text of a ROS parameter file.

    Args:
        imported: the arm.
        command: how it was imported.
    """
    lines = [
        *_comment(f'Imported by: {command}'),
        *_comment(f"from the link '{imported.base}' to the link '{imported.tip}'"),
    ]
    for remark in imported.remarks:
        lines += _comment(f'{"To check: " if remark.doubt else ""}{remark.text}', '- ')
    document = {'/**': {'ros__parameters': _nested(imported.parameters)}}
    style: dict[str, Any] = {
        'sort_keys': False,
        'default_flow_style': None,
        'allow_unicode': True,
        'width': 10**6,
    }
    body = yaml.dump(document, Dumper=_Dumper, **style)
    return '\n'.join([*lines, body])


def _comment(text: str, bullet: str = '') -> list[str]:
    indent = f'# {" " * len(bullet)}'
    return textwrap.wrap(
        printable(text, 1000),
        98,
        initial_indent=f'# {bullet}',
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _nested(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Return values by flat dotted name as mappings in mappings; names of joints hold dots."""
    nested: dict[str, Any] = {}
    for name, value in parameters.items():
        first, _, rest = name.partition('.')
        joint, _, field = rest.rpartition('.') if first == 'chain' else ('', '', rest)
        at = nested.setdefault(first, {}) if rest else nested
        at = at.setdefault(joint, {}) if joint else at
        at[field if rest else first] = value
    return nested


class _Dumper(yaml.SafeDumper):
    """Quotes every string that anybody could take for something else."""


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    style = None if is_plain else '"'
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, style=style)


_Dumper.add_representer(str, _string)
