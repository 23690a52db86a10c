"""Attention in PyTorch: scaled_dot_product_attention by cuDNN, and FlexAttention where scores have a bias or there is a mask.

Prints a line of JSON {"torch": version, "cudnn": version, "gpu": name}; then answers each line {"batches", "heads", "kvHeads", "length", "d", "dtype", "causal", "score", "seconds"}, with "mask" where there is one, "documents" with the mask of that name,
"begins" where its documents are a packed batch (where each begins, and the end of the last), and with "queries" where there are others than keys, of its input with {"us": {name: median microseconds}, "skipped": {name: why}}, and ends with its input. The L2 cache is overwritten before each launch, which is timed alone between
two events. Checked against PyTorch's own formula in f32, of the first head.
"""

import json
import signal
import statistics
import sys

from timing import flushed, scratch_of

# Seconds that a way may take to compile and to give its first result.
PATIENCE = 25


def first_head(found):
    return found[:, :1]


def packed_ways(torch, asked, q, k, v):
    """Ways to compute causal sequences that lie one behind the other: filled up to the longest by cuDNN, and as a nested tensor; and how the first head of all tokens is read from each result."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    begins = asked["begins"]
    spans = list(zip(begins[:-1], begins[1:]))
    longest = max(end - begin for begin, end in spans)
    attend = torch.nn.functional.scaled_dot_product_attention

    def filled(x):
        all_of = x.new_zeros(len(spans), x.shape[1], longest, x.shape[3])
        for i, (begin, end) in enumerate(spans):
            all_of[i, :, : end - begin] = x[0, :, begin:end]
        return all_of

    padded = [filled(x) for x in (q, k, v)]
    offsets = torch.tensor(begins, device="cuda")
    nest = lambda x: torch.nested.nested_tensor_from_jagged(x[0].transpose(0, 1).contiguous(), offsets, min_seqlen=min(end - begin for begin, end in spans), max_seqlen=longest).transpose(1, 2)
    nested = [nest(x) for x in (q, k, v)]

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return attend(*padded, is_causal=True)

    return {
        "cuDNN, filled up": (cudnn, lambda found: torch.cat([found[i, :1, : end - begin] for i, (begin, end) in enumerate(spans)], 1)[None]),
        "nested tensor": (lambda: attend(*nested, is_causal=True), lambda found: found.transpose(1, 2).values()[:, :1].transpose(0, 1)[None]),
    }


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
        flex = {"FlexAttention": (lambda: compiled(q, k, v, **options), first_head)}
        return {**(packed_ways(torch, asked, q, k, v) if "begins" in asked else {}), **flex}, expected

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return attend(q, k, v, is_causal=causal, enable_gqa=shared)

    with sdpa_kernel(SDPBackend.MATH):
        expected = attend(*first, is_causal=causal)
    return {"cuDNN": (cudnn, first_head)}, expected


def too_long(*_):
    raise TimeoutError(f"no result in {PATIENCE} seconds")


def main():
    signal.signal(signal.SIGALRM, too_long)
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
            for name, (way, first_of) in ways.items():
                try:
                    signal.alarm(PATIENCE)
                    if not torch.allclose(first_of(way()).float(), expected, rtol=1e-2, atol=1e-2):
                        raise ArithmeticError("another result")
                    ready[name] = way
                except Exception as error:
                    skipped[name] = f"{type(error).__name__}: {error}"[:300]
                finally:
                    signal.alarm(0)
            ways = expected = way = None
        us = {name: statistics.median(flushed(torch, scratch, way, asked["seconds"])) for name, way in ready.items()}
        print(json.dumps({"us": us, "skipped": skipped}), flush=True)


main()
