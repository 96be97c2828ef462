"""Reading a ROS parameter file without ROS, the way ROS reads it.

ROS has its own dialect of YAML: ``1e-6`` is a number (YAML 1.1 makes it a string), ``y`` is a bool,
a list holds one type only, and aliases are refused. Notations that ROS reads differently, such as
octal numbers, are strings here. Errors name the file and the line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ik2d_ros.parameters.checks import ConfigError, listed, shown
from ik2d_ros.parameters.content import read_text
from ik2d_ros.parameters.numerals import number
from ik2d_ros.parameters.sanitize import LONGEST, is_printable, printable

LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
"""libyaml, which ROS reads with, where PyYAML was built with it."""

# The parameters of a whole robot stay far below these.
DEEPEST = 32  # levels; a field of a joint is on the sixth
MOST = 100_000  # names and values

_BOOLS = {
    form: value
    for words, value in ((('y', 'yes', 'true', 'on'), True), (('n', 'no', 'false', 'off'), False))
    for word in words
    for form in (word, word.capitalize(), word.upper())
}
_KINDS = {bool: 'bool', int: 'integer', float: 'float', str: 'string'}
_STANDARD_TAGS = (None, '!', 'tag:yaml.org,2002:str', 'tag:yaml.org,2002:python/tuple')
_PLAIN = re.compile(r'(?!null|inf|nan)[A-Za-z_][A-Za-z0-9_/-]*|/\*\*', re.IGNORECASE)
_NOT_IN_NODE_NAMES = re.compile('[^A-Za-z0-9_/*]')
_FORM = "it must hold '<node name>:', under it 'ros__parameters:', under that the parameters"


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
    file = printable(str(path))
    if not matching:
        names = listed(name for name, _ in sections) or 'none'
        raise ConfigError(
            f"{file}: holds no parameters for node '{printable(node_name)}', only for: {names}; "
            f"rename that section to '{printable(node_name)}' or to '/**' (any node), "
            'or choose a node with --node (of a launch file: namespace)'
        )
    exact = sorted({_absolute(name) for name, _ in matching if '*' not in name})
    if len(exact) > 1:
        raise ConfigError(
            f"{file}: holds parameters for several nodes '{printable(node_name)}': "
            f'{listed(exact)}; choose one by its full name: --node {exact[0]} '
            f'(make demo: ARM_NODE={exact[0]}; of a launch file: '
            f'namespace:={exact[0].rpartition("/")[0] or "/"})'
        )
    return {name: value for _, values in matching for name, value in values.items()}


def read_sections(path: str | Path) -> list[tuple[str, dict[str, object]]]:
    """Read all sections of a ROS parameter file.

    Returns:
        For each section, in order: the node name, which may hold wildcards, and its parameters by
        flat dotted name.

    Raises:
        ConfigError: the file cannot be read or is not a ROS parameter file.
    """
    file = printable(str(path))
    root = _document(read_text(path), file)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f'{file}: is not a ROS parameter file; {_FORM}')
    return [(name, dict(_flat(node, '', file))) for name, node in _sections(root, file)]


def nodes_in(path: str | Path) -> list[str]:
    """Return the nodes that a parameter file is for, by their names in it, without wildcards.

    Raises:
        ConfigError: the file cannot be read or is not a ROS parameter file.
    """
    names = dict.fromkeys(name for name, _ in read_sections(path))
    return [name for name in names if '*' not in name]


def as_file(parameters: Mapping[str, object], node: str = '/**') -> str:
    """Format parameters, flat or nested, as a parameter file for one or any node."""
    return '\n'.join([*_block({node: {'ros__parameters': parameters}}), ''])


def _block(values: Mapping[str, object], indent: str = '') -> Iterator[str]:
    """Yield the lines of nested mappings in YAML."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield f'{indent}{written(name)}:'
            yield from _block(value, f'{indent}  ')
        else:
            yield f'{indent}{written(name)}: {written(value)}'


