"""Cells on a cluster: a Dask scheduler hands them to its workers, each behind a guard there.

A cell that dies, hangs or takes all memory ends its guard's child, not the worker. A worker
that is lost has its cells run by others. Without the scheduler, or workers, a run ends.
"""

from __future__ import annotations

import functools
import logging
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import replace

from benchmarks.study.cell import Needs, Outcome
from benchmarks.study.closure import code_hash, processor, source_hashes, versions
from benchmarks.study.engine import Guards, Pooled, Submit, Task
from models.errors import InputError

_PATIENCE = 10  # seconds to wait for the scheduler
_NO_WORKERS = 180.0  # seconds to wait for workers after all were lost
_KEPT = "what is finished is kept, and the same command goes on from there"


class Cluster(Pooled):
    """The workers of a Dask scheduler; a context manager that leaves them as they were.

    The address is that of the scheduler, e.g. ``tcp://10.0.0.1:8786``. InputError if Dask is not
    installed, the scheduler cannot be reached or has no workers, or a worker has other code,
    libraries or another processor: its results would not be what their keys say.
    """

    def __init__(self, address: str, limits: Needs = Needs()) -> None:
        try:
            from distributed import Client
            from distributed.comm.addressing import get_address_host_port
        except ImportError:
            raise InputError(
                "--cluster needs Dask: pip install -c constraints.txt -e '.[cluster]'"
            ) from None
        # Dask tells of a lost scheduler by tracebacks; here it is one line.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL + 1)
        self._address = address
        try:
            get_address_host_port(address)  # a client that was not made complains when it is freed
            self._client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(f"no Dask scheduler at {address}: {_short(error)}") from None
        try:
            threads = self._client.nthreads()
            if not threads:
                raise InputError(f"the Dask scheduler at {address} has no workers")
            self._refuse_others()
        except BaseException:
            self._client.close()
            raise
        super().__init__(sum(threads.values()), limits)

    def __exit__(self, *error: object) -> None:
        """Leave the scheduler."""
        self._client.close()

    def _refuse_others(self) -> None:
        """Refuse workers whose results would not be ours."""
        ours = _about()
        for worker, theirs in sorted(self._client.run(_about).items()):
            every = ours.keys() | theirs.keys()
            differing = sorted(key for key in every if ours.get(key) != theirs.get(key))
            if not differing:
                continue
            what, name = differing[0]
            if what == "code":
                files = sum(kind == "code" for kind, _ in differing)
                words = f"different code: {name}" + (f" and {files - 1} more" if files > 1 else "")
            else:
                here, there = (about.get((what, name), "none") for about in (ours, theirs))
                hint = ": start all with NUMBA_CPU_NAME=generic" if what == "processor" else ""
                words = f"a different {what}: {name} {there} there, {here} here{hint}"
            raise InputError(f"worker {worker} has {words}")

    @contextmanager
    def _opened(self) -> Iterator[Submit]:
        run = uuid.uuid4().hex
        codes = functools.cache(code_hash)
        pool = self._client.get_executor(pure=False)

        def submit(task: Task) -> Future[Outcome]:
            if self._client.status != "running":
                raise self._lost()
            # What is not kept, too: a worker may have another file of the same name.
            task = replace(task, code=task.code or codes(task.cell.all_roots))
            key = f"{task.cell.name}-{task.index}-{run}"
            future: Future[Outcome] = pool.submit(_run, run, self.workers, task, key=key)
            return future

        try:
            yield submit
        finally:
            # A client still says "running" for a moment after its scheduler was lost. No error of
            # this clean-up may hide why the run ended; without a scheduler, its workers end anyway.
            if self._client.status == "running":
                with suppress(OSError):
                    pool.shutdown(wait=False)
                    self._client.run(_end_guards, run, on_error="ignore")

    def _look(self) -> None:
        try:
            if self._client.status == "running" and not self._client.nthreads():
                told = f"no workers at {self._address} now; waiting {_NO_WORKERS:g} s for one"
                print(told, file=sys.stderr, flush=True)
                self._client.wait_for_workers(1, _NO_WORKERS)
        except TimeoutError:
            raise InputError(f"all workers at {self._address} were lost: {_KEPT}") from None
        except OSError:
            raise self._lost() from None
        if self._client.status != "running":
            raise self._lost()

    def _lost(self) -> InputError:
        return InputError(f"the Dask scheduler at {self._address} was lost: {_KEPT}")

    def _outcome(self, future: Future[Outcome]) -> Outcome:
        try:
            return super()._outcome(future)
        except CancelledError:  # by nobody here
            raise self._lost() from None
        except Exception as error:  # every worker that had it was lost
            return Outcome("killed", message=_short(error))


_guards: dict[str, Guards] = {}  # of a worker, by run: clients may share a scheduler


def _run(run: str, count: int, task: Task) -> Outcome:
    """Run a task on a worker, behind one of so many guards of the run."""
    return _guards.setdefault(run, Guards(count)).run(task)


def _end_guards(run: str) -> None:
    """End the guards of a run, and no others; tasks that come late find them ended."""
    _guards.setdefault(run, Guards(0)).end()


def _about() -> dict[tuple[str, str], str]:
    """What the results of a machine depend on."""
    parts = {"code": source_hashes(), "library": versions(), "processor": processor()}
    return {(what, name): part[name] for what, part in parts.items() for name in part}


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
