"""Reading a ROS parameter file without ROS, as ROS reads it.

ROS has its own ideas of YAML: ``1e-6`` is a number there (PyYAML takes it for a text), ``y`` is a
bool, ``0x10`` an integer, a sequence holds one type only, and aliases are refused. What this module
returns is what the node gets from the same file, so that a file that works for a tool works for the
node. Errors name the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from ik2d_ros.parameters.checks import ConfigError

_TRUE = frozenset(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])
_FALSE = frozenset(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])
_INTEGER = re.compile(r'[-+]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)')
_FLOAT = re.compile(
    r'[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf|infinity|nan|\.inf|\.nan)', re.IGNORECASE
)
_KINDS = {bool: 'true/false', int: 'whole number', float: 'number with a point', str: 'text'}


def load_parameters(path: str | Path, node_name: str = 'ik2d') -> dict[str, object]:
    """Read the parameters that a ROS parameter file holds for a node.

    Args:
        path: the file.
        node_name: ``ik2d`` for a node of that name in any namespace, or a full name,
            ``/left/ik2d``. Sections match by name or by wildcard (``/**``, ``/*``, ``/left/*``);
            where several match, later ones win, as in ROS.

    Returns:
        Values by flat dotted name: ``{'joints': [...], 'chain.shoulder.length': 0.3, ...}``.

    Raises:
        ConfigError: the file cannot be read, is not a ROS parameter file, or holds nothing for
            this node (then the message says which nodes it names).
    """
    sections = read_sections(path)
    matching = [(name, values) for name, values in sections if _matches(name, node_name)]
    if not matching:
        names = ', '.join(name for name, _ in sections) or 'none'
        raise ConfigError(
            f"{path}: holds no parameters for node '{node_name}', only for: {names}; "
            f"rename that section to '{node_name}' or to '/**' (any node)"
        )
    exact = sorted({_absolute(name) for name, _ in matching if '*' not in name})
    if len(exact) > 1:
        raise ConfigError(
            f"{path}: holds parameters for several nodes '{node_name}': {', '.join(exact)}; "
            'say which one by its full name'
        )
    parameters: dict[str, object] = {}
    for _, values in matching:
        parameters.update(values)
    return parameters


def read_sections(path: str | Path) -> list[tuple[str, dict[str, object]]]:
    """Read all of a ROS parameter file.

    Returns:
        For each section, in order: the node's name, which may have wildcards, and its parameters by
        flat dotted name.

    Raises:
        ConfigError: the file cannot be read or is not a ROS parameter file.
    """
    file = str(path)
    return [(name, dict(_flat(node, '', file))) for name, node in _sections(_document(path), file)]


def _document(path: str | Path) -> yaml.MappingNode:
    try:
        content = Path(path).read_text(encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read: {error.strerror or error}') from None
    except UnicodeDecodeError as error:
        raise ConfigError(f'{path}: is not a text file in UTF-8: {error.reason}') from None
    try:
        for event in yaml.parse(content, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise ConfigError(f'{path}: ROS refuses YAML aliases, such as *{event.anchor}')
        root = yaml.compose(content, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = '' if mark is None else f':{mark.line + 1}'
        reason = ', '.join(part for part in (error.context, error.problem) if part)
        raise ConfigError(f'{path}{line}: is not valid YAML: {reason}') from None
    except yaml.YAMLError as error:
        raise ConfigError(f'{path}: is not valid YAML: {error}') from None
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f'{path}: is not a ROS parameter file; {_FORM}')
    return root


_FORM = "it must hold '<node name>:', below it 'ros__parameters:', below that the parameters"


def _sections(
    node: yaml.MappingNode, file: str, prefix: str = ''
) -> Iterator[tuple[str, yaml.MappingNode]]:
    """Node names and their parameters; namespaces may be levels of their own."""
    for key, value in node.value:
        name = _key(key, file)
        if not isinstance(value, yaml.MappingNode):
            what = 'is empty' if name == 'ros__parameters' else 'stands outside ros__parameters'
            raise ConfigError(f"{file}:{key.start_mark.line + 1}: '{name}' {what}; {_FORM}")
        if name != 'ros__parameters':
            yield from _sections(value, file, f'{prefix}/{name.strip("/")}' if prefix else name)
        elif prefix:
            yield prefix, value
        else:
            raise ConfigError(
                f'{file}:{key.start_mark.line + 1}: ros__parameters stands below no node; {_FORM}'
            )


def _matches(section: str, node_name: str) -> bool:
    """Whether a section is meant for a node, by ROS's rule for ``*`` and ``**``."""
    section = _absolute(section)
    if not node_name.startswith('/'):
        # The namespace is not known: any will do, and only the last part is compared.
        section, node_name = f'/{section.rpartition("/")[2]}', f'/{node_name}'
    pattern = re.escape(section).replace(r'/\*\*', r'(/\w+)*').replace(r'/\*', r'(/\w+)')
    return re.fullmatch(pattern, node_name) is not None


def _absolute(section: str) -> str:
    return section if section.startswith('/') else f'/{section}'


def _flat(node: yaml.MappingNode, prefix: str, file: str) -> Iterator[tuple[str, object]]:
    for key, value in node.value:
        name = f'{prefix}{_key(key, file)}'
        if isinstance(value, yaml.MappingNode):
            yield from _flat(value, f'{name}.', file)
        elif isinstance(value, yaml.SequenceNode):
            yield name, _sequence(value, name, file)
        else:
            yield name, _scalar(value, name, file)


def _sequence(node: yaml.SequenceNode, name: str, file: str) -> list[object]:
    line = node.start_mark.line + 1
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode):
            raise ConfigError(f"{file}:{line}: parameter '{name}' holds a list inside a list")
    values = [_scalar(item, name, file) for item in node.value]
    kinds = list(dict.fromkeys(type(value) for value in values))
    if len(kinds) > 1:
        if set(kinds) == {int, float}:
            hint = f'write {[float(v) for v in values]}'  # type: ignore[arg-type]
        else:
            hint = 'put texts into quotes'
        raise ConfigError(
            f"{file}:{line}: parameter '{name}' is {values}, which mixes "
            f'{" and ".join(_KINDS[k] for k in kinds)}; ROS wants one kind in a list: {hint}'
        )
    return values


def _scalar(node: yaml.ScalarNode, name: str, file: str) -> object:
    """The value in ROS's reading of it (the parser of rcl)."""
    value = str(node.value)
    if node.style in ("'", '"'):
        return value
    if not value:
        raise ConfigError(f"{file}:{node.start_mark.line + 1}: parameter '{name}' has no value")
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    if _INTEGER.fullmatch(value):
        digits = value.lstrip('+-')
        base = 16 if digits[:2].lower() == '0x' else 8 if digits.startswith('0') else 10
        return int(value, base)
    if _FLOAT.fullmatch(value):
        return float(re.sub(r'\.(?=[a-z])', '', value, flags=re.IGNORECASE))
    return value


def _key(node: yaml.Node, file: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise ConfigError(f'{file}:{node.start_mark.line + 1}: a name must be a plain text')
    return str(node.value)
