"""Compiled kernels of the workers' queues: rolled forward event by event, priced by (5)."""

from __future__ import annotations

from numba import njit

__all__ = ["least_slack", "prices", "roll"]


@njit(cache=True)
def roll(ready, left, count, start, stop):  # type: ignore[no-untyped-def]
    """Run one worker's queue preemptively from slot ``start`` to ``stop``; ``left`` is changed.

    In every slot, the first entry runs whose data is there and that is not done. Between two events
    (an entry is done, or data arrives) nothing changes, so the running time grows with the number
    of events, not of slots.

    Parameters
    ----------
    ready : ndarray of int64, shape (K,)
        Slot from which each entry's data is there, in order of priority.
    left : ndarray of int64, shape (K,)
        Slots of work left at ``start``; changed to those left at ``stop``.
    count : int
        Entries in the queue.
    start, stop : int

    Returns
    -------
    bool
        Whether an entry is done that was not before.
    """
    slot = start
    some_done = False
    while slot < stop:
        pick = -1
        limit = stop
        for k in range(count):
            if left[k] == 0:
                continue
            if ready[k] <= slot:
                pick = k
                break
            if ready[k] < limit:
                limit = ready[k]
        if pick >= 0:
            ran = min(left[pick], limit - slot)
            left[pick] -= ran
            slot += ran
            some_done |= left[pick] == 0
        else:
            slot = limit
    return some_done


@njit(cache=True)
def prices(  # type: ignore[no-untyped-def]
    workers, now, delay, gamma, processing, chunks, queue, counts, since, out
):
    """``Q_jdsw`` of (5) for a job's first chunk on each of some workers.

    A further chunk of the job on the same worker waits ``p`` longer and changes nothing else, so
    its price is ``p / D`` more.

    Parameters
    ----------
    workers : ndarray of int64, shape (N,)
        Candidates.
    now : int
        Slot in which the data is sent.
    delay : ndarray of int64, shape (N,)
        Upload delay to each of them; the queue is rolled forward to ``now + delay``.
    gamma : float
        The job's average processing rate.
    processing, chunks : int
        ``p`` and ``D``.
    queue : tuple of ndarray
        Per worker, for the chunks of one job each, in order of priority: gamma, ready, left of all,
        the work of a whole chunk, weight of each; shapes (W, K).
    counts, since : ndarray of int64, shape (W,)
        Entries of each queue, and the slot at which its ``left`` is exact.
    out : ndarray of float, shape (N,)
        The prices, without the wait from the job's arrival until now.
    """
    rates, ready, left, each, weight = queue
    for n in range(len(workers)):
        w = workers[n]
        count = counts[w]
        then = left[w, :count].copy()
        roll(ready[w], then, count, since[w], now + delay[n])
        wait = 0
        delayed = 0.0
        for k in range(count):
            if rates[w, k] >= gamma:
                wait += then[k]
            else:
                for _ in range(-(-then[k] // each[w, k])):
                    delayed += weight[w, k]  # one by one: round-off depends on it
        out[n] = (delay[n] + wait + processing) / chunks + processing * delayed


@njit(cache=True)
def least_slack(  # type: ignore[no-untyped-def]
    workers, delay, arrival, chunks, processing, first, slots, beta
):
    """Least ``(t - r)/D + p beta_w(t)`` over some workers and the slots from their upload on.

    ``beta`` is constant between its steps, so only the first slot and the steps matter.

    Parameters
    ----------
    workers, delay : ndarray of int64, shape (N,)
    arrival, chunks, processing : int
        r, D and p of the job.
    first : ndarray of int64, shape (W + 1,)
        Steps of worker w are ``first[w]`` to ``first[w + 1] - 1``.
    slots, beta : ndarray
        Slot of each step and beta from there on; 0 before a worker's first step.

    Returns
    -------
    float
    """
    least = 1e300
    for n in range(len(workers)):
        begin, end = first[workers[n]], first[workers[n] + 1]
        start = arrival + delay[n]
        k = begin + int((slots[begin:end] <= start).sum())
        level = beta[k - 1] if k > begin else 0.0
        least = min(least, delay[n] / chunks + processing * level)
        while k < end:
            least = min(least, (slots[k] - arrival) / chunks + processing * beta[k])
            k += 1
    return least
