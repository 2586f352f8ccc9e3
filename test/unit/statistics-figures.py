#!/usr/bin/python3
"""What scipy says of the samples in test-statistics.c: prints statistics_figures.h. Not run by any test.

    python3 statistics-figures.py > statistics_figures.h      (Debian 12: python3-scipy 1.10.1)
"""
import numpy as np
import scipy
from scipy import stats

samples = np.array([12.1, 9.7, 15.3, 11.0, 10.4, 30.2, 8.8, 13.6, 10.9, 12.7, 11.8, 9.1])
a = np.array([14.2, 15.1, 13.7, 16.8, 15.9, 14.4, 17.3])
b = np.array([12.9, 13.1, 14.9, 12.2, 11.8, 13.5, 14.0, 10.7])
tied_a = np.array([1., 2, 2, 3, 5, 5])
tied_b = np.array([2., 3, 4, 5, 6, 6, 7])
many_a = np.floor(np.abs(np.sin(np.arange(1, 31))) * 40)
many_b = np.floor(np.abs(np.sin(np.arange(101, 136))) * 40) + 4
without = np.array([10.2, 11.1, 9.8, 10.5, 10.9, 10.0, 12.3, 10.4, 9.9, 11.5])
with_ = np.array([9.1, 10.4, 9.2, 9.0, 10.3, 9.3, 10.6, 9.9, 9.0, 10.1])


def figure(name, value):
    print(f"#define {name} {float(value):.15g}")


def array(name, values):
    print(f"static const double {name}[] = {{{', '.join(f'{v:g}' for v in values)}}};")


def exact_with_ties(x, y):
    def u(p, q, axis):
        return (np.expand_dims(p, -1) > np.expand_dims(q, -2)).sum((-1, -2)) + \
            0.5 * (np.expand_dims(p, -1) == np.expand_dims(q, -2)).sum((-1, -2))
    return stats.permutation_test((x, y), u, vectorized=True, permutation_type="independent", n_resamples=np.inf,
                                  alternative="two-sided", axis=-1).pvalue


def ratio(confidence):
    logs = np.log(with_ / without)
    return np.exp(stats.t.interval(confidence, len(logs) - 1, logs.mean(), stats.sem(logs)))


def boot(data, statistic, method):
    got = stats.bootstrap((data,), statistic, n_resamples=400000, batch=20000, method=method, confidence_level=0.95,
                          random_state=1, vectorized=True).confidence_interval
    return got.low, got.high


print("/* Made by `python3 statistics-figures.py > statistics_figures.h`, with scipy", scipy.__version__ + ". */")
print("#ifndef PK11CACHE_STATISTICS_FIGURES_H\n#define PK11CACHE_STATISTICS_FIGURES_H\n\n/* clang-format off */")
for name, values in (("samples", samples), ("rank_a", a), ("rank_b", b), ("tied_a", tied_a), ("tied_b", tied_b),
                     ("many_a", many_a), ("many_b", many_b), ("pairs_without", without), ("pairs_with", with_)):
    array(name, values)
for share in (0, 0.1, 0.25, 0.5, 0.9, 0.99, 1):
    figure(f"QUANTILE_{round(share * 100)}", np.quantile(samples, share))
figure("MEAN", samples.mean())
figure("DEVIATION", samples.std(ddof=1))
figure("MAD", stats.median_abs_deviation(samples, scale="normal"))
figure("NORMAL_BELOW_1_3", stats.norm.cdf(1.3))
figure("NORMAL_QUANTILE_001", stats.norm.ppf(0.001))
for degrees in (1, 2, 3, 9, 30):
    figure(f"STUDENT_BELOW_1_7_{degrees}", stats.t.cdf(1.7, degrees))
    figure(f"STUDENT_QUANTILE_975_{degrees}", stats.t.ppf(0.975, degrees))
figure("U", stats.mannwhitneyu(a, b).statistic)
figure("U_EXACT_P", stats.mannwhitneyu(a, b, method="exact").pvalue)
figure("U_NORMAL_P", stats.mannwhitneyu(a, b, method="asymptotic").pvalue)
figure("TIED_U", stats.mannwhitneyu(tied_a, tied_b).statistic)
figure("TIED_EXACT_P", exact_with_ties(tied_a, tied_b))
figure("TIED_NORMAL_P", stats.mannwhitneyu(tied_a, tied_b, method="asymptotic").pvalue)
figure("MANY_NORMAL_P", stats.mannwhitneyu(many_a, many_b, method="asymptotic").pvalue)
figure("SHIFT", np.median(b[None, :] - a[:, None]))
figure("RATIO", np.exp(np.log(with_ / without).mean()))
figure("RATIO_LOW_95", ratio(0.95)[0])
figure("RATIO_HIGH_95", ratio(0.95)[1])
figure("RATIO_LOW_99", ratio(0.99)[0])
figure("RATIO_HIGH_99", ratio(0.99)[1])
for name, method in (("PERCENTILE", "percentile"), ("BCA", "BCa")):
    for which, statistic in (("MEAN", np.mean), ("MEDIAN", np.median)):
        if (name, which) == ("BCA", "MEDIAN"):
            continue  # the jackknife of a median has two values: nothing to compare
        low, high = boot(samples, statistic, method)
        figure(f"{name}_{which}_LOW", low)
        figure(f"{name}_{which}_HIGH", high)
low, high = boot(np.log(with_ / without), np.mean, "BCa")
figure("RATIO_BCA_LOW", np.exp(low))
figure("RATIO_BCA_HIGH", np.exp(high))
print("/* clang-format on */\n\n#endif")
