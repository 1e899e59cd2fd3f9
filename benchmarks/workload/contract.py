"""How instances of a problem are drawn: the workload of its ``benchmarks.X.EXPERIMENTS``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.traces import Trace
from benchmarks.workload.report import WorkloadReport
from benchmarks.workload.servers import ServerNumbers, Servers
from benchmarks.workload.settings import BaseSettings, examples, read_settings
from models.errors import InputError

__all__ = ["Size", "Words", "Workload"]


@dataclass(frozen=True)
class Size:
    """Size of generated instances.

    Parameters
    ----------
    jobs, slots : int
        What they count :class:`Words` says.
    servers : int or tuple of int
        One for each kind that :attr:`Workload.servers` lists.
    seeds : int
        How many.
    """

    jobs: int
    slots: int
    servers: ServerNumbers
    seeds: int


@dataclass(frozen=True)
class Words:
    """What a problem calls things in tables and help texts.

    Parameters
    ----------
    jobs, slots : str
        What the sizes of those names count.
    done : str
        Heading of the share of jobs that count as completed.
    events : tuple of str
        Kinds of events that its policies answer.
    """

    jobs: str = "jobs"
    slots: str = "slots of the timespan"
    done: str = "jobs done"
    events: tuple[str, ...] = ("arrival", "slot")


@dataclass(frozen=True)
class Workload:
    """How instances of a problem are drawn, and what is said of them.

    Parameters
    ----------
    problem : str
        Its name.
    default, quick : Size
        Sizes where none are asked for, without and with ``--quick``.
    servers : Servers
        The kinds of servers.
    settings : type
        Dataclass of all settings, the size included; its fields made by
        :func:`benchmarks.workload.settings.setting` may be given by name.
    generate : callable
        ``(settings, generator, trace or None) -> (instance, report)``. The same seed gives the
        same bytes.
    mappings : mapping of str to str
        Kinds of traces that are made into instances, and how, in words.
    usual : mapping of str to Any
        Settings of synthetic instances where a command is not told others: those of the default
        tables. Figures and claims say all their settings themselves.
    complete : (str, Any) or None
        A setting with a value that stands for all the others, too: with it none of the usual ones
        holds.
    variants : mapping of str to (str, mapping)
        Registered policies with parameters, which commands know by a name of their own.
    policies : tuple of str or None
        Registered policies, and variants, that commands run where none is asked for; None = all
        registered.
    words : Words
    """

    problem: str
    default: Size
    quick: Size
    servers: Servers
    settings: type[BaseSettings]
    generate: Callable[[Any, np.random.Generator, Trace | None], tuple[Any, WorkloadReport]]
    mappings: Mapping[str, str] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
    complete: tuple[str, Any] | None = None
    variants: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    policies: tuple[str, ...] | None = None
    words: Words = Words()

    def draw(
        self,
        *,
        jobs: int,
        slots: int,
        servers: ServerNumbers | list[int],
        seed: int,
        trace: Trace | None = None,
        **settings: Any,
    ) -> tuple[Any, WorkloadReport]:
        """Draw an instance.

        Parameters
        ----------
        jobs, slots, servers
            Its size, as in :class:`Size`.
        seed : int
            Of all that is drawn.
        trace : Trace, optional
            What it has is taken from it; None = all is drawn.
        **settings
            By name; :attr:`examples` lists them.

        Returns
        -------
        instance : Instance
        report : WorkloadReport
            What was drawn and kept.

        Raises
        ------
        InputError
            If the seed, a number of servers, a setting or the trace is bad, or nothing can be
            drawn.
        """
        if not isinstance(seed, int | np.integer) or seed < 0:
            raise InputError(f"seed {seed!r}: want a whole number, at least 0")
        for name in settings:
            if name not in self.examples:
                known = ", ".join(self.examples)
                raise InputError(
                    f"unknown setting '{name}' of the workload of '{self.problem}': "
                    f"choose from {known}"
                )
        size: dict[str, Any] = {
            "jobs": jobs,
            "slots": slots,
            "servers": self.servers.check(servers),
        }
        chosen = self.settings(seed=seed, **size, **self._preset(settings), **settings)
        if trace is not None and trace.kind not in self.mappings:
            known = ", ".join(self.mappings) or "none"
            raise InputError(
                f"{trace.spec}: no mapping to `{self.problem}`; those with one are {known}"
            )
        return self.generate(chosen, np.random.default_rng(seed), trace)

    def with_usual(self, settings: Mapping[str, Any], *, traced: bool = False) -> dict[str, Any]:
        """Settings on top of the usual ones, if those hold: not of a trace, nor if complete."""
        if traced or (self.complete and self.complete in settings.items()):
            return dict(settings)
        return {**self.usual, **self._preset(settings), **settings}

    def _preset(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What the preset that is asked for sets, apart from what is given by name."""
        found = self.settings.presets.get(settings.get("preset", ""), {})
        return {name: value for name, value in found.items() if name not in settings}

    @property
    def examples(self) -> dict[str, str]:
        """Settings of :meth:`draw` beside the size, and what a value looks like as a text."""
        return examples(self.settings)

    def read_settings(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Settings of :meth:`draw` from texts by name.

        Raises
        ------
        InputError
            If there is no such setting, or its value cannot be read.
        """
        return read_settings(self.settings, texts)

    def parse_set(self, given: Sequence[str]) -> dict[str, Any]:
        """Settings of :meth:`draw` from ``NAME=VALUE`` texts, those of ``--set``.

        Raises
        ------
        InputError
            If a text is no such pair, a name is unknown or stands twice, or a value is bad.
        """
        texts: dict[str, str] = {}
        for text in given:
            name, equals, value = text.partition("=")
            if not equals:
                raise InputError(f"--set {text}: want NAME=VALUE")
            if name in texts:
                raise InputError(f"--set {text}: '{name}' is set twice")
            texts[name] = value
        return self.read_settings(texts)

    def parse_size(self, text: str) -> Size:
        """Size of one instance, from ``JOBSxSLOTSxSERVERS``; InputError if it is not that."""
        match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x(.+)", text)
        if match is None:
            example = f"20x20x{self.show_servers(self.servers.example)}"
            raise InputError(f"size '{text}': want JOBSxSLOTSxSERVERS, above 0, e.g. {example}")
        return Size(int(match[1]), int(match[2]), self.parse_servers(match[3]), seeds=1)

    def parse_servers(self, text: str) -> ServerNumbers:
        """Numbers of servers from a command line; raises InputError that says what is wanted."""
        return self.servers.parse(text)

    def show_servers(self, numbers: ServerNumbers) -> str:
        """Numbers of servers as a command line writes them."""
        return self.servers.show(numbers)

    def describe_mapping(self, kind: str) -> str:
        """How a kind of trace becomes an instance, in words."""
        if kind not in self.mappings:
            return (
                f"none: `{kind}` is read and audited, but not made into instances of this problem"
            )
        return self.mappings[kind]
