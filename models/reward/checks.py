"""Rules on instance files of the ``reward`` problem that go across keys, or say why."""

from __future__ import annotations

from collections.abc import Sequence

from models.errors import InputError
from models.reward.files import RewardFile
from models.reward.utilities import KINDS

__all__ = ["check_cluster", "check_sizes"]

# Numbers in one array; a few such arrays are in memory at once, and every policy goes through those
# of an allocation in every slot: tens of milliseconds where there are a million.
_MOST_ARRIVALS = 2 * 10**7  # slots x ports; jobs in all
_MOST_UTILITIES = 10**6  # servers x device types
_MOST_ALLOCATED = 10**6  # lanes or channels x device types


def check_cluster(file: RewardFile, source: str) -> None:
    """Refuse what does not fit together, naming the key, the index and the rule.

    Raises
    ------
    InputError
    """
    ports, servers, devices = len(file.requests), len(file.capacities), len(file.devices)
    for key, count, what in (
        ("devices", devices, "device type"),
        ("capacities", servers, "server"),
        ("requests", ports, "port"),
    ):
        if not count:
            raise InputError(f"{source}: at least one {what} is needed - at `$.{key}`")
    if len(set(file.devices)) != devices:
        raise InputError(f"{source}: a name stands twice - at `$.devices`")
    per_device = f"{devices} device types"
    for place, row in enumerate(file.capacities):
        _length(row, devices, per_device, f"$.capacities[{place}]", source)
    for place, row in enumerate(file.requests):
        _length(row, devices, per_device, f"$.requests[{place}]", source)
    _length(file.beta, devices, per_device, "$.beta", source)
    _check_edges(file, source)
    _check_utilities(file, source)
    _length(file.arrivals, file.slots, f"{file.slots} slots", "$.arrivals", source, "rows")
    for slot, arrived in enumerate(file.arrivals):
        _length(arrived, ports, f"{ports} ports", f"$.arrivals[{slot}]", source)
    _check_gangs(file, source)


def check_sizes(file: RewardFile, source: str) -> None:
    """Refuse instances whose arrays would not fit into memory; after :func:`check_cluster`."""
    ports, servers, devices = len(file.requests), len(file.capacities), len(file.devices)
    if file.slots * ports > _MOST_ARRIVALS:
        raise InputError(
            f"{source}: {file.slots} slots x {ports} ports are more than {_MOST_ARRIVALS} - at "
            f"`$.arrivals`"
        )
    jobs = sum(map(sum, file.arrivals))
    if jobs > _MOST_ARRIVALS:
        raise InputError(
            f"{source}: {jobs} jobs in all are more than {_MOST_ARRIVALS} - at `$.arrivals`"
        )
    if servers * devices > _MOST_UTILITIES:
        raise InputError(
            f"{source}: {servers} servers x {devices} device types are more than "
            f"{_MOST_UTILITIES} - at `$.capacities`"
        )
    copies = [max(1, *column) for column in zip(*file.arrivals, strict=True)]
    tasks = [len(rows) for rows in file.components] if file.components else [1] * ports
    lanes = [count * width for count, width in zip(copies, tasks, strict=True)]
    channels = sum(lanes[port] for port, _ in file.edges)
    for what, count in (("lanes", sum(lanes)), ("channels", channels)):
        if count * devices > _MOST_ALLOCATED:
            raise InputError(
                f"{source}: {count} {what} (jobs of a port in one slot x components"
                f"{' x edges' if what == 'channels' else ''}) x {devices} device types are more "
                f"than {_MOST_ALLOCATED} - at `$.arrivals`"
            )


def _length(
    row: Sequence[object], width: int, of: str, path: str, source: str, unit: str = "numbers"
) -> None:
    if len(row) != width:
        raise InputError(f"{source}: {len(row)} {unit} for {of} - at `{path}`")


def _check_edges(file: RewardFile, source: str) -> None:
    ports, servers = len(file.requests), len(file.capacities)
    seen: set[tuple[int, int]] = set()
    for place, (port, server) in enumerate(file.edges):
        at = f"$.edges[{place}]"
        if port >= ports:
            raise InputError(f"{source}: no port {port}, there are {ports} - at `{at}[0]`")
        if server >= servers:
            raise InputError(f"{source}: no server {server}, there are {servers} - at `{at}[1]`")
        if (port, server) in seen:
            raise InputError(f"{source}: edge [{port}, {server}] stands twice - at `{at}`")
        seen.add((port, server))


def _check_utilities(file: RewardFile, source: str) -> None:
    servers, devices = len(file.capacities), len(file.devices)
    kinds, alphas = file.utilities.kind, file.utilities.alpha
    tables: list[tuple[str, Sequence[Sequence[object]]]] = [("alpha", alphas)]
    if isinstance(kinds, str):
        _check_kind(kinds, "$.utilities.kind", source)
    else:
        tables.append(("kind", kinds))
    for key, rows in tables:
        path = f"$.utilities.{key}"
        _length(rows, servers, f"{servers} servers", path, source, "rows")
        for r, row in enumerate(rows):
            _length(row, devices, f"{devices} device types", f"{path}[{r}]", source, "entries")
    if not isinstance(kinds, str):
        for r, names in enumerate(kinds):
            for k, name in enumerate(names):
                _check_kind(name, f"$.utilities.kind[{r}][{k}]", source)


def _check_kind(name: str, path: str, source: str) -> None:
    if name not in KINDS:
        raise InputError(
            f"{source}: utility '{name}' is not one of {', '.join(KINDS)}, those of (27), which "
            f"are concave and 0 at 0 - at `{path}`"
        )


def _check_gangs(file: RewardFile, source: str) -> None:
    ports, devices = len(file.requests), len(file.devices)
    if file.components is not None:
        if file.minimum_running is None:
            raise InputError(
                f"{source}: missing, and needed with `components` - at `$.minimum_running`"
            )
        _length(file.components, ports, f"{ports} ports", "$.components", source, "lists")
        for port, rows in enumerate(file.components):
            _check_components(rows, file.requests[port], devices, f"$.components[{port}]", source)
    if file.minimum_running is not None:
        _length(file.minimum_running, ports, f"{ports} ports", "$.minimum_running", source)
        for port, least in enumerate(file.minimum_running):
            count = len(file.components[port]) if file.components else 1
            if least > count:
                raise InputError(
                    f"{source}: {least} components have to run, but a job of port {port} has "
                    f"{count} - at `$.minimum_running[{port}]`"
                )


def _check_components(
    rows: list[list[float]], request: list[float], devices: int, path: str, source: str
) -> None:
    for place, row in enumerate(rows):
        _length(row, devices, f"{devices} device types", f"{path}[{place}]", source)
        if not any(row):
            raise InputError(
                f"{source}: a component that requests nothing would always run - at "
                f"`{path}[{place}]`"
            )
    for k, wanted in enumerate(request):
        total = sum(row[k] for row in rows)
        if abs(total - wanted) > 1e-9 * max(1.0, wanted):
            raise InputError(
                f"{source}: components request {total:.9g} of device {k} together, but the port "
                f"{wanted:.9g} (`requests`) - at `{path}`"
            )
