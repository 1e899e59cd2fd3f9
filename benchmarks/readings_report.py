"""The multiverse ledger as text: how often a claim holds over the readings, and what decides it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import pandas as pd

from benchmarks.study.claim import Claim
from benchmarks.study.effects import Effect, main_effects, wilson_interval
from benchmarks.study.multiverse import PICK, REGISTERED, Multiverse
from benchmarks.tables import Column, render

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


def _block(claim: Claim, rows: pd.DataFrame) -> str:
    registered = rows.loc[rows["reading"] == REGISTERED, "verdict"].iat[0]
    known = rows[rows["verdict"] != "not testable"]
    hits = int((known["verdict"] == "reproduced").sum())
    low, high = (100.0 * end for end in wilson_interval(hits, len(known)))
    told = f"{claim.name} ({claim.source}): reproduced in {hits} of {len(known)} readings"
    if len(known):
        told += f", {100.0 * hits / len(known):.0f} % [{low:.0f}, {high:.0f}]"
    lines = [f"{told}; registered: {str(registered).upper()}"]
    parts = {"claim": claim.text, "test": claim.test.words, "decides": _deciding(rows)}
    picks = [name for name in rows if name.startswith(PICK)]
    base = rows.loc[rows["reading"] == REGISTERED, picks].iloc[0]
    star = rows[(rows[picks] != base).sum(axis=1) == 1]
    flips = star.loc[star["verdict"] != registered, ["reading", "verdict"]]
    parts["alone"] = ", ".join(f"{name} ({verdict})" for name, verdict in flips.to_numpy())
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
    columns = [Column("load", "load"), Column("reproduced", "claims reproduced")]
    columns.append(Column("reading", "reading", left=True))
    lines = []
    for name, rows in frame.groupby("reading", sort=False):
        known = rows[rows["verdict"] != "not testable"]
        hits = (known["verdict"] == "reproduced").sum()
        load = rows["load"].iat[0]
        lines.append([f"{load:.2f}", f"{hits} of {len(known)}", str(name)])
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
