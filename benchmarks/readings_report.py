"""The multiverse ledger as text: how often a claim holds over the readings, and what decides it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from benchmarks.study.claim import Claim
from benchmarks.study.effects import Effect, main_effects, wilson_interval
from benchmarks.study.multiverse import PICK, REGISTERED, Multiverse
from benchmarks.tables import Column, Layout, render, wrap

_INDENT = " " * 12
_LINE = 100


def format_multiverse(frame: pd.DataFrame, found: Multiverse, claims: Sequence[Claim]) -> str:
    """A block for each claim; the readings with their loads; the choices; and what is left out."""
    said = {claim.name: claim for claim in claims}
    blocks = [_block(said[str(name)], rows) for name, rows in frame.groupby("claim", sort=False)]
    blocks += [_readings(frame), *map("\n".join, _choices(found))]
    left = [claim.name for claim in claims if not found.takes_part(claim)]
    if left:
        told = "Left out, since nothing that is read differently matters to them, or times are "
        told += f"measured: {', '.join(left)}."
        blocks.append(textwrap.fill(told, _LINE))
    clear = "Decides: what has the clearest main effect over the balanced combinations, if "
    clear += "permutations of the verdicts seldom (p < 0.05) give any choice one as clear."
    return "\n\n".join([*blocks, textwrap.fill(clear, _LINE)])


def effects_of(rows: pd.DataFrame) -> list[Effect]:
    """Main effects of the choices on a claim's verdict, over the design, where it is testable."""
    rows = rows[rows["designed"] & (rows["verdict"] != "not testable")]
    picks = rows[[name for name in rows if name.startswith(PICK)]]
    return main_effects(
        picks.rename(columns=lambda name: name.removeprefix(PICK)), rows["verdict"] == "reproduced"
    )


def format_summary(frame: pd.DataFrame, claims: Sequence[Claim], layout: Layout) -> str:
    """The ledger as one table: a line for each claim, with what decides it in a word."""
    heads = ("claim", "source", "load", "reproduced", "95 %", "registered", "decides", "alone")
    columns = [Column(head, head, left=True) for head in heads]
    said = {claim.name: claim for claim in claims}
    lines = []
    for name, rows in frame.groupby("claim", sort=False):
        hits, known, interval = _share(rows)
        effects = effects_of(rows)
        decides = effects[0].choice if effects and effects[0].decides else "-"
        flips = ", ".join(_turned(rows)) or "-"
        share, registered = f"{hits} of {known}", str(_registered(rows))
        about = [str(name), said[str(name)].source, _loads(rows)]
        lines.append([*about, share, interval, registered, decides, flips])
    notes = [
        "load: mean of the claim's instances in the registered reading [least, most in any].",
        "reproduced: in how many readings, of those where it is testable, and the interval of that "
        "share in percent. registered: the verdict in the registered reading.",
        "decides: the choice with a clear main effect over the balanced combinations.",
        "alone: readings of one choice that alone turn the verdict into its opposite, or into what "
        "stands behind them.",
    ]
    return f"{render(columns, lines, layout)}\n\n{wrap(notes, layout)}"


def _registered(rows: pd.DataFrame) -> Any:
    return rows.loc[rows["reading"] == REGISTERED, "verdict"].iat[0]


def _share(rows: pd.DataFrame) -> tuple[int, int, str]:
    """In how many readings a claim is reproduced, in how many it is testable; the interval, %."""
    known = rows[rows["verdict"] != "not testable"]
    hits = int((known["verdict"] == "reproduced").sum())
    low, high = (100.0 * end for end in wilson_interval(hits, len(known)))
    return hits, len(known), f"{low:.0f} to {high:.0f}" if len(known) else "-"


def _flips(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Readings in which one choice is read otherwise and the verdict is another, with it."""
    picks = [name for name in rows if name.startswith(PICK)]
    base = rows.loc[rows["reading"] == REGISTERED, picks].iloc[0]
    star = rows[(rows[picks] != base).sum(axis=1) == 1]
    flips = star.loc[star["verdict"] != _registered(rows), ["reading", "verdict"]]
    return [(str(name), str(verdict)) for name, verdict in flips.to_numpy()]


def _turned(rows: pd.DataFrame) -> Iterator[str]:
    """Readings of one choice that turn the verdict; into what, if not into its opposite."""
    known = _registered(rows) != "not testable"
    for name, verdict in _flips(rows):
        yield name if known and verdict != "not testable" else f"{name} ({verdict})"


def _loads(rows: pd.DataFrame) -> str:
    """The load in the registered reading, and its range over the readings."""
    loads = rows.set_index("reading")["load"]
    if loads.isna().all():
        return "-"
    own, least, most = (f"{load:.2g}" for load in (loads[REGISTERED], loads.min(), loads.max()))
    return f"{own} [{least}, {most}]"


def _block(claim: Claim, rows: pd.DataFrame) -> str:
    hits, known, interval = _share(rows)
    told = f"{claim.name} ({claim.source}): reproduced in {hits} of {known} readings"
    if known:
        told += f", {100.0 * hits / known:.0f} % [{interval.replace(' to ', ', ')}]"
    lines = [f"{told}; registered: {str(_registered(rows)).upper()}"]
    parts = {"claim": claim.text, "test": claim.test.words, "load": _loads(rows)}
    parts["decides"] = _deciding(rows)
    parts["alone"] = ", ".join(f"{name} ({verdict})" for name, verdict in _flips(rows))
    lost = rows[rows["verdict"] == "not testable"]
    if len(lost):
        why = lost["why"].iat[0] or lost["measured"].iat[0]
        parts["untested"] = f"in {len(lost)} readings: {why}"
    for head, text in parts.items():
        first = f"  {head}".ljust(len(_INDENT))
        lines += textwrap.wrap(text, _LINE, initial_indent=first, subsequent_indent=_INDENT)
    return "\n".join(lines)


def _deciding(rows: pd.DataFrame) -> str:
    effects = effects_of(rows)
    if not effects or effects[0].spread == 0.0:
        return "nothing: the verdict is the same in all combinations"
    first = effects[0]
    hits = ", ".join(f"{name} {k} of {n}" for name, (k, n) in first.hits.items())
    told = f"{first.choice} ({hits}; p = {first.p:.3f})"
    return told if first.decides else f"no choice clearly; most so {told}"


def _readings(frame: pd.DataFrame) -> str:
    columns = [Column("load", "load of its claims"), Column("hits", "claims reproduced")]
    columns.append(Column("reading", "reading", left=True))
    lines = []
    for name, rows in frame.groupby("reading", sort=False):
        known = rows[rows["verdict"] != "not testable"]
        hits = (known["verdict"] == "reproduced").sum()
        loads = dict.fromkeys(f"{load:.2g}" for load in (rows["load"].min(), rows["load"].max()))
        lines.append([" to ".join(loads), f"{hits} of {len(known)}", str(name)])
    return render(columns, lines)


def _choices(found: Multiverse) -> Iterator[list[str]]:
    for choice in found.choices:
        lines = [f"{choice.name} - {choice.source}: {choice.opens}; first: {choice.why}"]
        for one in choice.readings:
            source = f" - {one.source}" if one.source else ""
            later = "; added after results had been seen" * one.later
            lines.append(f"  {one.name}: {one.words}{source}{later}")
        yield [
            part for line in lines for part in textwrap.wrap(line, _LINE, subsequent_indent=" " * 4)
        ]
