"""What a call of the launcher for Python costs the host, beside torch.mm.

    npx warpsmith build bench/python-launcher/kernels.ts --out /tmp/built
    python3 bench/python-launcher/measure.py /tmp/built

Microseconds a call: the median of 15 times 500 calls, none of which waits for the GPU; results are compared with PyTorch's first. `moving`: each call has
other addresses than the one before, of four.
"""
import importlib.util
import json
import statistics
import sys
import time

import torch

spec = importlib.util.spec_from_file_location("kernels", f"{sys.argv[1]}/kernels.py")
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)

torch.manual_seed(1)
f16 = lambda *shape: torch.randn(shape, device="cuda", dtype=torch.float16)
f32 = lambda *shape: torch.randn(shape, device="cuda")
a, b, d = f16(128, 128), f16(128, 128), f16(128, 128)
x, y, weight, bias = f32(64, 256), f32(64, 256), f32(256), f32(256)
u, v = f32(1000), f32(1000)
several = [f16(128, 128) for _ in range(4)]
k = kernels.load()


def close(name, got, wanted, most):
    worst = (got.float() - wanted.float()).abs().max().item()
    assert worst <= most, f"{name}: off by {worst}"


k.gemm(a, b, d)
close("gemm", d, a.float() @ b.float(), 0.1)
k.norm(x=x, y=y, weight=weight, bias=bias)
close("norm", y, torch.nn.functional.layer_norm(x, (256,), weight, bias), 1e-4)
k.scale(u, v, 2.5)
close("scale", v, u * 2.5, 0)


def cost(call):
    samples = []
    for _ in range(16):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for i in range(500):
            call(i)
        samples.append((time.perf_counter() - begin) / 500 * 1e6)
    torch.cuda.synchronize()
    return round(statistics.median(samples[1:]), 2)


print(json.dumps({
    "device": torch.cuda.get_device_name(),
    "torch.mm": cost(lambda i: torch.mm(a, b, out=d)),
    "gemm": cost(lambda i: k.gemm(a, b, d)),
    "gemm, moving": cost(lambda i: k.gemm(several[i & 3], b, d)),
    "norm": cost(lambda i: k.norm(x, y, weight, bias)),
    "scale": cost(lambda i: k.scale(u, v, 2.5)),
    "scale, other numbers": cost(lambda i: k.scale(u, v, i)),
}))
for i, moved in enumerate(several):
    k.gemm(moved, b, d)
    close(f"moved {i}", d, moved.float() @ b.float(), 0.1)
