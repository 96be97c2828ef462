"""Another node, as long as it is there: what is read of it, and when that counts."""

from __future__ import annotations

import pytest


class Services:
    """The parameter services of a node, which answer when the test says so."""

    def __init__(self):
        self.readings, self.writings, self.there = [], [], True

    def is_there(self):
        return self.there

    def tick(self):
        pass

    def read(self, then):
        self.readings.append(then)

    def write(self, name, value, then):
        self.writings.append(then)


class Names:
    """A node that resolves names."""

    def resolve_service_name(self, name):
        return f'/left/{name}'


@pytest.fixture
def watch(ros_packages, monkeypatch):
    """``watch() -> the one who watches, the services, what was read``."""
    from ik2d_ros.viewer import watched

    def watch():
        services, read = Services(), []
        monkeypatch.setattr(watched, 'RemoteParameters', lambda *_: services)
        return watched.Watched(Names(), 'ik2d', read.append), services, read

    return watch


def test_what_was_read_while_something_was_set_does_not_count(watch):
    watched, services, read = watch()
    watched.watch()
    answers = []
    watched.write('a', 2, answers.append)
    services.writings.pop()(None)
    assert answers == [None]
    services.readings.pop()({'a': 1})  # as it was before
    assert read == []
    services.readings.pop()({'a': 2})
    assert read == [{'a': 2}]
    assert services.readings == []
