"""Kernels of Gluon's tutorials, for bench/gluon.ts: copies and sums of large f32 matrices, and f16 products; and PyTorch's
attention by cuDNN.

    python3 gluon.py <triton>/python/tutorials/gluon

Prints a line of JSON {"triton": version, "gpu": name}; then answers each line {"case": "copy" | "add" | "matmul" | "attention", "shape": [...], "seconds": s} of its input
with a line {"us": {name: median microseconds}, "skipped": {name: why}}, and ends with its input. Results are checked when a case comes first. The L2 cache is
overwritten before each launch, which is timed alone between two events.
"""

import gc
import importlib
import json
import statistics
import sys

from timing import flushed, scratch_of


def matrices(torch, count, rows, columns, dtype):
    return [torch.randn(rows, columns, device="cuda", dtype=dtype) for _ in range(count)]


def copy_ways(torch, shape):
    t4 = importlib.import_module("04-tma")
    x, y = matrices(torch, 2, *shape, torch.float32)
    flat, out = x.view(-1), y.view(-1)
    ways = {f"memcpy TMA {n}": (lambda n=n: t4.memcpy_1d_tma(flat, out, n)) for n in (4096, 8192, 16384)}
    ways["torch copy_"] = lambda: y.copy_(x)
    return ways, lambda: torch.equal(x, y), lambda: y.zero_()


def add_ways(torch, shape):
    t4 = importlib.import_module("04-tma")
    a, b, c = matrices(torch, 3, *shape, torch.float32)
    add = getattr(t4, "elementwise_add_tma")
    sizes = [(32, 64, 2), (64, 128, 3)]
    ways = {f"add TMA {x}x{y}x{n}": (lambda x=x, y=y, n=n: add(a, b, c, x, y, n)) for x, y, n in sizes}
    ways["torch add"] = lambda: torch.add(a, b, out=c)
    rows = range(0, shape[0], 4096)

    def same():
        return all(torch.equal(a[i : i + 4096] + b[i : i + 4096], c[i : i + 4096]) for i in rows)

    return ways, same, lambda: c.zero_()


def attention_ways(torch, shape):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    heads, length, d, causal = shape
    q, k, v = [torch.randn(1, heads, length, d, device="cuda", dtype=torch.float16) for _ in range(3)]
    attend = torch.nn.functional.scaled_dot_product_attention
    result = [None]

    def by(backend):
        def run():
            with sdpa_kernel(backend):
                result[0] = attend(q, k, v, is_causal=bool(causal))

        return run

    ways = {"torch cuDNN": by(SDPBackend.CUDNN_ATTENTION), "torch flash": by(SDPBackend.FLASH_ATTENTION)}
    with sdpa_kernel(SDPBackend.MATH):
        expected = attend(q[:, :1].float(), k[:, :1].float(), v[:, :1].float(), is_causal=bool(causal))
    return ways, lambda: torch.allclose(result[0][:, :1].float(), expected, rtol=1e-2, atol=1e-2), lambda: None


def matmul_ways(torch, shape):
    t5, t7 = importlib.import_module("05-wgmma"), importlib.import_module("07-persistence")
    m, n, k = shape
    torch.manual_seed(1)
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(k, n, device="cuda", dtype=torch.float16)
    c = torch.empty(m, n, device="cuda", dtype=torch.float16)
    ways = {
        "blocked": lambda: t5.blocked_matmul(a, b, c, 64, 256, 128, False, 4),
        "pipelined": lambda: t7.matmul_pipelined(a, b, c, 128, 256, 64, 3, 8),
        "persistent": lambda: t7.persistent_matmul(a, b, c, 128, 256, 64, 3, 8, t7.PersistentTileScheduler),
        "persistent pipelined": lambda: t7.persistent_matmul_pipelined(a, b, c, 128, 256, 64, 3, 8, t7.PersistentTileScheduler),
    }
    expected = a @ b

    def same():
        return torch.allclose(c.float(), expected.float(), rtol=1e-2, atol=0.2)

    return ways, same, lambda: c.zero_()


CASES = {"copy": copy_ways, "add": add_ways, "matmul": matmul_ways, "attention": attention_ways}


def main():
    try:
        import torch
        import triton
    except ImportError as error:
        print(json.dumps({"problem": f"PyTorch or Triton does not load: {error}"}), flush=True)
        return
    if not torch.cuda.is_available():
        print(json.dumps({"problem": "PyTorch finds no GPU"}), flush=True)
        return
    sys.path.insert(0, sys.argv[1])
    sys.argv = sys.argv[:1]
    scratch = scratch_of(torch)
    print(json.dumps({"triton": triton.__version__, "gpu": torch.cuda.get_device_name()}), flush=True)
    held, ways, skipped = None, {}, {}
    for line in sys.stdin:
        asked = json.loads(line)
        key = (asked["case"], tuple(asked["shape"]))
        if key != held:
            ways, same, clear = {}, None, None
            gc.collect()
            torch.cuda.empty_cache()
            held, skipped = key, {}
            try:
                made, same, clear = CASES[asked["case"]](torch, asked["shape"])
            except Exception as error:  # Whatever stops one case must not stop the others.
                made, skipped = {}, {"all": f"{type(error).__name__}: {error}"[:300]}
            for name, way in made.items():
                try:
                    clear()
                    way()
                    torch.cuda.synchronize()
                    if not same():
                        raise ArithmeticError("another result")
                    ways[name] = way
                except Exception as error:
                    skipped[name] = f"{type(error).__name__}: {error}"[:300]
            made = None
        seconds = asked["seconds"] / max(1, len(ways))
        us = {name: statistics.median(flushed(torch, scratch, way, seconds)) for name, way in ways.items()}
        print(json.dumps({"us": us, "skipped": skipped}), flush=True)


main()
