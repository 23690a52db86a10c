"""capture.py <tutorials> <out> [--only name,…]: launches kernels of Triton's tutorials and writes each launch down as a case."""

import argparse
import signal
import sys
import traceback
from pathlib import Path

import torch
from recorder import Recorder
from tutorials import CASES, load, pick_configs

SECONDS = 60


def timed_out(*_):
    raise TimeoutError(f"more than {SECONDS} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tutorials", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    sys.path.insert(0, str(options.tutorials / "gluon"))
    recorder = Recorder(options.out)
    recorder.install()
    pick_configs()
    modules = {}
    signal.signal(signal.SIGALRM, timed_out)
    for name, file, allowance, call in CASES:
        case = f"triton-{name}"
        if only and case not in only:
            continue
        signal.alarm(SECONDS)
        try:
            recorder.case = None
            if file not in modules:
                modules[file] = load(options.tutorials / file)
            torch.manual_seed(0)
            recorder.start(case, f"triton {file}", allowance)
            call(modules[file])
            torch.cuda.synchronize()
        except BaseException as error:  # noqa: BLE001
            if isinstance(error, KeyboardInterrupt):
                raise
            print(f"{case}: {type(error).__name__}: {str(error)[:600]}", flush=True)
            (options.out / f"{case}.error").write_text(traceback.format_exc())
        finally:
            signal.alarm(0)
    print(f"{len(recorder.written)} launches of Triton recorded", flush=True)


main()
