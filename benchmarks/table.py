"""The ratio table: one line per policy over many instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of
from benchmarks.study.statistics import bootstrap_interval
from benchmarks.study.study import has_failed
from benchmarks.tables import PLAIN, Column, Layout, cell, render, wrap
from models.problem import problem
from online.contract import online_side
from solvers.result import OPTIMAL_GAP

COLUMNS = (
    Column("policy", "policy", left=True),
    Column("totals", "of totals", rank=1),
    Column("mean", "mean ratio"),
    Column("spread", "95 % interval", rank=2),
    Column("interval", "interval", rank=4),
    Column("worst", "worst (seed)", rank=3),
    Column("guarantee", "guarantee", rank=6),
    Column("done", "", rank=5),  # Words.done
    Column("load", "load", rank=7),
    Column("violations", "violations", rank=9),
    Column("ms", "ms/decision", rank=8),
)


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per policy, in the order of the rows, from rows, with timings or without.

    The columns: ``instances``, ``failed`` (how many), ``ms`` (per decision, of the runs that were
    timed), ``clairvoyant``, ``allows`` (what the optimum it is compared with may do beyond the
    problem's own model); and, where a policy failed nowhere, since what it did elsewhere is no
    measure of it: ``totals`` (offline upper bounds over objectives, each summed over the
    instances), ``mean_lower``, ``mean_upper`` (means of the two ends of the ratio interval),
    ``low``, ``high`` (95 % bootstrap interval of the mean of the upper end), ``worst``,
    ``worst_seed``, ``guarantee`` (largest that applies), ``applies`` (on how many instances; NaN if
    it has none at all), ``violations``, ``completed`` (share of the jobs), ``load`` (mean).
    """
    records = []
    for policy, group in frame.groupby("policy", sort=False):
        failed = int(has_failed(group).sum())
        record = {"policy": policy, "instances": len(group), "failed": failed}
        record |= {"ms": float("nan"), "clairvoyant": False, "allows": ""}
        if "policy_seconds" in group and (timed := group["policy_seconds"].notna()).any():
            seconds, decisions = group.loc[timed, ["policy_seconds", "decisions"]].sum()
            record["ms"] = 1e3 * seconds / decisions if decisions else float("nan")
        records.append(record if failed else record | _ratios(group))
    return pd.DataFrame(records).set_index("policy")


def _ratios(group: pd.DataFrame) -> dict[str, Any]:
    """What is said of a policy that failed nowhere."""
    worst = group.loc[group["ratio_upper"].astype(float).idxmax()]
    low, high = bootstrap_interval(group["ratio_upper"])
    applies = group["guarantee_applies"].eq(True)
    # A ratio of sums, which a single instance with a tiny objective does not swamp.
    over, under = group["offline_upper"].sum(), group["objective"].sum()
    if problem(group["problem"].iloc[0]).sense == "min":
        over, under = group["objective"].sum(), group["offline_lower"].sum()
    endless = 1.0 if over == under == 0 else float("inf")
    return {
        "totals": float(over / under) if under > 0 else endless,
        "mean_lower": group["ratio_lower"].mean(),
        "mean_upper": group["ratio_upper"].mean(),
        "low": low,
        "high": high,
        "worst": worst["ratio_upper"],
        "worst_seed": worst["seed"],
        "guarantee": group.loc[applies, "guarantee"].astype(float).max(),
        "applies": applies.sum() if group["guarantee"].notna().any() else None,
        "violations": int(group["violations"].sum()),
        "completed": group["completed"].sum() / max(1, group["jobs"].sum()),
        "load": group["load"].mean(),
        "clairvoyant": bool(group["clairvoyant_bounds"].any()),
        "allows": group["offline_allows"].fillna("").max(),
    }


