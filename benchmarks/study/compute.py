"""Cells through store and engine: what is known is found, the rest is run, with progress."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import IO, Any

from tqdm import tqdm

from benchmarks.study.cell import Cell, Outcome
from benchmarks.study.engine import Engine, InProcess, Task
from benchmarks.study.store import Store

__all__ = ["Progress", "compute", "failures"]

_LINE_EVERY = 30.0  # seconds between lines where stderr is no terminal


def compute(
    cells: Sequence[Cell],
    *,
    store: Store | None = None,
    engine: Engine | None = None,
    progress: str = "",
) -> list[Outcome]:
    """Outcomes of cells, in their order, whatever runs them.

    Cells that are the same are run once. Only this process writes to the store, and keeps every
    cell as soon as it is finished; failed ones are not kept.

    Parameters
    ----------
    store : Store, optional
        Cells it holds are not run again. Files of results are left in it, and read when they are
        looked up.
    engine : Engine, optional
        By default in this process.
    progress : str
        What a progress line on stderr is about; empty = none.
    """
    found: dict[int, Outcome] = {}
    copies: dict[int, int] = {}  # later cell -> the same cell before
    meter = Progress(progress, len(cells))

    def tasks() -> Iterator[Task]:
        first: dict[tuple[object, ...], int] = {}
        for index, cell in enumerate(cells):
            same = first.setdefault(_identity(cell), index)
            if same != index:
                copies[index] = same
                meter.found()
                continue
            known, enough = store.find(cell) if store else (None, False)
            if enough:
                assert known is not None
                found[index] = _light(cell, known, store)
                meter.found()
                continue
            yield Task(index, cell, known.result if known else None)

    # Closed at once, also by an interrupt: an engine's children end with it.
    running = (engine or InProcess()).map(tasks(), meter.began)
    with meter, closing(running):
        for task, outcome in running:
            if store is not None:
                store.save(task.cell, outcome)
                outcome = _light(task.cell, outcome, store)
            found[task.index] = outcome
            meter.ended(task.cell, outcome)
    for later, same in copies.items():
        found[later] = replace(found[same], ran=False)
    return [found[index] for index in range(len(cells))]


def _identity(cell: Cell) -> tuple[object, ...]:
    return cell.function, json.dumps(dict(cell.parameters), sort_keys=True), cell.effort


def _light(cell: Cell, outcome: Outcome, store: Store | None) -> Outcome:
    """An outcome that leaves the files of its result in the store."""
    result = outcome.result
    if store is None or result is None or not cell.kept:
        return outcome
    return replace(outcome, result=replace(result, files=store.files(cell, result.files)))


class Progress:
    """How far a plan is: a bar on a terminal, elsewhere a line now and then.

    It shows how many cells are finished and failed, how long the rest may take, and what is
    running now. Without words on what it is about it shows nothing.
    """

    def __init__(self, what: str, total: int, stream: IO[str] | None = None) -> None:
        self._what, self._total = what, total
        self._stream = stream or sys.stderr
        self._ready = self._done = self._failed = 0
        self._running: list[str] = []
        self._lock = threading.Lock()
        self._bar: Any = None
        self._begin = self._said = time.monotonic()
        self._over = threading.Event()

    def __enter__(self) -> Progress:
        if self._what and self._stream.isatty():
            self._bar = tqdm(total=self._total, desc=self._what, unit="cell", file=self._stream)
        elif self._what:  # a cell that takes long says nothing itself
            threading.Thread(target=self._tick, daemon=True).start()
        return self

    def _tick(self) -> None:
        while not self._over.wait(_LINE_EVERY / 2):
            self._show()

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._bar is not None:
            self._bar.close()
        if self._what and self._ready and error[0] is None:
            found = f"{self._ready} of {self._total} cells were finished before"
            print(f"{self._what}: {found}", file=self._stream)

    def found(self) -> None:
        """A cell needs not be run."""
        self._ready += 1
        if self._bar is not None:
            self._bar.update()

    def began(self, cell: Cell) -> None:
        """A cell begins; called by whatever thread runs it."""
        with self._lock:
            self._running.append(str(cell))
        self._show()

    def ended(self, cell: Cell, outcome: Outcome) -> None:
        """A cell has ended."""
        with self._lock:
            if str(cell) in self._running:
                self._running.remove(str(cell))
        self._done += 1
        self._failed += outcome.status != "done"
        if self._bar is not None:
            self._bar.update()
        self._show()

    def _show(self) -> None:
        with self._lock:
            running = ", ".join(self._running[:2])
            failed = f"{self._failed} failed" if self._failed else ""
            if self._bar is not None:
                self._bar.set_postfix_str("; ".join(filter(None, [failed, running])))
            elif self._what and time.monotonic() - self._said >= _LINE_EVERY:
                self._said = time.monotonic()
                left = self._total - self._ready - self._done
                # Those that run are on average half done.
                pace = (self._said - self._begin) / max(1.0, self._done + len(self._running) / 2)
                ended = f"{self._what}: {self._ready + self._done} of {self._total} cells"
                known = self._done > len(self._running)  # the first cells compile, too
                rest = f"about {pace * left:.0f} s left" if known else "no time known yet"
                parts = [ended, failed, rest, f"running: {running}" if running else ""]
                print("; ".join(filter(None, parts)), file=self._stream, flush=True)


def failures(cells: Sequence[Cell], outcomes: Sequence[Outcome]) -> list[str]:
    """One line for each cell that failed: what it was, and why; for the end of a command."""
    return [
        f"{outcome.status}: {cell}: {outcome.message}"
        for cell, outcome in zip(cells, outcomes, strict=True)
        if outcome.status != "done"
    ]
