"""What moves memory in PyTorch: each case by torch.compile, and eager where that is what there is.

    python3 torch_memory.py <case>...

For each line "<case> <seconds>" of its input a line {name: median microseconds, "skipped": {name: why}}; ends with its input. The L2 cache is
overwritten before each launch, which is timed alone between two events.
"""

import json
import statistics
import sys

from timing import flushed, scratch_of

# Overwrites before each launch keep the device busy while the host goes through PyTorch's layers.
FLUSHES = 2


def cases(torch):
    f = torch.nn.functional
    normal = lambda *shape, dtype=torch.bfloat16: torch.randn(*shape, device="cuda", dtype=dtype)
    big = lambda: normal(32768, 8192)
    square = lambda: normal(32768, 32768, dtype=torch.float32)

    def add_norm(x, r, w):
        s = x + r
        return s, f.rms_norm(s, (8192,), w, 1e-6)

    def add_layer_norm(x, r, w, b):
        s = x + r
        return s, f.layer_norm(s, (8192,), w, b, 1e-5)

    def halves(x, cos, sin):
        a, b = x.float().chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)

    def interleaved(x, cos, sin):
        a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2).to(x.dtype)

    def sample(x):
        return torch.multinomial(torch.softmax(x / 0.8, -1), 1)

    def sample_top(x):
        values, columns = torch.topk(x, 50, -1)
        shares = torch.softmax(values / 0.8, -1)
        before = shares.cumsum(-1) - shares
        chosen = torch.multinomial(shares.masked_fill(before >= 0.9, 0), 1)
        return columns.gather(-1, chosen)

    angles = lambda: normal(16384, 1, 64, dtype=torch.float32)
    heads = lambda: [normal(16384, 32, 128), angles(), angles()]
    vocabulary = lambda rows: normal(rows, 128256)
    return {
        "softmax": (lambda: [big()], lambda x: torch.softmax(x, -1), True),
        "softmax_long": (lambda: [vocabulary(4096)], lambda x: torch.softmax(x, -1), True),
        "log_softmax": (lambda: [big()], lambda x: torch.log_softmax(x, -1), True),
        "log_sum_exp": (lambda: [big()], lambda x: torch.logsumexp(x, -1), True),
        "rms_norm": (lambda: [big(), normal(8192)], lambda x, w: f.rms_norm(x, (8192,), w, 1e-6), True),
        "add_rms_norm": (lambda: [big(), big(), normal(8192)], add_norm, True),
        "layer_norm": (lambda: [big(), normal(8192), normal(8192)], lambda x, w, b: f.layer_norm(x, (8192,), w, b, 1e-5), True),
        "add_layer_norm": (lambda: [big(), big(), normal(8192), normal(8192)], add_layer_norm, True),
        "silu_mul": (lambda: [big(), big()], lambda a, b: f.silu(a) * b, True),
        "gelu_mul": (lambda: [big(), big()], lambda a, b: f.gelu(a, approximate="tanh") * b, True),
        "copy": (lambda: [square(), square()], lambda x, y: y.copy_(x), False),
        "add": (lambda: [square(), square(), square()], lambda a, b, c: torch.add(a, b, out=c), False),
        "transpose": (lambda: [big()], lambda x: x.t().contiguous(), True),
        "sum_rows": (lambda: [big()], lambda x: x.sum(-1), True),
        "sum_columns": (lambda: [big()], lambda x: x.sum(0), True),
        "cumsum": (lambda: [normal(4096, 8192)], lambda x: x.cumsum(-1), True),
        "cross_entropy": (
            lambda: [vocabulary(8192), torch.randint(0, 128256, (8192,), device="cuda")],
            lambda x, t: f.cross_entropy(x, t, reduction="none"),
            True,
        ),
        "argmax": (lambda: [vocabulary(64)], lambda x: x.argmax(-1), True),
        "top50": (lambda: [vocabulary(64)], lambda x: torch.topk(x, 50, -1), False),
        "top8": (lambda: [normal(32768, 256)], lambda x: torch.topk(x, 8, -1), True),
        "sample": (lambda: [vocabulary(64)], sample, True),
        "sample_top50": (lambda: [vocabulary(64)], sample_top, True),
        "histogram": (
            lambda: [torch.randint(0, 256, (2**26,), device="cuda", dtype=torch.int32)],
            lambda x: torch.bincount(x, minlength=256),
            False,
        ),
        "embedding": (
            lambda: [torch.randint(0, 131072, (16384,), device="cuda"), normal(131072, 4096)],
            lambda ids, table: f.embedding(ids, table),
            True,
        ),
        "rotary": (heads, halves, True),
        "rotary_interleaved": (heads, interleaved, True),
        "sort": (
            lambda: [torch.randint(-(2**31), 2**31 - 1, (2**26,), device="cuda", dtype=torch.int32)],
            lambda x: torch.sort(x),
            False,
        ),
    }


def ways_of(torch, fn, compiles):
    ways = {"torch eager": fn}
    if compiles:
        # A function of its own: PyTorch keeps what it compiles with the function.
        ways["torch.compile"] = torch.compile(lambda *args: fn(*args), dynamic=False)
    return ways


def main():
    try:
        import torch
    except ImportError as error:
        print(json.dumps({"problem": f"PyTorch does not load: {error}"}), flush=True)
        return
    if not torch.cuda.is_available():
        print(json.dumps({"problem": "PyTorch finds no GPU"}), flush=True)
        return
    torch.manual_seed(1)
    # What is compiled is kept by where the function stands, which all cases share.
    torch._dynamo.config.recompile_limit = 64
    known = cases(torch)
    scratch = scratch_of(torch)
    ways = {name: ways_of(torch, fn, compiles) for name, (_, fn, compiles) in known.items()}
    with torch.no_grad():
        # Compiled before anything is measured, each with inputs of its own.
        skipped = {}
        for case in sys.argv[1:]:
            args = known[case][0]()
            for name, way in ways[case].items():
                try:
                    way(*args)
                except Exception as error:  # Whatever stops one way must not stop the others.
                    skipped[f"{case}: {name}"] = f"{type(error).__name__}: {error}".split("\n")[0]
            del args
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        print(json.dumps({"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "skipped": skipped}), flush=True)
        for line in sys.stdin:
            case, seconds = line.split()
            args = known[case][0]()
            runs = {name: way for name, way in ways[case].items() if f"{case}: {name}" not in skipped}
            times = {
                name: statistics.median(flushed(torch, scratch, lambda way=way: way(*args), float(seconds) / max(1, len(runs)), FLUSHES, 9))
                for name, way in runs.items()
            }
            del args
            torch.cuda.empty_cache()
            print(json.dumps(times), flush=True)


main()
