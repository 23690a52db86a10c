"""Attention in PyTorch: scaled_dot_product_attention by cuDNN, and FlexAttention where scores have a bias.

Prints a line of JSON {"torch": version, "cudnn": version, "gpu": name}; then answers each line {"batches", "heads", "kvHeads", "length", "d", "dtype", "causal", "score", "seconds"},
with "queries" where there are others than keys, of its input with {"us": {name: median microseconds}, "skipped": {name: why}}, and ends with its input. The L2 cache is overwritten before each launch, which is timed alone between
two events. Checked against PyTorch's own formula in f32, of the first head.
"""

import json
import statistics
import sys

from timing import flushed, scratch_of


def ways_of(torch, asked):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    batches, heads, kv_heads, length, d = [asked[name] for name in ("batches", "heads", "kvHeads", "length", "d")]
    dtype = torch.float16 if asked["dtype"] == "f16" else torch.bfloat16
    make = lambda count, rows: torch.randn(batches, count, rows, d, device="cuda", dtype=dtype)
    q, k, v = make(heads, asked.get("queries", length)), make(kv_heads, length), make(kv_heads, length)
    causal, shared = bool(asked["causal"]), heads != kv_heads
    attend = torch.nn.functional.scaled_dot_product_attention
    first = [x[:, :1].float() for x in (q, k, v)]
    if asked["score"]:
        from torch.nn.attention.flex_attention import flex_attention

        def bias(score, b, h, q_idx, kv_idx):
            return score - (h + 1) * (q_idx - kv_idx) / 65536

        compiled = torch.compile(flex_attention, dynamic=False)
        distance = torch.arange(length, device="cuda")[:, None] - torch.arange(length, device="cuda")[None, :]
        expected = attend(*first, attn_mask=-distance.float() / 65536)
        return {"FlexAttention": lambda: compiled(q, k, v, score_mod=bias, enable_gqa=shared)}, expected

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return attend(q, k, v, is_causal=causal, enable_gqa=shared)

    with sdpa_kernel(SDPBackend.MATH):
        expected = attend(*first, is_causal=causal)
    return {"cuDNN": cudnn}, expected


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
    scratch = scratch_of(torch)
    versions = {"torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}
    print(json.dumps({**versions, "gpu": torch.cuda.get_device_name()}), flush=True)
    held, ready, skipped = None, {}, {}
    for line in sys.stdin:
        asked = json.loads(line)
        key = json.dumps({name: value for name, value in asked.items() if name != "seconds"})
        if key != held:
            held, ready, skipped = key, {}, {}
            torch.cuda.empty_cache()
            try:
                ways, expected = ways_of(torch, asked)
            except Exception as error:  # Whatever stops one case must not stop the others.
                ways, expected, skipped = {}, None, {"all": f"{type(error).__name__}: {error}"[:300]}
            for name, way in ways.items():
                try:
                    if not torch.allclose(way()[:, :1].float(), expected, rtol=1e-2, atol=1e-2):
                        raise ArithmeticError("another result")
                    ready[name] = way
                except Exception as error:
                    skipped[name] = f"{type(error).__name__}: {error}"[:300]
            ways = expected = None
        us = {name: statistics.median(flushed(torch, scratch, way, asked["seconds"])) for name, way in ready.items()}
        print(json.dumps({"us": us, "skipped": skipped}), flush=True)


main()
