"""Two programs are compared in pairs, one right after the other: what disturbs the machine disturbs both.

The order turns round with each pair (A B, B A, A B, ...), so that a drift favours neither. The ratio of a row is the
median of the pairs' ratios; its 95 % interval is Student's, of the mean of their logarithms.
"""

import math
import statistics

# Two-sided 95 % quantiles of Student's t, for 1, 2, 3, ... degrees of freedom.
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]
T95 += [2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086]


def t95(freedom):
    """Beyond the table a series in 1/freedom, good to three digits."""
    return T95[freedom - 1] if freedom <= len(T95) else 1.96 + 2.372 / freedom + 2.823 / freedom**2


def ratio_with_interval(ours, theirs):
    """Median of the ratios and their interval, from two lists of values that belong together in pairs."""
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    logs = [math.log(ratio) for ratio in ratios]
    middle = statistics.fmean(logs)
    half = t95(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return statistics.median(ratios), (math.exp(middle - half), math.exp(middle + half))


def in_turns(loads, rounds):
    """Runs every load once in each round, forwards and backwards in turns; `loads`: name to function."""
    results = {name: [] for name in loads}
    names = list(loads)
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            results[name].append(loads[name]())
    return results
