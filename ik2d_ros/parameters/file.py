"""Reading, writing and changing ROS parameter files without ROS, the way ROS reads them.

ROS has its own dialect of YAML: ``1e-6`` is a number (YAML 1.1 makes it a string), ``y`` is a bool,
names are strings, a list holds one type only, and aliases are refused. Notations that ROS reads
differently, such as octal numbers, are strings here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ik2d_ros.parameters.checks import (
    LONGEST,
    ConfigError,
    is_printable,
    listed,
    number_in,
    printable,
    shown,
    typing_slip,
)

LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
"""libyaml, which ROS reads with, where PyYAML was built with it."""

# The parameters of a whole robot, and a URDF among them, stay far below these.
LARGEST = 1_000_000  # bytes
DEEPEST = 32  # levels; a field of a joint is on the sixth

_BOOLS = {
    form: value
    for words, value in ((('y', 'yes', 'true', 'on'), True), (('n', 'no', 'false', 'off'), False))
    for word in words
    for form in (word, word.capitalize(), word.upper())
}
_PLAIN = re.compile(r'(?!null|inf|nan)[A-Za-z_][A-Za-z0-9_/-]*|/\*\*', re.IGNORECASE)
_LINE: Any = {'width': math.inf, 'sort_keys': False}
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
            this node.
    """
    sections = read_sections(path)
    matching = [section for section in sections if is_for(section, node_name)]
    if not matching:
        raise ConfigError(
            f"{path}: holds no parameters for node '{node_name}', only for: "
            f"{listed(sections) or 'none'}; rename that section to '{node_name}' or to "
            "'/**' (any node), or choose a node with --node (of a launch file: namespace)"
        )
    exact = sorted({f'/{section.lstrip("/")}' for section in matching if '*' not in section})
    if len(exact) > 1:
        raise ConfigError(
            f"{path}: holds parameters for several nodes '{node_name}': "
            f'{listed(exact)}; choose one by its full name: --node {exact[0]} '
            f'(make demo: ARM_NODE={exact[0]}; of a launch file: '
            f'namespace:={exact[0].rpartition("/")[0] or "/"})'
        )
    return {name: value for section in matching for name, value in sections[section].items()}


def nodes_in(path: str | Path) -> list[str]:
    """Return the nodes that a parameter file is for, by their names in it, without wildcards."""
    return [name for name in read_sections(path) if '*' not in name]


def read_sections(path: str | Path) -> dict[str, dict[str, object]]:
    """Return the parameters in a file by the name of their node, which may hold wildcards.

    Raises:
        ConfigError: the file cannot be read or is not a ROS parameter file.
    """
    sections: dict[str, dict[str, object]] = {}
    text = read_text(path)
    with naming(path):
        for node, mapping in sections_in(text):
            for names, leaf in leaves_of(mapping):
                name = '.'.join(names)
                sections.setdefault(node, {})[name] = _value(leaf, name)
    return sections


def as_file(parameters: Mapping[str, object], node: str = '/**') -> str:
    """Format parameters, flat or nested, as a parameter file for one or any node."""
    text: str = yaml.dump({node: {'ros__parameters': parameters}}, None, _Dumper, **_LINE)
    return text


def in_a_line(value: object) -> str:
    """Return a value, or a mapping, as YAML in a line."""
    text: str = yaml.dump(value, None, _Dumper, default_flow_style=True, **_LINE)
    return text.removesuffix('...\n').rstrip('\n')


class _Dumper(yaml.SafeDumper):
    """Writes strings that ROS reads as something else in quotes, and lists on one line."""

    def ignore_aliases(self, _: object) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.Node:
        style = None if _PLAIN.fullmatch(text) and text not in _BOOLS else '"'
        return self.represent_scalar('tag:yaml.org,2002:str', text, style)

    def represent_items(self, items: list[object]) -> yaml.Node:
        return self.represent_sequence('tag:yaml.org,2002:seq', items, flow_style=True)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(list, _Dumper.represent_items)


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Put the name of a file before a refusal of its content."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f'{path}: {error}') from None


def read_text(path: str | Path, largest: int = LARGEST) -> str:
    """Read a file or a pipe in UTF-8.

    Raises:
        ConfigError: it cannot be read, has more than ``largest`` bytes, or is not text.
    """
    with naming(path):
        try:
            with open(path, 'rb') as file:
                content = file.read(largest + 1)
        except OSError as error:
            raise ConfigError(f'cannot be read: {error.strerror or error}') from None
        except ValueError:  # a NUL in the name
            raise ConfigError('cannot be read: no file can have that name') from None
        if len(content) > largest:
            raise ConfigError(f'is too large; it must have at most {largest} bytes')
        try:
            return content.decode('utf-8-sig')
        except UnicodeDecodeError:
            raise ConfigError('is not a text file in UTF-8') from None


