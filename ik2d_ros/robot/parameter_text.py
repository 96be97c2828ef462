"""An imported arm as a parameter file, with comments on where everything came from."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping

import yaml

from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.importing import Imported

_PLAIN = re.compile(r'[A-Za-z_][A-Za-z0-9_/-]*')
_WORDS = frozenset(
    ['y', 'n', 'yes', 'no', 'true', 'false', 'on', 'off', 'null', 'nan', 'inf', 'infinity']
)
_HELD = 'Where these joints are held: the link vectors hold only there.'
_COMMANDED = (
    'What a controller is told, in its order: all of its joints have to be here. Only used with '
    'command_out_type, or by a driver that takes joint_states.'
)


def parameter_text(imported: Imported, file: str) -> str:
    """Return an imported arm as the text of a ROS parameter file.

    Args:
        imported: the arm.
        file: where it came from.
    """
    head = (
        f"Imported by ik2d from {printable(file)}: from the link '{printable(imported.base)}' to "
        f"the link '{printable(imported.tip)}'."
    )
    lines = [*_comment(head)]
    for remark in imported.remarks:
        lines += _comment(f'{"To check: " if remark.doubt else ""}{remark.text}', '- ')
    lines += ['/**:', '  ros__parameters:']
    values, notes = imported.parameters, imported.notes
    lines += _plain(values, notes, ('base_frame',))
    lines += _section(values, notes, 'base')
    lines += _section(values, notes, 'turntable')
    lines += _section(values, notes, 'lift')
    lines += _plain(values, notes, ('joints',))
    lines.append('    chain:')
    for joint in imported.joints:
        lines.append(f'      {_scalar(joint)}:')
        lines += _fields(values, notes, f'chain.{joint}.', '        ')
    if 'command_joints' in values:
        lines += _comment(_COMMANDED, indent='    ')
        lines += _plain(values, notes, ('command_joints',))
    if any(name.startswith('hold.') for name in values):
        lines += _comment(_HELD, indent='    ')
        lines += _section(values, notes, 'hold')
    return '\n'.join(lines) + '\n'


def _comment(text: str, bullet: str = '', indent: str = '') -> Iterator[str]:
    wrapped = textwrap.wrap(
        printable(text, 1000), 96 - len(indent) - len(bullet), break_on_hyphens=False
    )
    for number, line in enumerate(wrapped):
        yield f'{indent}# {bullet if number == 0 else " " * len(bullet)}{line}'


def _plain(
    values: Mapping[str, object], notes: Mapping[str, str], names: tuple[str, ...]
) -> Iterator[str]:
    for name in names:
        yield f'    {name}: {_written(values[name])}{_note(notes, name)}'


def _section(
    values: Mapping[str, object],
    notes: Mapping[str, str],
    section: str,
) -> Iterator[str]:
    if any(name.startswith(f'{section}.') for name in values):
        yield f'    {section}:'
        yield from _fields(values, notes, f'{section}.', '      ')


def _fields(
    values: Mapping[str, object], notes: Mapping[str, str], prefix: str, indent: str
) -> Iterator[str]:
    for name, value in values.items():
        if name.startswith(prefix):
            field = name.removeprefix(prefix)
            yield f'{indent}{_scalar(field)}: {_written(value)}{_note(notes, name)}'


def _note(notes: Mapping[str, str], name: str) -> str:
    return f'  # {printable(notes[name])}' if name in notes else ''


def _written(value: object) -> str:
    if isinstance(value, list):
        return f'[{", ".join(map(_written, value))}]'
    return _scalar(value) if isinstance(value, str) else repr(value)


def _scalar(text: str) -> str:
    """Return a string as YAML, quoted unless nobody could take it for anything else."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return str(yaml.safe_dump(text, default_style='"', width=10**6)).rstrip('\n')
