"""capture.py <tutorials> <out> <case>: launches kernels of one of Triton's tutorials and writes each launch down as a case.

capture.py --list gives the names of the cases, a line each. One case a process: a kernel that fails takes its process with it.
"""

import sys
from pathlib import Path


def main():
    if sys.argv[1:] == ["--list"]:
        from tutorials import CASES
        print("\n".join(name for name, *_ in CASES))
        return
    tutorials, out, wanted = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    import torch
    from recorder import Recorder
    from tutorials import CASES, load, pick_configs
    sys.path.insert(0, str(tutorials / "gluon"))
    recorder = Recorder(out)
    recorder.install()
    pick_configs()
    for name, file, allowance, call in CASES:
        if name == wanted:
            module = load(tutorials / file)
            torch.manual_seed(0)
            recorder.start(f"triton-{name}", f"triton {file}", allowance)
            call(module)
            torch.cuda.synchronize()


main()
