"""Certificates of bounds by prices, and by trees of them: make, write, check."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from models.errors import InputError
from models.wire import MOST_PRICE, BranchRecord, LeafRecord, PricesFile
from solvers.branching_tree import Branch, Deadlines, leaves
from solvers.certificate import Certificate, CertificateReader, Verdict, is_sealed, seal
from solvers.result import Sense

__all__ = [
    "OUTWARD",
    "LeafOracle",
    "PriceCertificates",
    "TreePrices",
    "checked",
    "rounded",
]

OUTWARD = 1e-9
"""By how much such bounds are rounded outward, relative: more than the round-off of their sums."""
_DIGITS = 9  # of the largest price of a resource that is stored


@dataclass(frozen=True, eq=False)
class TreePrices:
    """Prices, and a tree whose leaves have prices of their own.

    Parameters
    ----------
    prices : ndarray, shape (S, R)
        Of each resource in each slot, the same on all servers.
    tree : tuple of Branch and of ndarray
        In preorder (:func:`solvers.branching_tree.leaves`); if it is empty, there is none.
    """

    prices: np.ndarray
    tree: tuple[Branch | np.ndarray, ...] = ()


class LeafOracle(Protocol):
    """What prices prove in the leaves of a tree, for one instance."""

    @property
    def columns(self) -> int:
        """How many prices a slot has in a leaf."""

    def everything(self) -> Deadlines:
        """What is left at the root."""

    def bound(self, prices: np.ndarray, allowed: Deadlines) -> float:
        """What prices, shape (S, columns), prove of the schedules with what is allowed.

        Infinite, and no bound of a schedule, if there are none.
        """


@dataclass(frozen=True)
class PriceCertificates:
    """How a problem makes its certificates and checks them.

    Parameters
    ----------
    file_type : type
        A subclass of :class:`models.wire.PricesFile`.
    sense : "max" or "min"
        Whether bounds are upper or lower ones.
    root : callable
        ``(instance, prices) -> float``, what one table of prices proves, at least 0.
    oracle : callable
        From an instance to what prices prove in leaves.
    rounded : callable
        From prices to those that are stored.
    every_slot : bool
        Whether there is a row for each slot; if not, slots behind the last row have no price.
    """

    file_type: type[PricesFile]
    sense: Sense
    root: Callable[[Any, np.ndarray], float]
    oracle: Callable[[Any], LeafOracle]
    rounded: Callable[[np.ndarray], np.ndarray]
    every_slot: bool

    def bound(self, instance: Any, prices: TreePrices) -> float:
        """What prices prove, or their tree if that is more.

        Parameters
        ----------
        instance : Instance
        prices : TreePrices

        Returns
        -------
        float
            In the unit of the objective, rounded outward.

        Raises
        ------
        ValueError
            If the tree is none, or a table of prices has another shape than it should, or a price
            that is not from 0 to 1e150.
        """
        root = self.root(instance, prices.prices)
        if not prices.tree:
            return root
        oracle, found = self.oracle(instance), []
        slots = instance.cluster.slots if self.every_slot else None
        for table, allowed in leaves(prices.tree, oracle.everything()):
            found.append(oracle.bound(checked(table, oracle.columns, slots), allowed))
        # No schedule is worth less than nothing, whatever a leaf without schedules may prove.
        return max(root, min(found)) if self.sense == "min" else min(root, max(0.0, *found))

    def certify(self, instance: Any, prices: TreePrices) -> Certificate[PricesFile]:
        """Round the prices, and compute the bound that the rounded ones prove."""
        short = TreePrices(
            self.rounded(prices.prices),
            tuple(x if isinstance(x, Branch) else self.rounded(x) for x in prices.tree),
        )
        file = self.file_type(
            format="1",
            problem=instance.problem,
            instance=instance.hash,
            source="prices",
            bound=self.bound(instance, short),
            prices=short.prices.tolist(),
            digest="",
            tree=[
                BranchRecord(instance.jobs[x.job].id, x.slot)
                if isinstance(x, Branch)
                else LeafRecord(x.tolist())
                for x in short.tree
            ],
        )
        return Certificate(file.bound, seal(file))

    def check(self, path: str | Path, instance: Any) -> Verdict:
        """Recompute the bound of a certificate file, by an oracle and no solver.

        Raises InputError if it is malformed or made for another instance, has too many or few
        prices, names an unknown job, or has a tree that is none, or one of an instance that is too
        large for it.
        """
        reader = CertificateReader(path, self.file_type, instance)
        file, resources = reader.file, len(instance.cluster.resources)
        slots = instance.cluster.slots if self.every_slot else None
        prices = reader.table(file.prices, (slots, resources), "$.prices")
        tree: tuple[Branch | np.ndarray, ...] = ()
        if file.tree:
            try:
                oracle = self.oracle(instance)
            except InputError as error:
                raise reader.error(str(error)) from None

            def node(record: BranchRecord | LeafRecord, at: str) -> Branch | np.ndarray:
                if isinstance(record, BranchRecord):
                    return Branch(reader.job(record.job, f"{at}.job"), record.slot)
                shape = slots, oracle.columns
                return reader.table(record.prices, shape, f"{at}.prices", of="columns")

            tree = reader.tree(file.tree, node, oracle.everything())
        bound = self.bound(instance, TreePrices(prices, tree))
        return Verdict(self.sense, file.bound, bound, is_sealed(file))


def checked(prices: np.ndarray, columns: int, slots: int | None = None) -> np.ndarray:
    """Prices, shape (S, columns), that prove something; raises ValueError if these do not.

    ``slots``: what S has to be; any number will do if it is None.
    """
    rows = len(prices) if slots is None else slots
    if prices.shape != (rows, columns):
        raise ValueError(f"prices have shape {prices.shape}, not {(rows, columns)}")
    if not (np.isfinite(prices) & (prices >= 0.0)).all():
        raise ValueError("a price is negative or not finite")
    if (prices > MOST_PRICE).any():  # with larger ones, what a job pays could overflow
        raise ValueError(f"a price is above {MOST_PRICE:g}")
    return np.asarray(prices, dtype=float)


def rounded(prices: np.ndarray) -> np.ndarray:
    """Prices with few digits, none below 0: a shorter file."""
    short = np.maximum(prices, 0.0)
    for r, largest in enumerate(short.max(axis=0, initial=0.0)):  # resources have own units
        if largest > 0.0:
            decimals = min(_DIGITS - 1 - math.floor(math.log10(largest)), 300)
            short[:, r] = np.round(short[:, r], decimals)
    return short
