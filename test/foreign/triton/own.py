"""How the Triton kernels of this folder are launched: names, what may differ, and calls with small arguments."""

import torch
import triton

import products
import rows
from tutorials import APPROXIMATE, ATTENTION, FP8, TENSOR_CORE, TENSOR_CORE_F32, randn

TF32 = {
    "rtol": 1e-4, "atol": 1e-3,
    "because": "the order and the precision of sums within mma and wgmma are not specified (PTX ISA 9.7.14.5.14, 9.7.15.5.2), and of tf32 which bits below its own count (9.7.14.5.14)",
}  # yapf: disable
SPECIAL = {
    "rtol": 2e-5, "atol": 1e-5,
    "because": "ex2, lg2, sin, cos, rcp and sqrt with .approx and div.full have errors of up to some ulp (PTX ISA 9.7.3), and results are sums of them",
}  # yapf: disable

FUSED = {
    "rtol": 1e-6, "atol": 1e-6,
    "because": "mul and add without a rounding modifier may become one fma (PTX ISA 9.7.3.3, 9.7.3.5)",
}  # yapf: disable
FUSED_F16 = {**FUSED, "rtol": 1e-3, "atol": 1e-3, "because": FUSED["because"] + "; results are rounded to f16"}
FUSED_F64 = {**FUSED, "rtol": 1e-14, "atol": 1e-14}


def zeros(*shape, dtype=torch.float32):
    return torch.zeros(shape, device="cuda", dtype=dtype)


def whole(*shape, low=-2**31, high=2**31 - 1, dtype=torch.int32):
    return torch.randint(low, high, shape, device="cuda", dtype=torch.int64).to(dtype)


def i32(*shape):
    return zeros(*shape, dtype=torch.int32)


def product(left, right, total, precision="tf32", m=100, n=80, k=96, transposed=False, tiles=(64, 64, 32)):
    a, b = left(m, k), right(n, k).T if transposed else right(k, n)
    c = zeros(m, n, dtype=total)
    sums = {torch.int32: triton.language.int32}.get(total, triton.language.float32)
    grid = (triton.cdiv(m, tiles[0]), triton.cdiv(n, tiles[1]))
    products.matmul[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *tiles, sums, precision)


def halves(*shape):
    return randn(*shape, dtype=torch.float16)


def brains(*shape):
    return randn(*shape, dtype=torch.bfloat16)


def bytes8(*shape):
    return whole(*shape, low=-128, high=128, dtype=torch.int8)


def e4m3(*shape):
    return randn(*shape).to(torch.float8_e4m3fn)


def layer_norm(backward):
    x, w, b, y = randn(13, 300), randn(300), randn(300), zeros(13, 300)
    means, scales = zeros(13), zeros(13)
    rows.layer_norm[(13, )](x, w, b, y, means, scales, 300, BLOCK=512)
    if backward:
        rows.layer_norm_back[(4, )](randn(13, 300), x, w, means, scales, zeros(13, 300), zeros(4, 300), 300, 13, BLOCK=512)


def decode():
    q, k, v = halves(16, 64), halves(500, 64), halves(500, 64)
    parts, peaks, sums = zeros(4, 16, 64), zeros(4, 16), zeros(4, 16)
    products.decode[(4, )](q, k, v, parts, peaks, sums, 500, 0.18, SPLIT=128, BLOCK=64, HEADS=16, D=64)
    products.decode_join[(16, )](parts, peaks, sums, zeros(16, 64), PARTS=4, HEADS=16, D=64)


def described():
    from triton.tools.tensor_descriptor import TensorDescriptor
    a, b, c = halves(192, 128), halves(160, 128), zeros(192, 160, dtype=torch.float16)
    maps = [TensorDescriptor.from_tensor(t, block) for t, block in [(a, [64, 64]), (b, [32, 64]), (c, [64, 32])]]
    products.described[(3, 5)](*maps, 128, 64, 32, 64)


def described_here():
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    products.described_here[(3, )](randn(80, 96), zeros(80, 96), zeros(96), 80, 96, M=32, N=32)


def searches():
    table = whole(100).sort().values
    rows.searches[(4, )](whole(512), table, i32(512), i32(512), 100, BLOCK=128)


def embedding():
    args = whole(40, low=0, high=25), randn(25, 60), whole(40, 60, low=-1000, high=1000), zeros(40, 60), i32(25, 60)
    rows.embedding[(40, )](*args, 60, BLOCK=64)


