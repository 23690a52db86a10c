"""relu(x @ W.T + b) + r in PyTorch: torch.compile in two modes, and eager.

    python3 torch_fused.py [size]

Compiles and checks, prints a line of JSON {"torch": version, "gpu": name, "skipped": {name: why}}; then answers each line "<seconds>" of
its input with a line {name: median microseconds}, and ends with its input. The L2 cache is overwritten before each launch, which is
timed alone between two events.
"""

import json
import statistics
import sys

from timing import flushed, scratch_of

# So many overwrites before each launch keep the device busy while the host goes through PyTorch's layers.
FLUSHES = 4


def main():
    try:
        import torch
    except ImportError as error:
        print(json.dumps({"problem": f"PyTorch does not load: {error}"}), flush=True)
        return
    if not torch.cuda.is_available():
        print(json.dumps({"problem": "PyTorch finds no GPU"}), flush=True)
        return
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    torch.manual_seed(1)
    make = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.float16)
    x, w, b, r = make(size, size), make(size, size), make(size), make(size, size)

    expected = torch.relu(x.double() @ w.double().T + b.double()) + r.double() if size <= 8192 else None
    # Functions of their own: PyTorch keeps what it compiles with the function.
    ways = {
        "torch eager": lambda x, w, b, r: torch.relu(x @ w.T + b) + r,
        "torch.compile default": torch.compile(lambda x, w, b, r: torch.relu(x @ w.T + b) + r, dynamic=False),
        "torch.compile max-autotune": torch.compile(
            lambda x, w, b, r: torch.relu(x @ w.T + b) + r, mode="max-autotune-no-cudagraphs", dynamic=False
        ),
        "torch product": lambda x, w, b, r: x @ w.T,
    }
    runs, skipped = {}, {}
    with torch.no_grad():
        for name, way in ways.items():
            try:
                got = way(x, w, b, r)
                if expected is not None and name != "torch product":
                    error = ((got.double() - expected).norm() / expected.norm()).item()
                    if not error < 1e-3:
                        raise ArithmeticError(f"relative error {error}")
                runs[name] = way
            except Exception as error:  # Whatever stops one way must not stop the others.
                skipped[name] = f"{type(error).__name__}: {error}".split("\n")[0]
        torch.cuda.synchronize()
        expected = None
        scratch = scratch_of(torch)
        name = torch.cuda.get_device_name()
        print(json.dumps({"torch": torch.__version__, "gpu": name, "skipped": skipped}), flush=True)
        for line in sys.stdin:
            seconds = float(line) / max(1, len(runs))
            times = {
                name: statistics.median(flushed(torch, scratch, lambda way=way: way(x, w, b, r), seconds, FLUSHES))
                for name, way in runs.items()
            }
            print(json.dumps(times), flush=True)


main()
