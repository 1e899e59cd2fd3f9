"""Cells through store and engine: what is known is found, the rest is run, with progress."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import IO

from tqdm import tqdm

from benchmarks.study.cell import Cell, Outcome
from benchmarks.study.engine import Engine, InProcess, Task
from benchmarks.study.store import Store

_LINE_EVERY = 30.0  # seconds between lines where stderr is no terminal


def compute(
    cells: Sequence[Cell],
    *,
    store: Store | None = None,
    engine: Engine | None = None,
    progress: str = "",
) -> list[Outcome]:
    """Outcomes of cells, in their order, whatever runs them: by default this process.

    Cells that are the same are run once, and those that the store holds are not run again. Only
    this process writes to the store, and keeps every cell as soon as it is finished; failed ones
    are not kept. Files of results are left in it, and read when they are looked up. A progress line
    on stderr says that it is about ``progress``; empty = none.
    """
    engine = engine or InProcess()
    meter = Progress(progress, len(cells), workers=engine.workers)
    found: dict[int, Outcome] = {}
    first: dict[tuple[object, ...], int] = {}
    same = [first.setdefault(_question(cell), index) for index, cell in enumerate(cells)]

    def tasks() -> Iterator[Task]:
        for _ in range(len(cells) - len(first)):
            meter.found()
        # The most threads first: children are kept for cells that have as many.
        needs = {index: cells[index].needs for index in first.values()}
        for index in sorted(needs, key=lambda index: (needs[index].alone, -needs[index].threads)):
            cell = cells[index]
            known, enough = store.find(cell) if store else (None, False)
            if known is not None and enough:
                found[index] = known
                meter.found()
                continue
            meter.began(cell)
            code = store.code(cell.all_roots) if store else ""
            yield Task(index, cell, known.result if known else None, code)

    # Closed at once, also by an interrupt: an engine's children end with it.
    with meter, closing(engine.map(tasks())) as running:
        for task, outcome in running:
            found[task.index] = store.save(task.cell, outcome) if store else outcome
            meter.ended(task.cell, outcome)
            if outcome.result is not None and outcome.result.said:
                meter.says(task.cell, outcome.result.said)
            if outcome.status != "done":
                engine.failed.append(f"{outcome.status}: {task.cell}: {outcome.message}")
    return [
        found[one] if one == index else replace(found[one], ran=False)
        for index, one in enumerate(same)
    ]


def _question(cell: Cell) -> tuple[object, ...]:
    return cell.function, json.dumps(dict(cell.parameters), sort_keys=True), cell.effort


class Progress:
    """How far a plan is: a bar on a terminal, elsewhere a line now and then.

    It shows how many cells are finished and failed, how long the rest may take, and what is
    running now: of the cells that have begun as many as there are workers, the others wait for
    these. Without words on what it is about it shows nothing.
    """

    def __init__(
        self, what: str, total: int, stream: IO[str] | None = None, workers: int = 1
    ) -> None:
        self._what, self._total, self._workers = what, total, workers
        self._stream = stream or sys.stderr
        self._ready = self._done = self._failed = 0
        self._begun: list[str] = []
        self._lock = threading.Lock()  # of what is shown
        self._begin = self._said = time.monotonic()
        self._over = threading.Event()
        has_bar = bool(what) and self._stream.isatty()
        self._says = bool(what) and not has_bar
        self._bar = tqdm(total=total, desc=what, unit="cell", file=stream, disable=not has_bar)

    def __enter__(self) -> Progress:
        if self._says:  # a cell that takes long says nothing itself
            threading.Thread(target=self._tick, daemon=True).start()
        return self

    def _tick(self) -> None:
        while not self._over.wait(_LINE_EVERY / 2):
            self._show()

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._bar.close()
        if self._what and self._ready and error[0] is None:
            found = f"{self._ready} of {self._total} cells were finished before"
            print(f"{self._what}: {found}", file=self._stream)

    def found(self) -> None:
        """A cell needs not be run."""
        self._ready += 1
        self._bar.update()

    def began(self, cell: Cell) -> None:
        """A cell is handed out."""
        self._begun.append(str(cell))
        self._show()

    def ended(self, cell: Cell, outcome: Outcome) -> None:
        """A cell has ended."""
        self._begun.remove(str(cell))
        self._done += 1
        self._failed += outcome.status != "done"
        self._bar.update()
        self._show()

    def says(self, cell: Cell, text: str) -> None:
        """A policy has printed something, which is no part of any table."""
        lines = (f"printed by {cell}: {line}" for line in text.splitlines())
        tqdm.write("\n".join(lines), file=self._stream)

    def _show(self) -> None:
        with self._lock:
            running = self._begun[: self._workers]
            shown = ", ".join(running[:2])
            failed = f"{self._failed} failed" if self._failed else ""
            self._bar.set_postfix_str("; ".join(filter(None, [failed, shown])))
            if self._says and time.monotonic() - self._said >= _LINE_EVERY:
                self._said = time.monotonic()
                left = self._total - self._ready - self._done
                # Those that run are on average half done.
                pace = (self._said - self._begin) / max(1.0, self._done + len(running) / 2)
                ended = f"{self._what}: {self._ready + self._done} of {self._total} cells"
                known = self._done > len(running)  # the first cells compile, too
                rest = f"about {pace * left:.0f} s left" if known else "no time known yet"
                parts = [ended, failed, rest, f"running: {shown}" if shown else ""]
                print("; ".join(filter(None, parts)), file=self._stream, flush=True)