def common_origin(origins: Mapping[str, str]) -> str:
    """Where instances, by name, come from: what their origins have in common, else their names.

    Where texts of equal length differ, numbers (of draws, say) become a range, other words ``...``.
    """
    texts = [(origin or name).split() for name, origin in origins.items()]
    if len(set(map(len, texts))) > 1:
        return "of several origins: " + ", ".join(origins)
    return " ".join(map(_common, zip(*texts, strict=True)))


def _common(words: Sequence[str]) -> str:
    if len(set(words)) == 1:
        return words[0]
    numbers = [int(word) for word in words if word.isdecimal()]
    return f"{min(numbers)} to {max(numbers)}" if len(numbers) == len(words) else "..."


def loads_of(frame: pd.DataFrame) -> str:
    """Load of the instances of some rows, in words: the mean, and from where to where."""
    loads = frame.drop_duplicates("instance_hash")["load"].dropna()
    if loads.empty:  # nothing of any instance is known
        return "load unknown"
    span = "" if len(loads) == 1 else f" ({loads.min():.3g} to {loads.max():.3g})"
    return f"load {loads.mean():.3g}{span}"


def draws_of(draws: Sequence[Sequence[int] | None]) -> str:
    """How many draws of jobs were accepted for each instance, in words; empty for those of files.

    Each has two numbers, of those accepted and of those rejected, or is None.
    """
    known = [one for one in draws if one is not None]
    if not any(rejected for _, rejected in known):
        return "no draw rejected" if known else ""
    accepted, every = [kept for kept, _ in known], [sum(one) for one in known]
    return f"accepted {_span(accepted)} of {_span(every)} draws"


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def format_table(summary: pd.DataFrame, frame: pd.DataFrame, layout: Layout = PLAIN) -> str:
    """The table as text, with the notes that say what may be concluded from it."""
    done = experiments_of(frame["problem"].iloc[0]).workload.words.done
    columns = [replace(c, head=done) if c.name == "done" else c for c in COLUMNS]
    lines = [_texts(str(policy), row) for policy, row in summary.iterrows()]
    return f"{render(columns, lines, layout)}\n\n{wrap(_notes(summary, frame), layout)}"


def _texts(policy: str, row: pd.Series) -> list[str]:
    """A line of the table, in the order of ``COLUMNS``."""
    if row["failed"]:
        failed = f"failed {row['failed']}/{row['instances']}"
        return [policy, "-", failed, *["-"] * (len(COLUMNS) - 4), cell(row["ms"], ".2f")]
    seed = "file" if pd.isna(row["worst_seed"]) else int(row["worst_seed"])
    guarantee = "-"
    if pd.notna(row["applies"]):
        ratio = f"{row['guarantee']:.3g} " if row["applies"] else ""
        guarantee = f"{ratio}on {row['applies']:.0f}/{row['instances']}"
    return [
        f"{policy}{'*' if row['clairvoyant'] else ''}{'+' if row['allows'] else ''}",
        _short(row["totals"]),
        _short(row["mean_upper"]),
        "-" if pd.isna(row["low"]) else f"{_short(row['low'])}-{_short(row['high'])}",
        f"{_short(row['mean_lower'])}-{_short(row['mean_upper'])}",
        f"{_short(row['worst'])} ({seed})",
        guarantee,
        f"{100 * row['completed']:.0f} %",
        f"{row['load']:.3g}",
        f"{row['violations']:.0f}",
        cell(row["ms"], ".2f"),
    ]


def _short(number: float) -> str:
    return f"{number:.3f}" if number < 1e3 else f"{number:.3g}"


