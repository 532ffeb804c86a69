# SPDX-License-Identifier: Apache-2.0
"""Triton's autotuners where time means nothing."""
import weakref

import triton.testing
from triton.runtime import autotuner

_NEVER = float("inf")  # what an autotuner notes of a configuration that does not compile


def without_clock():
    """A benchmark runs once and all are equally fast; what they say is not kept on disk. REQUIRES: a child's process."""
    def do_bench(fn, *args, quantiles=None, **kwargs):
        fn()
        return 1.0 if quantiles is None or len(quantiles) == 1 else [1.0] * len(quantiles)

    def tune_without_disk(self, tuning_key, configs, bench_fn):
        bench_fn()
        return False

    triton.testing.do_bench = triton.testing.do_bench_cudagraph = do_bench
    autotuner.Autotuner.do_bench = lambda self, fn, *args, **kwargs: do_bench(fn, *args, **kwargs)
    autotuner.Autotuner.check_disk_cache = tune_without_disk


def in_turn():
    """For a new key an autotuner launches each configuration once, as always; at each launch after that it takes another one, instead
    of the fastest at all: any of them may be the fastest elsewhere, so each has to be right. REQUIRES: without_clock()."""
    bench, run = autotuner.Autotuner._bench, autotuner.Autotuner.run
    launches = weakref.WeakKeyDictionary()

    def bench_by_turn(self, *args, config, **meta):
        times = bench(self, *args, config=config, **meta)
        if times[0] == _NEVER:
            return times
        later = (self.configs.index(config) - launches.get(self, 0)) % len(self.configs)
        return [1.0 + later] * 3

    def run_and_turn(self, *args, **kwargs):
        result = run(self, *args, **kwargs)
        launches[self] = launches.get(self, 0) + 1
        working = [c for c in self.configs if getattr(self, "configs_timings", {}).get(c, [_NEVER])[0] != _NEVER]
        for key, config in self.cache.items():
            if config in working:
                self.cache[key] = working[(working.index(config) + 1) % len(working)]
        return result

    autotuner.Autotuner._bench = bench_by_turn
    autotuner.Autotuner.run = run_and_turn