def sections_in(text: str) -> list[tuple[str, Any]]:
    """Return the nodes of a parameter file by name, and their ``ros__parameters``: YAML mappings.

    Raises:
        ConfigError: it is no YAML, too deep, has aliases, or is not a ROS parameter file.
    """
    depth = 0
    try:
        for event in yaml.parse(text, Loader=LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise ConfigError(f'is nested too deeply; it must have at most {DEEPEST} levels')
            if isinstance(event, yaml.AliasEvent):
                raise ConfigError(f'ROS refuses YAML aliases, such as *{event.anchor}')
        root = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        mark, reason = getattr(error, 'problem_mark', None), getattr(error, 'problem', None)
        line = '' if mark is None else f'line {mark.line + 1} '
        if mark is not None and text[mark.index : mark.index + 1] == '\t':
            reason = 'a tab; indent with spaces'
        elif mark is not None:  # what is missing in a line is noticed in the next one
            lines = text.splitlines()[max(0, mark.line - 1) : mark.line + 1]
            reason = f'{reason or error}{next(filter(None, map(typing_slip, lines)), "")}'
        raise ConfigError(f'{line}is not valid YAML: {reason or error}') from None
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f'is not a ROS parameter file; {_FORM}')
    return [*_sections(root)]


def _sections(node: yaml.MappingNode, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, value in _items(node):
        if not isinstance(value, yaml.MappingNode):
            where = '.'.join((*names, name))
            raise ConfigError(f"'{where}' is not under ros__parameters of a node; {_FORM}")
        if name == 'ros__parameters' and names:  # namespaces may be levels of their own
            yield '/'.join([names[0], *(level.strip('/') for level in names[1:])]), value
        else:
            yield from _sections(value, (*names, name))


def leaves_of(node: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the names that lead to each node that is not a mapping, and the node."""
    if not isinstance(node, yaml.MappingNode):
        yield names, node
        return
    for name, value in _items(node):
        yield from leaves_of(value, (*names, name))


def _items(node: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node]]:
    """Yield the names in a mapping, and their nodes."""
    for key, value in node.value:
        name = str(key.value)
        if not isinstance(key, yaml.ScalarNode) or not name:
            raise ConfigError('a name must be a string that is not empty')
        if not is_printable(name) or len(name) > LONGEST:
            raise ConfigError(
                f"the name '{printable(name)}' must have at most {LONGEST} characters and no "
                'control characters'
            )
        yield name, value


def _value(node: yaml.Node, name: str) -> object:
    """Return the value of a parameter: a scalar, or a list of one type."""
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if not all(isinstance(item, yaml.ScalarNode) for item in items):
        raise ConfigError(f"parameter '{name}' holds a list inside a list")
    values = [scalar(item) for item in items]
    if None in values:
        is_rest = name.rpartition('.')[2].isdigit()  # of a number, after a comma
        slip = typing_slip(name) or '; a number has a point, not a comma' * is_rest
        raise ConfigError(f"parameter '{name}' has no value{slip}")
    kinds = list(dict.fromkeys(map(type, values)))
    if len(kinds) > 1:
        hint = 'put strings in quotes'
        if set(kinds) == {int, float}:
            hint = f'write {shown([float(value) for value in values])}'
        elif any(str(value).endswith('deg') for value in values):
            hint = "write each angle as text: '90 deg', '0 deg'"
        raise ConfigError(
            f"parameter '{name}' is {shown(values)}, which mixes "
            f'{" and ".join(kind.__name__ for kind in kinds)}; ROS allows one type per list: {hint}'
        )
    return values if isinstance(node, yaml.SequenceNode) else values[0]


def scalar(node: Any) -> Any:
    """Return the value of a scalar node as ROS reads it; None for none."""
    text = str(node.value)
    if node.style in ("'", '"'):
        return text
    value = _BOOLS.get(text, number_in(text))
    return text or None if value is None else value


def is_for(section: str, node_name: str) -> bool:
    """Return whether a section is for a node, by ROS's rules for ``*`` and ``**``."""
    section = f'/{section.lstrip("/")}'
    if not node_name.startswith('/'):
        # The namespace is unknown: any matches, and only the last part is compared.
        section, node_name = f'/{section.rpartition("/")[2]}', f'/{node_name}'
    section = re.sub(r'(?:/\*\*)+', '/**', section)  # equivalent, and matches without backtracking
    pattern = re.escape(section).replace(r'/\*\*', r'(/\w+)*').replace(r'/\*', r'(/\w+)')
    return re.fullmatch(pattern, node_name) is not None


def rewritten(path: str | Path, node_name: str, changes: Mapping[str, Any]) -> str:
    """Return the text of a parameter file with other parameters for a node.

    Comments, nesting and degrees stay, but for comments in the lines of removed parameters. Those
    that the file lacks come last in the mapping that they belong to. The changes are by flat dotted
    name, angles in rad; None removes a parameter.

    Raises:
        ConfigError: the file cannot be read or is not a ROS parameter file.
    """
    text = f'{read_text(path).rstrip()}\n'
    with naming(path):
        sections = [one for name, one in sections_in(text) if is_for(name, node_name)]
        known = {'.'.join(names) for one in sections for names, _ in leaves_of(one)}
    edits = _Edits(text, changes)
    for section in sections:
        edits.change(section)
    for name, value in changes.items():
        if value is not None and name not in known:
            edits.add(sections[-1], name)
    return edits.applied()


class _Edits:
    """Edits of the text of a parameter file, collected by the nodes of its YAML."""

    def __init__(self, text: str, changes: Mapping[str, Any]) -> None:
        """Start without edits; ``changes`` are those of :func:`rewritten`."""
        self._text, self._changes = text, changes
        self._edits: list[tuple[int, int, str]] = []  # what is between two indices becomes a text
        self._added: dict[int, tuple[Any, dict[str, Any]]] = {}  # by mapping, entries by key

    def applied(self) -> str:
        """Return the text after all edits."""
        # They are put in place backwards: of several in one place, the innermost comes last.
        for node, entries in sorted(self._added.values(), key=lambda at: at[0].start_mark.column):
            for key, value in reversed(entries.items()):
                entry, last = in_a_line({key: value})[1:-1], node.value[-1][1]
                if node.flow_style:
                    self._put(last.end_mark.index, last.end_mark.index, f', {entry}')
                else:
                    after, indent = self._after(last), ' ' * node.start_mark.column
                    self._put(after, after, f'{indent}{entry}\n')
        text = self._text
        for begin, end, new in sorted(self._edits, key=lambda edit: edit[:2], reverse=True):
            text = f'{text[:begin]}{new}{text[end:]}'
        return text

    def change(self, node: Any, prefix: str = '') -> None:
        """Change or remove parameters of a mapping whose flat names begin with a prefix."""
        stays = [self._stays(value, f'{prefix}{key.value}') for key, value in node.value]
        for index, (key, value) in enumerate(node.value):
            name = f'{prefix}{key.value}'
            begin, end = key.start_mark.index, value.end_mark.index
            if stays[index]:
                if isinstance(value, yaml.MappingNode):
                    self.change(value, f'{name}.')
                elif name in self._changes:
                    self._set(value, self._changes[name])
            elif not node.flow_style:
                self._put(self._line(begin), self._after(value), '')
            elif any(stays[:index]):
                self._put(node.value[index - 1][1].end_mark.index, end, '')
            else:
                self._put(begin, node.value[index + 1][0].start_mark.index, '')

    def add(self, node: Any, name: str, prefix: str = '') -> None:
        """Add a parameter to the innermost mapping for its name that stays below this one."""
        rest = name.removeprefix(prefix)
        for key, value in node.value:
            inner = f'{prefix}{key.value}.'
            is_mapping = isinstance(value, yaml.MappingNode)
            if is_mapping and name.startswith(inner) and self._stays(value, inner[:-1]):
                self.add(value, name, inner)
                return
        _, entries = self._added.setdefault(id(node), (node, {}))
        first, _, others = rest.partition('.')
        if others:
            entries.setdefault(first, {})[others] = self._changes[name]
        else:
            entries[first] = self._changes[name]

    def _stays(self, node: Any, name: str) -> bool:
        """Return whether a parameter, or any in a mapping, is not removed."""
        names = ('.'.join((name, *names)) for names, _ in leaves_of(node))
        return any(self._changes.get(each, node) is not None for each in names)

    def _set(self, leaf: Any, value: Any) -> None:
        """Change a value; numbers in degrees stay in degrees."""
        is_list = isinstance(leaf, yaml.SequenceNode)
        items, values = (leaf.value, value) if is_list else ([leaf], [value])
        if len(items) == len(values):
            for item, new in zip(items, values, strict=True):
                is_angle = item.value.endswith('deg') and not isinstance(new, str)
                text = f"'{math.degrees(new):.10g} deg'" if is_angle else in_a_line(new)
                self._put(item.start_mark.index, item.end_mark.index, text)
        elif leaf.flow_style:
            self._put(leaf.start_mark.index, leaf.end_mark.index, in_a_line(value))
        else:
            begins = [self._line(item.start_mark.index) for item in items]
            ends = [*begins[1:], self._after(items[-1])]
            parts = zip(items, begins, ends, strict=True)
            lines = {scalar(item): self._text[begin:end] for item, begin, end in parts}
            dash = ' ' * leaf.start_mark.column + '- '
            new = (lines.get(each, f'{dash}{in_a_line(each)}\n') for each in values)
            self._put(begins[0], ends[-1], ''.join(new))

    def _put(self, begin: int, end: int, text: str) -> None:
        self._edits.append((begin, end, text))

    def _line(self, index: int) -> int:
        """Return where the line of an index begins."""
        return self._text.rfind('\n', 0, index) + 1

    def _after(self, node: Any) -> int:
        """Return where the line begins after the last one of a node."""
        while not isinstance(node, yaml.ScalarNode) and not node.flow_style:
            node = node.value[-1] if isinstance(node, yaml.SequenceNode) else node.value[-1][1]
        end = len(self._text[: node.end_mark.index].rstrip())
        return self._text.index('\n', end) + 1
