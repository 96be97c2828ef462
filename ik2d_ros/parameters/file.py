"""Reading a ROS parameter file without ROS, the way ROS reads it.

ROS has its own dialect of YAML: ``1e-6`` is a number (PyYAML makes it a string), ``y`` is a bool,
``0x10`` an integer, a sequence holds one type only, and aliases are refused. This module returns
what the node gets from the same file, so a file that works for a tool works for the node. Errors
name the file and the line.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from ik2d_ros.parameters.checks import ConfigError, listed, shown
from ik2d_ros.parameters.content import read_text
from ik2d_ros.parameters.document import TEXT, document
from ik2d_ros.parameters.wording import LONGEST, is_printable, printable

_TRUE = frozenset(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])
_FALSE = frozenset(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])
_INTEGER = re.compile(r'[-+]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)')
_DECIMAL = re.compile(r'[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?')
_HEXADECIMAL = re.compile(
    r'[-+]?0x([0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[-+]?[0-9]+)?', re.IGNORECASE
)
_NO_NUMBER = re.compile(r'[-+]?(?:inf|infinity|nan|\.inf|\.nan)', re.IGNORECASE)
MOST_DIGITS = 22  # of a 64-bit number in octal; parsing very long ones is slow

_KINDS = {bool: 'bool', int: 'integer', float: 'float', str: 'string'}


_NOT_IN_NODE_NAMES = re.compile('[^A-Za-z0-9_/*]')


def load_parameters(path: str | Path, node_name: str = 'ik2d') -> dict[str, object]:
    """Read the parameters for a node from a ROS parameter file.

    Args:
        path: the file.
        node_name: ``ik2d`` for a node of that name in any namespace, or a full name,
            ``/left/ik2d``. Sections match by name or by wildcard (``/**``, ``/*``, ``/left/*``);
            where several match, later ones win, as in ROS.

    Returns:
        Values by flat dotted name: ``{'joints': [...], 'chain.shoulder.length': 0.3, ...}``.

    Raises:
        ConfigError: the file cannot be read, is not a ROS parameter file, or holds nothing for
            this node (the message then lists the nodes that it is for).
    """
    sections = read_sections(path)
    matching = [(name, values) for name, values in sections if _matches(name, node_name)]
    if not matching:
        file = printable(str(path))
        names = listed(name for name, _ in sections) or 'none'
        raise ConfigError(
            f"{file}: holds no parameters for node '{printable(node_name)}', only for: {names}; "
            f"rename that section to '{printable(node_name)}' or to '/**' (any node), "
            'or choose a node with --node (of a launch file: namespace)'
        )
    exact = sorted({_absolute(name) for name, _ in matching if '*' not in name})
    if len(exact) > 1:
        raise ConfigError(
            f"{printable(str(path))}: holds parameters for several nodes '{printable(node_name)}': "
            f'{listed(exact)}; choose one by its full name: --node {exact[0]} '
            f'(of a launch file: namespace:={exact[0].rpartition("/")[0] or "/"})'
        )
    parameters: dict[str, object] = {}
    for _, values in matching:
        parameters.update(values)
    return parameters


def read_sections(path: str | Path) -> list[tuple[str, dict[str, object]]]:
    """Read all sections of a ROS parameter file.

    Returns:
        For each section, in order: the node name, which may hold wildcards, and its parameters by
        flat dotted name.

    Raises:
        ConfigError: the file cannot be read or is not a ROS parameter file.
    """
    file = printable(str(path))
    sections = _sections(_root(path, file), file)
    kinds: dict[tuple[str, str], str] = {}
    read = []
    for section, node in sections:
        values: dict[str, object] = {}
        for name, value, line in _flat(node, '', file):
            kind = _kind(value)
            if kinds.setdefault((_absolute(section), name), kind) != kind:
                raise ConfigError(
                    f"{file}:{line}: parameter '{name}' is given twice for '{section}', here as "
                    f'{kind}; ROS accepts only one type'
                )
            values[name] = value
        read.append((section, values))
    return read


def nodes_in(path: str | Path) -> list[str]:
    """Return the nodes that a parameter file is for, by their names in it, without wildcards.

    Raises:
        ConfigError: the file cannot be read or is not a ROS parameter file.
    """
    names = dict.fromkeys(name for name, _ in read_sections(path))
    return [name for name in names if '*' not in name]


def as_file(parameters: Mapping[str, object], node: str = '/**') -> str:
    """Format parameters (values by flat dotted name) as a parameter file for one or any node."""
    lines = [f'    {_written(name)}: {_written(value)}\n' for name, value in parameters.items()]
    return (
        ''.join([f'{node}:\n  ros__parameters:\n', *lines])
        if lines
        else f'{node}: {{ros__parameters: {{}}}}'
    )


def _written(value: object) -> str:
    if isinstance(value, list):
        return f'[{", ".join(map(_written, value))}]'
    if isinstance(value, str):
        return str(yaml.safe_dump(value, default_style='"', width=math.inf)).rstrip('\n')
    return str(value).lower()  # true, 1, 1e-06, nan


def _root(path: str | Path, file: str) -> yaml.MappingNode:
    root = document(read_text(path), file)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f'{file}: is not a ROS parameter file; {_FORM}')
    return root


_FORM = "it must hold '<node name>:', under it 'ros__parameters:', under that the parameters"


def _sections(
    node: yaml.MappingNode, file: str, prefix: str = ''
) -> Iterator[tuple[str, yaml.MappingNode]]:
    """Yield node names and their parameters; namespaces may be levels of their own."""
    below_node = False
    for key, value in node.value:
        name = _key(key, file)
        where = f'{file}:{key.start_mark.line + 1}'
        if name != 'ros__parameters' and _NOT_IN_NODE_NAMES.search(name):
            raise ConfigError(
                f"{where}: '{name}' is not a node name; it must be letters, digits and '_', with "
                "'/' between namespaces and '*' or '**' as wildcards"
            )
        if not isinstance(value, yaml.MappingNode):
            what = 'is empty' if name == 'ros__parameters' else 'is outside ros__parameters'
            raise ConfigError(f"{where}: '{name}' {what}; {_FORM}")
        if name != 'ros__parameters':
            yield from _sections(value, file, f'{prefix}/{name.strip("/")}' if prefix else name)
        elif not prefix:
            raise ConfigError(f'{where}: ros__parameters is not under a node; {_FORM}')
        elif below_node:
            raise ConfigError(f"{where}: '{prefix}' has ros__parameters twice; merge them")
        else:
            below_node = True
            yield prefix, value


def _matches(section: str, node_name: str) -> bool:
    """Return whether a section is for a node, by ROS's rules for ``*`` and ``**``."""
    section = _absolute(section)
    if not node_name.startswith('/'):
        # The namespace is unknown: any matches, and only the last part is compared.
        section, node_name = f'/{section.rpartition("/")[2]}', f'/{node_name}'
    section = re.sub(r'(?:/\*\*)+', '/**', section)  # equivalent, and matches without backtracking
    pattern = re.escape(section).replace(r'/\*\*', r'(/\w+)*').replace(r'/\*', r'(/\w+)')
    return re.fullmatch(pattern, node_name) is not None


def _absolute(section: str) -> str:
    return section if section.startswith('/') else f'/{section}'


def _flat(node: yaml.MappingNode, prefix: str, file: str) -> Iterator[tuple[str, object, int]]:
    """Yield full dotted name, value and line of all parameters in a mapping."""
    for key, value in node.value:
        name, line = f'{prefix}{_key(key, file)}', key.start_mark.line + 1
        if isinstance(value, yaml.MappingNode):
            yield from _flat(value, f'{name}.', file)
        elif isinstance(value, yaml.SequenceNode):
            yield name, _sequence(value, name, file), line
        else:
            yield name, _scalar(value, name, file), line


def _kind(value: object) -> str:
    """Name the type of a value for messages."""
    if isinstance(value, list):
        return f'{_KINDS[type(value[0])]} list' if value else 'empty list'
    return _KINDS[type(value)]


def _sequence(node: yaml.SequenceNode, name: str, file: str) -> list[object]:
    line = node.start_mark.line + 1
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode):
            raise ConfigError(f"{file}:{line}: parameter '{name}' holds a list inside a list")
    values = [_scalar(item, name, file) for item in node.value]
    kinds = list(dict.fromkeys(type(value) for value in values))
    if len(kinds) > 1:
        if set(kinds) == {int, float}:
            hint = f'write {shown([float(v) for v in values])}'  # type: ignore[arg-type]
        else:
            hint = 'put strings in quotes'
        raise ConfigError(
            f"{file}:{line}: parameter '{name}' is {shown(values)}, which mixes "
            f'{" and ".join(_KINDS[k] for k in kinds)}; ROS allows one type per list: {hint}'
        )
    return values


def _scalar(node: yaml.ScalarNode, name: str, file: str) -> object:
    """Return the value as ROS reads it (rcl_yaml_param_parser)."""
    value = str(node.value)
    if node.style in ("'", '"') or node.tag == TEXT:
        return value
    if not value:
        raise ConfigError(f"{file}:{node.start_mark.line + 1}: parameter '{name}' has no value")
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    number = _number(value)
    return value if number is None else number


def _number(text: str) -> int | float | None:
    """Read a number as C does (strtol, then strtod); return None for what ROS reads as a string."""
    if _INTEGER.fullmatch(text):
        digits = text.lstrip('+-')
        base = 16 if digits[:2].lower() == '0x' else 8 if digits.startswith('0') else 10
        if len(digits.lstrip('0')) <= MOST_DIGITS and -(2**63) <= int(text, base) < 2**63:
            return int(text, base)
    if _NO_NUMBER.fullmatch(text):
        return float(text.replace('.', ''))
    decimal, hexadecimal = _DECIMAL.fullmatch(text), _HEXADECIMAL.fullmatch(text)
    if decimal:
        value, digits = float(text), decimal[1]
    elif hexadecimal:
        value, digits = _from_hexadecimal(text), hexadecimal[1]
    else:
        return None
    # C fails beyond the range of a double, or where it is too small to be exact.
    is_in_range = sys.float_info.min <= abs(value) <= sys.float_info.max
    return value if is_in_range or not digits.strip('0.') else None


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.inf


def _key(node: yaml.Node, file: str) -> str:
    where = f'{file}:{node.start_mark.line + 1}'
    if not isinstance(node, yaml.ScalarNode):
        raise ConfigError(f'{where}: a name must be a plain string')
    name = str(node.value)
    if name == '<<' and not node.style:
        raise ConfigError(f'{where}: ROS does not support merge keys (<<)')
    if not name:
        raise ConfigError(f'{where}: a name is empty')
    if not is_printable(name) or len(name) > LONGEST:
        raise ConfigError(
            f"{where}: the name '{printable(name)}' must have at most {LONGEST} characters "
            'and no control characters'
        )
    return name
