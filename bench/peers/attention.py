"""Attention in PyTorch: scaled_dot_product_attention by cuDNN, and FlexAttention where scores have a bias or there is a mask.

Prints a line of JSON {"torch": version, "cudnn": version, "gpu": name}; then answers each line {"batches", "heads", "kvHeads", "length", "d", "dtype", "causal", "score", "seconds"}, with "mask" where there is one, "documents" with the mask of that name,
and with "queries" where there are others than keys, of its input with {"us": {name: median microseconds}, "skipped": {name: why}}, and ends with its input. The L2 cache is overwritten before each launch, which is timed alone between
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
    if asked["score"] or asked.get("mask"):
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention

        place = torch.arange(length, device="cuda")
        query, key = place[:, None], place[None, :]
        seen, told = None, None
        if asked.get("mask") == "documents":
            documents = torch.tensor(asked["documents"], device="cuda")
            seen, told = (query >= key) & (documents[:, None] == documents[None, :]), lambda b, h, q, k: (q >= k) & (documents[q] == documents[k])
        elif asked.get("mask") == "prefix":
            prompt = length // 4
            seen, told = (query >= key) | (key < prompt), lambda b, h, q, k: (q >= k) | (k < prompt)
        elif causal or asked.get("mask") == "causal":
            seen, told = query >= key, lambda b, h, q, k: q >= k

        def bias(score, b, h, q_idx, kv_idx):
            return score - (h + 1) / 65536 * (q_idx - kv_idx)

        compiled = torch.compile(flex_attention, dynamic=False)
        blocks = None if told is None else create_block_mask(told, None, None, length, length, device="cuda")
        added = (key - query).float() / 65536 if asked["score"] else torch.zeros(length, length, device="cuda")
        expected = attend(*first, attn_mask=added if seen is None else added.masked_fill(~seen, float("-inf")))
        options = {"score_mod": bias if asked["score"] else None, "block_mask": blocks, "enable_gqa": shared}
        return {"FlexAttention": lambda: compiled(q, k, v, **options)}, expected

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
