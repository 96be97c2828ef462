"""Other values in the text of a ROS parameter file, whose comments and nesting stay."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ik2d_ros.parameters.file import (
    in_a_line,
    is_for,
    leaves_of,
    naming,
    read_text,
    scalar,
    sections_in,
)


def rewritten(path: str | Path, node_name: str, changes: Mapping[str, Any]) -> str:
    """Return the text of a parameter file with other parameters for a node.

    Comments, nesting and degrees stay, but for comments in the lines of removed parameters. Those
    that the file lacks come last in the mapping that they belong to.

    Args:
        path: the file.
        node_name: as of :func:`load_parameters`.
        changes: values by flat dotted name, angles in rad; None removes a parameter.

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