# name, file, allowance, what to call
CASES = [
    ("reductions", "rows.py", None,
     lambda: rows.reductions[(4, )](whole(32, 100, low=-50, high=50), i32(32), i32(32), i32(32), 100, ROWS=8, BLOCK=128)),
    ("scans", "rows.py", None,
     lambda: rows.scans[(3, )](whole(768), whole(768, low=-3, high=4), i32(768), i32(768), i32(768), BLOCK=256)),
    ("sort", "rows.py", None, lambda: rows.sort_rows[(3, )](whole(768), i32(768), i32(768), BLOCK=256)),
    ("sort-floats", "rows.py", None, lambda: rows.sort_rows[(2, )](randn(1024), zeros(1024), zeros(1024), BLOCK=512)),
    ("top-k", "rows.py", None,
     lambda: rows.top_k[(5, )](whole(5, 200, low=-90, high=90), i32(5, 8), i32(5, 8), 200, K=8, BLOCK=256)),
    ("histogram", "rows.py", None, lambda: rows.histogram[(4, )](whole(2000), i32(64), 2000, BINS=64, BLOCK=512)),
    ("gather", "rows.py", None,
     lambda: rows.gather_rows[(1, )](whole(16, 64), whole(16, 64, low=0, high=64), i32(16, 64), ROWS=16, BLOCK=64)),
    ("layer-norm", "rows.py", APPROXIMATE, lambda: layer_norm(False)),
    ("layer-norm-back", "rows.py", SPECIAL, lambda: layer_norm(True)),
    ("rotary", "rows.py", FUSED_F16, lambda: rows.rotary[(7, )](halves(7, 6, 64), randn(7, 32), randn(7, 32), 6, HALF=32, HEADS=8)),
    ("random", "rows.py", APPROXIMATE, lambda: rows.random_numbers[(4, )](randn(1000), zeros(1000), i32(1000), 1000, 1234, 0.3, BLOCK=256)),
    ("normal", "rows.py", SPECIAL, lambda: rows.normal_numbers[(4, )](zeros(1024), 99, BLOCK=256)),
    ("swiglu", "rows.py", SPECIAL, lambda: rows.swiglu[(6, 2)](brains(6, 400), zeros(6, 200), 200, BLOCK=128)),
    ("quantise-rows", "rows.py", APPROXIMATE,
     lambda: rows.quantise_rows[(9, )](randn(9, 200), zeros(9, 200, dtype=torch.int8), zeros(9), 200, BLOCK=256)),
    ("embedding", "rows.py", None, embedding),
    ("cross-entropy", "rows.py", SPECIAL,
     lambda: rows.cross_entropy[(7, )](randn(7, 300), whole(7, low=0, high=300), zeros(7), zeros(7, 300), 300, BLOCK=128)),
    ("atomics", "rows.py", None, lambda: rows.atomics[(3, )](whole(384), i32(11), zeros(2, dtype=torch.int64), i32(2), BLOCK=128)),
    ("moments", "rows.py", SPECIAL, lambda: rows.moments[(4, )](randn(16, 100), zeros(16, 2), 100, ROWS=4, BLOCK=128)),
    ("shapes", "rows.py", None,
     lambda: rows.shapes[(1, )](whole(16, 64), i32(64, 16), i32(2048), i32(512), i32(1024), M=16, N=64)),
    ("searches", "rows.py", None, searches),
    ("inline-assembly", "rows.py", None, lambda: rows.inline_assembly[(1, )](whole(256), whole(256), i32(256), BLOCK=256)),
    ("doubles", "rows.py", FUSED_F64,
     lambda: rows.doubles[(4, )](randn(900, dtype=torch.float64), zeros(900, dtype=torch.float64), 900, BLOCK=256)),
    ("matmul-bf16", "products.py", TENSOR_CORE_F32, lambda: product(brains, brains, torch.float32)),
    ("matmul-f16-transposed", "products.py", TENSOR_CORE_F32, lambda: product(halves, halves, torch.float32, transposed=True, tiles=(64, 32, 32))),
    ("matmul-tf32", "products.py", TF32, lambda: product(randn, randn, torch.float32, "tf32")),
    ("matmul-tf32x3", "products.py", TENSOR_CORE_F32, lambda: product(randn, randn, torch.float32, "tf32x3", k=64)),
    ("matmul-ieee", "products.py", FUSED, lambda: product(randn, randn, torch.float32, "ieee", tiles=(32, 32, 32))),
    ("matmul-s8", "products.py", None, lambda: product(bytes8, bytes8, torch.int32, transposed=True)),
    ("matmul-e4m3", "products.py", FP8, lambda: product(e4m3, e4m3, torch.float32, transposed=True)),
    ("matmul-small", "products.py", TENSOR_CORE_F32, lambda: product(halves, halves, torch.float32, m=16, n=16, k=48, tiles=(16, 16, 16))),
    ("batched", "products.py", TENSOR_CORE,
     lambda: products.batched[(2, 2, 3)](halves(3, 128, 96), halves(3, 96, 64), randn(64), zeros(3, 128, 64, dtype=torch.float16), 128, 64, 96,
                                        M=64, N=32, K=32)),
    ("convolution", "products.py", TENSOR_CORE,
     lambda: products.convolution[(3, 2)](halves(11 * 15, 32), halves(9 * 32, 64), zeros(11 * 15, 64, dtype=torch.float16), 32, 11, 15, 64,
                                         SIZE=3, P=64, F=32, C=32)),
    ("decode", "products.py", ATTENTION, decode),
    ("dequantised", "products.py", TENSOR_CORE_F32,
     lambda: products.dequantised[(2, )](halves(64, 128), whole(64, 64, low=0, high=256, dtype=torch.uint8), randn(64), zeros(64, 64), 64, 128,
                                        M=64, N=32, K=64)),
    ("described", "products.py", TENSOR_CORE, described),
    ("described-here", "products.py", FUSED, described_here),
    ("persistent", "products.py", TENSOR_CORE_F32,
     lambda: products.persistent[(3, )](halves(192, 64), halves(64, 128), zeros(192, 128), 192, 128, 64, M=64, N=64, K=32, PROGRAMS=3)),
    ("chained", "products.py", TENSOR_CORE, lambda: products.chained[(1, )](halves(64, 64), halves(64, 64), halves(64, 64), zeros(64, 64), M=64, N=64)),
]