def _notes(summary: pd.DataFrame, frame: pd.DataFrame) -> list[str]:
    lost = has_failed(frame)
    if lost.any():
        note = (
            f"{int(lost.sum())} of {len(frame)} rows failed; their column `error` says why. A "
            "policy that failed has no mean over the rest."
        )
        return [note, *(_notes(summary, frame[~lost]) if not lost.all() else ())]
    allows = frame["offline_allows"].fillna("")
    wider = frame[allows != ""].drop_duplicates("instance_hash")
    own = frame[allows == ""].drop_duplicates("instance_hash")
    instances = own if len(own) else wider
    notes = [f"Optimum {_proven(instances)}", _meaning(frame), _vouching(instances)]
    if limited := int(instances["offline_time_limited"].sum()):
        notes.append(
            f"The clock decided a step of the offline solver on {limited} of "
            f"{len(instances)} instances: their rows may differ from run to run."
        )
    if len(wider):
        notes.append(
            "+ its schedules are not of the problem's exact model: compared with the optimum that "
            f"allows {wider['offline_allows'].iloc[0]} too, of which only the bound by prices is "
            f"known; {_proven(wider)}"
        )
    if summary["clairvoyant"].any():
        notes.append(
            "* parameters computed from the instance (price bounds, say): they know the future."
        )
    failing = frame.loc[frame["guarantee_fails"].fillna("") != "", ["policy", "guarantee_fails"]]
    for policy, group in failing.groupby("policy", sort=False):
        names = group["guarantee_fails"].str.replace(r" \([^)]*\)", "", regex=True)
        counts = names.str.split("; ").explode().value_counts(sort=False)
        reasons = ", ".join(f"{name} ({count})" for name, count in counts.items())
        notes.append(f"guarantee of {policy} does not apply: {reasons}.")
    return [*notes, _words(frame["problem"].iloc[0], " ".join(notes))]


def _words(problem_name: str, notes: str) -> str:
    """What the words mean that stand in the table and in the notes below it."""
    terms = online_side(problem_name).terms.items()
    said = [("load", problem(problem_name).load_means), *(one for one in terms if one[0] in notes)]
    return f"In words: {'. '.join(f'{term}: {meaning}' for term, meaning in said)}."


def _proven(instances: pd.DataFrame) -> str:
    """How many optima are proven, and how wide the other intervals are."""
    proven = int((instances["offline_status"] == "optimal").sum())
    widest = (instances["offline_upper"] - instances["offline_lower"]).max()
    rest = f"; the widest interval of an optimum is {widest:.4g} in units of the objective"
    rest = rest if proven < len(instances) else ""
    return f"proven (gap <= {OPTIMAL_GAP:g}) on {proven} of {len(instances)} instances{rest}."


def _meaning(frame: pd.DataFrame) -> str:
    """What the numbers in the columns of ratios are."""
    ratio, zero = "objective / bound", ""
    totals = "sum of the objectives / sum of the offline lower bounds"
    if problem(frame["problem"].iloc[0]).sense == "max":
        totals = "sum of the offline upper bounds / sum of the objectives"
        less = "or less " if (frame["objective"] < 0).any() else ""
        ratio, zero = "bound / objective", f"; an objective of 0 {less}makes it inf"
    least = ">= 1"
    if (frame["ratio_lower"] < 1.0 - OPTIMAL_GAP).any():  # nothing else can beat a bound
        least = "below 1 where policies run at speed 1 + epsilon and the optimum at speed 1"
    return (
        f"of totals: {totals}. mean ratio: mean of {ratio} ({least}), with a bootstrap interval "
        f"over instances{zero}. interval: the mean with the best schedule known, and with the "
        "bound."
    )


def _vouching(instances: pd.DataFrame) -> str:
    """What the bounds rest on."""
    certified = int((instances["bound_source"] == "prices").sum())
    rest = ", by the MILP solver on the rest" if certified < len(instances) else ""
    note = f"Bound certified by prices on {certified} of {len(instances)} instances{rest}."
    proven = instances["offline_certified"].astype(float)
    if certified == len(instances) or proven.isna().any():
        return note
    sense = problem(instances["problem"].iloc[0]).sense
    bounds = instances["offline_upper" if sense == "max" else "offline_lower"]
    weaker = 100 * ((proven - bounds).abs() / bounds).mask(proven == bounds, 0.0)
    return (
        f"{note} The bounds that certificate.json.gz of each instance proves without a solver are "
        f"{weaker.mean():.2g} % weaker in the mean, {weaker.max():.2g} % at most."
    )