def written(value: object) -> str:
    """Format a name or a value as ROS reads it: strings that read as something else are quoted."""
    if isinstance(value, list):
        return f'[{", ".join(map(written, value))}]'
    if not isinstance(value, str):
        return str(value).lower()  # true, 1, 1e-06, nan
    if _PLAIN.fullmatch(value) and value not in _BOOLS:
        return value
    return str(yaml.safe_dump(value, default_style='"', width=math.inf)).rstrip('\n')


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Put the name of a file before a refusal of its content."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f'{printable(str(path))}: {error}') from None


def _document(text: str, file: str) -> yaml.Node | None:
    """Return the root of a YAML document; refuse large ones, and all that ROS refuses."""
    depth = count = 0
    event: Any  # the stubs declare more attributes optional than are
    try:
        for event in yaml.parse(text, Loader=LOADER):
            where = f'{file}:{event.start_mark.line + 1}'
            if isinstance(event, yaml.AliasEvent):
                raise ConfigError(
                    f'{where}: ROS refuses YAML aliases, such as *{printable(str(event.anchor))}'
                )
            count += isinstance(event, yaml.NodeEvent)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if count > MOST or depth > DEEPEST:
                raise ConfigError(
                    f'{where}: is too large or nested too deeply for a parameter file; it must '
                    f'have at most {MOST} names and values on {DEEPEST} levels'
                )
            if getattr(event, 'tag', None) not in _STANDARD_TAGS:
                raise ConfigError(
                    f"{where}: the tag '{printable(event.tag)}' means nothing to ROS; remove it"
                )
        return yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None) or getattr(error, 'context_mark', None)
        line = '' if mark is None else f':{mark.line + 1}'
        if mark is not None and text[mark.index : mark.index + 1] == '\t':
            reason = 'a tab; indent with spaces'
        else:
            reason = str(getattr(error, 'problem', None) or error)
        raise ConfigError(f'{file}{line}: is not valid YAML: {printable(reason)}') from None


def _sections(
    node: yaml.MappingNode, file: str, prefix: str = ''
) -> Iterator[tuple[str, yaml.MappingNode]]:
    """Yield node names and their parameters; namespaces may be levels of their own."""
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
        elif prefix:
            yield prefix, value
        else:
            raise ConfigError(f'{where}: ros__parameters is not under a node; {_FORM}')


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


def _flat(node: yaml.MappingNode, prefix: str, file: str) -> Iterator[tuple[str, object]]:
    """Yield full dotted name and value of all parameters in a mapping."""
    for key, value in node.value:
        name = f'{prefix}{_key(key, file)}'
        where = f"{file}:{key.start_mark.line + 1}: parameter '{name}'"
        if isinstance(value, yaml.MappingNode):
            yield from _flat(value, f'{name}.', file)
        elif isinstance(value, yaml.SequenceNode):
            yield name, _list(value, where)
        else:
            yield name, _scalar(value, where)


def _list(node: yaml.SequenceNode, where: str) -> list[object]:
    if not all(isinstance(item, yaml.ScalarNode) for item in node.value):
        raise ConfigError(f'{where} holds a list inside a list')
    values = [_scalar(item, where) for item in node.value]
    kinds = list(dict.fromkeys(map(type, values)))
    if len(kinds) > 1:
        hint = 'put strings in quotes'
        if set(kinds) == {int, float}:
            hint = f'write {shown([float(value) for value in values])}'  # type: ignore[arg-type]
        raise ConfigError(
            f'{where} is {shown(values)}, which mixes {" and ".join(_KINDS[k] for k in kinds)}; '
            f'ROS allows one type per list: {hint}'
        )
    return values


def _scalar(node: yaml.ScalarNode, where: str) -> object:
    text = str(node.value)
    if node.style in ("'", '"'):
        return text
    if not text:
        raise ConfigError(f'{where} has no value')
    value = _BOOLS.get(text, number(text))
    return text if value is None else value


def _key(node: yaml.Node, file: str) -> str:
    where, name = f'{file}:{node.start_mark.line + 1}', str(node.value)
    if not isinstance(node, yaml.ScalarNode) or not name:
        raise ConfigError(f'{where}: a name must be a string that is not empty')
    if not is_printable(name) or len(name) > LONGEST:
        raise ConfigError(
            f"{where}: the name '{printable(name)}' must have at most {LONGEST} characters "
            'and no control characters'
        )
    return name
