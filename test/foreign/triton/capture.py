"""capture.py <out> <case> [<tutorials>]: launches Triton kernels and writes each launch down as a case.

Without a folder the kernels are those of this folder, else those of Triton's tutorials in it. capture.py --list own, or --list
tutorials, gives the names of the cases, a line each. One case a process: a kernel that fails takes its process with it.
"""

import sys
from pathlib import Path


def main():
    if sys.argv[1] == "--list":
        if sys.argv[2] == "own":
            from own import CASES
        else:
            from tutorials import CASES
        print("\n".join(name for name, *_ in CASES))
        return
    out, wanted, folder = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    import torch
    from recorder import Recorder
    from tutorials import CASES, load, pick_configs
    if folder:
        tutorials = Path(folder[0])
        sys.path.insert(0, str(tutorials / "gluon"))
    else:
        from own import CASES
    recorder = Recorder(out)
    recorder.install()
    pick_configs()
    for name, file, allowance, call in CASES:
        if name != wanted:
            continue
        module = load(tutorials / file) if folder else None
        torch.manual_seed(0)
        recorder.start(f"triton-{name}", f"triton {file}" if folder else f"triton/{file}", allowance)
        call(module) if folder else call()
        torch.cuda.synchronize()


main()
