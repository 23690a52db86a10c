"""Which kernels of Triton's tutorials are launched, with small arguments. The tutorials themselves are read from a checkout."""

import ast
import importlib.util
import sys
from pathlib import Path

import torch
import triton

TENSOR_CORE = {
    "rtol": 2e-3, "atol": 2e-3,
    "because": "the order and the precision of sums within mma and wgmma are not specified (PTX ISA 9.7.14.5.14, 9.7.15.5.2); results are rounded to f16",
}  # yapf: disable
TENSOR_CORE_F32 = {
    "rtol": 1e-4, "atol": 2e-4,
    "because": "the order and the precision of sums within wgmma are not specified (PTX ISA 9.7.15.5.2)",
}  # yapf: disable
FP8 = {
    "rtol": 5e-3, "atol": 5e-2,
    "because": "wgmma adds products of fp8 with fewer bits than f32 (PTX ISA 9.7.15.5.2 leaves the precision open)",
}  # yapf: disable
ATTENTION = {
    "rtol": 4e-3, "atol": 4e-3,
    "because": "ex2.approx and the sums within wgmma are not specified to the last bit (PTX ISA 9.7.3, 9.7.15.5.2); probabilities are rounded to f16 between two products",
}  # yapf: disable
ATTENTION_FP8 = {
    "rtol": 0.26, "atol": 0.05,
    "because": "sums of wgmma have no specified precision (PTX ISA 9.7.15.5.2); probabilities between two products and the results are rounded to e5m2, whose neighbours are a quarter apart",
}  # yapf: disable
APPROXIMATE = {
    "rtol": 4e-6, "atol": 1e-6,
    "because": "ex2, rcp, rsqrt and sqrt with .approx and div.full have errors of up to 2 ulp (PTX ISA 9.7.3)",
}  # yapf: disable
APPROXIMATE_F16 = {"rtol": 2e-3, "atol": 2e-3, "because": "sqrt.approx and div.full have errors of up to 2 ulp; results are rounded to f16"}


def load(path):
    """The definitions of a tutorial: what it runs, prints and measures when it is imported is left out."""
    name = "tutorial_" + path.stem.replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    tree = ast.parse(path.read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if runs(node, functions):
            continue
        try:
            exec(compile(ast.Module([node], []), str(path), "exec"), module.__dict__)
        except Exception as error:  # noqa: BLE001
            print(f"{path.name}:{node.lineno}: skipped, {type(error).__name__}: {error}", flush=True)
    return module


def runs(node, functions):
    """Whether a statement is more than a definition: a call for its effect, or a result of one of the tutorial's own functions."""
    if isinstance(node, ast.Expr):
        return True
    if isinstance(node, (ast.For, ast.Assert, ast.With)):
        return True
    parts = node.body if isinstance(node, ast.If) else [node] if isinstance(node, ast.Assign) else []
    calls = [c.func for part in parts for c in ast.walk(part) if isinstance(c, ast.Call)]
    return any(isinstance(f, ast.Name) and f.id in functions and not f.id.startswith(("is_", "supports_")) for f in calls) or any(
        isinstance(f, ast.Subscript) for f in calls)


def randn(*shape, dtype=torch.float32):
    return torch.randn(shape, device="cuda").to(dtype)


def pick_configs():
    """Autotuned kernels take the smallest tile they offer, without measuring."""
    from triton.runtime.autotuner import Autotuner
    original = Autotuner.run

    def size(config):
        blocks = [n for name, n in config.kwargs.items() if name.startswith(("BLOCK", "XBLOCK")) and isinstance(n, int)]
        tile = 1
        for n in blocks:
            tile *= n
        return (tile, abs(config.num_stages - 3), config.num_warps)

    def run(self, *args, **kwargs):
        if len(self.configs) > 1:
            self.nargs = dict(zip(self.arg_names, args))
            self.configs = [min(self.prune_configs(kwargs), key=size)]
        return original(self, *args, **kwargs)

    Autotuner.run = run


def grouped(module, transposed):
    # Without tensor maps the tutorial's kernel takes whole tiles alone.
    shapes = [(96, 64, 128), (64, 128, 64), (130, 72, 96)] if transposed else [(128, 128, 128), (256, 128, 64), (128, 384, 192)]
    a = [randn(m, k, dtype=torch.float16) for m, _, k in shapes]
    b = [randn(*((n, k) if transposed else (k, n)), dtype=torch.float16) for _, n, k in shapes]
    (module.group_gemm_tma_fn if transposed else module.group_gemm_fn)(a, b)


def layer_norm(module, backward):
    x = randn(33, 500, dtype=torch.float16).requires_grad_(backward)
    w, b = (randn(500, dtype=torch.float16).requires_grad_(backward) for _ in range(2))
    y = module.layer_norm(x, (500, ), w, b, 1e-5)
    if backward:
        y.backward(randn(33, 500, dtype=torch.float16), retain_graph=True)


def attention(module, causal, backward=False, dtype=torch.float16, warp_specialize=False):
    q, k, v = (randn(1, 2, 256, 64, dtype=torch.float16) for _ in range(3))
    if dtype is not torch.float16:
        q, k, v = q.to(dtype), k.to(dtype), v.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2).to(dtype)
    if backward:
        q, k, v = (t.requires_grad_(True) for t in (q, k, v))
    o = module.attention(q, k, v, causal, 0.5, warp_specialize)
    if backward:
        o.backward(randn(1, 2, 256, 64, dtype=torch.float16))


def asin(module):
    x = torch.rand(1000, device="cuda")
    module.asin_kernel[(1, )](x, torch.zeros_like(x), 1000, BLOCK_SIZE=1024)


def square(module, name, transposed, *rest, m=256, n=192, k=128):
    a, b = randn(m, k, dtype=torch.float16), randn(*((n, k) if transposed else (k, n)), dtype=torch.float16)
    getattr(module, name)(a, b, *rest)


def gluon_2d(module, transposed):
    from triton.experimental.gluon import language as gl
    x, y = randn(100, 200), torch.empty(100, 200, device="cuda")
    x, y = (x.T, y.T) if transposed else (x, y)
    module.memcpy_2d_impl(x, y, 32, 64, gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0]), num_warps=4)


def gluon_1d(module):
    from triton.experimental.gluon import language as gl
    x = randn(1000)
    module.memcpy_1d_impl(x, torch.empty_like(x), 256, gl.BlockedLayout([1], [32], [4], [0]), num_warps=4)


def gluon_layout(module):
    from triton.experimental.gluon import language as gl
    return gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=1, order=[1, 0])


def elementwise(function, *rest, x=200, y=120):
    a, b = randn(x, y), randn(x, y)
    function(a, b, torch.empty_like(a), *rest)


def product(function, *rest, m=208, n=416, k=304, transposed=False, c_dtype=torch.float16):
    a, b = randn(m, k, dtype=torch.float16), randn(*((n, k) if transposed else (k, n)), dtype=torch.float16)
    function(a, b, torch.empty((m, n), device="cuda", dtype=c_dtype), *rest)


def small_product(module, in_registers, shape_n, warps):
    a, b, c = randn(64, 128, dtype=torch.float16), randn(128, 256, dtype=torch.float16), randn(64, 256)
    module.small_mma(a, b, c, torch.empty_like(c), shape_n, in_registers, warps)


# name, file, allowance, what to call
CASES = [
    ("01-vector-add", "01-vector-add.py", None, lambda t: t.add(randn(3000), randn(3000))),
    ("02-softmax", "02-fused-softmax.py", APPROXIMATE, lambda t: t.softmax(randn(67, 781))),
    ("03-matmul", "03-matrix-multiplication.py", TENSOR_CORE, lambda t: square(t, "matmul", False)),
    ("03-matmul-relu", "03-matrix-multiplication.py", TENSOR_CORE, lambda t: square(t, "matmul", False, "leaky_relu", m=200, n=120, k=72)),
    ("03-matmul-fp8", "03-matrix-multiplication.py", FP8,
     lambda t: t.matmul(randn(128, 128).to(torch.float8_e5m2), randn(96, 128).to(torch.float8_e5m2).T)),
    ("04-dropout", "04-low-memory-dropout.py", APPROXIMATE, lambda t: t.dropout(randn(1000), (torch.rand(1000, device="cuda") > 0.4).to(torch.int32), 0.4)),
    ("04-seeded-dropout", "04-low-memory-dropout.py", APPROXIMATE, lambda t: t.seeded_dropout(randn(1000), 0.5, 512)),
    ("05-layer-norm", "05-layer-norm.py", APPROXIMATE_F16, lambda t: layer_norm(t, False)),
    ("05-layer-norm-bwd", "05-layer-norm.py", APPROXIMATE_F16, lambda t: layer_norm(t, True)),
    ("06-attention", "06-fused-attention.py", ATTENTION, lambda t: attention(t, False)),
    ("06-attention-causal-bwd", "06-fused-attention.py", ATTENTION, lambda t: attention(t, True, backward=True)),
    ("06-attention-fp8", "06-fused-attention.py", ATTENTION_FP8, lambda t: attention(t, False, dtype=torch.float8_e5m2)),
    ("06-attention-ws", "06-fused-attention.py", ATTENTION, lambda t: attention(t, True, warp_specialize=True)),
    ("07-asin", "07-extern-functions.py", APPROXIMATE, asin),
    ("08-grouped-gemm", "08-grouped-gemm.py", TENSOR_CORE, lambda t: grouped(t, False)),
    ("08-grouped-gemm-tma", "08-grouped-gemm.py", TENSOR_CORE, lambda t: grouped(t, True)),
    ("09-matmul", "09-persistent-matmul.py", TENSOR_CORE, lambda t: square(t, "matmul", False)),
    ("09-tma", "09-persistent-matmul.py", TENSOR_CORE, lambda t: square(t, "matmul_tma", True, False)),
    ("09-tma-ws", "09-persistent-matmul.py", TENSOR_CORE, lambda t: square(t, "matmul_tma", True, True)),
    ("09-persistent", "09-persistent-matmul.py", TENSOR_CORE, lambda t: square(t, "matmul_persistent", False)),
    ("09-tma-persistent", "09-persistent-matmul.py", TENSOR_CORE, lambda t: square(t, "matmul_tma_persistent", True, False)),
    ("09-tma-persistent-ws", "09-persistent-matmul.py", TENSOR_CORE, lambda t: square(t, "matmul_tma_persistent", True, True)),
    ("09-descriptor-persistent", "09-persistent-matmul.py", TENSOR_CORE, lambda t: square(t, "matmul_descriptor_persistent", True, False)),
    ("11-dependent-launch", "11-programmatic-dependent-launch.py", None, lambda t: t.add(randn(3000), randn(3000), True)),
    ("gluon-01-scalar", "gluon/01-intro.py", None, lambda t: t.copy_scalar(randn(1), torch.empty(1, device="cuda"))),
    ("gluon-01-memcpy", "gluon/01-intro.py", None, lambda t: t.memcpy(randn(500), torch.empty(500, device="cuda"), 64)),
    ("gluon-02-memcpy-1d", "gluon/02-layouts.py", None, gluon_1d),
    ("gluon-02-memcpy-2d", "gluon/02-layouts.py", None, lambda t: gluon_2d(t, False)),
    ("gluon-02-memcpy-2d-transposed", "gluon/02-layouts.py", None, lambda t: gluon_2d(t, True)),
    ("gluon-02-inout", "gluon/02-layouts.py", None, lambda t: t.memcpy_2d_inout(randn(120, 90).T, torch.empty(90, 120, device="cuda"))),
    ("gluon-03-memcpy", "gluon/03-async-copy.py", None, lambda t: t.memcpy_1d_cpasync(randn(1000), torch.empty(1000, device="cuda"), 256)),
    ("gluon-03-add", "gluon/03-async-copy.py", None, lambda t: elementwise(t.elementwise_add, 32, 32)),
    ("gluon-03-add-cp-async", "gluon/03-async-copy.py", None, lambda t: elementwise(t.elementwise_add_cpasync, gluon_layout(t), 32, 32)),
    ("gluon-03-add-pipelined", "gluon/03-async-copy.py", None, lambda t: elementwise(t.elementwise_add_pipelined, 32, 64, 3)),
    ("gluon-04-memcpy", "gluon/04-tma.py", None, lambda t: t.memcpy_1d_tma(randn(500), torch.empty(500, device="cuda"), 64)),
    ("gluon-04-add", "gluon/04-tma.py", None, lambda t: elementwise(t.elementwise_add_tma, 32, 64, 2)),
    ("gluon-05-small", "gluon/05-wgmma.py", TENSOR_CORE_F32, lambda t: small_product(t, False, 64, 4)),
    ("gluon-05-small-registers", "gluon/05-wgmma.py", TENSOR_CORE_F32, lambda t: small_product(t, True, 16, 8)),
    ("gluon-05-blocked", "gluon/05-wgmma.py", TENSOR_CORE, lambda t: product(t.blocked_matmul, 64, 64, 64, False, 4)),
    ("gluon-05-blocked-transposed", "gluon/05-wgmma.py", TENSOR_CORE, lambda t: product(t.blocked_matmul, 128, 128, 128, True, 8, transposed=True)),
    ("gluon-05-pipelined", "gluon/05-wgmma.py", TENSOR_CORE, lambda t: product(t.blocked_matmul_pipelined, 64, 64, 64, 4)),
    ("gluon-07-pipelined", "gluon/07-persistence.py", TENSOR_CORE, lambda t: product(t.matmul_pipelined, 128, 256, 64, 3, 8)),
    ("gluon-07-persistent", "gluon/07-persistence.py", TENSOR_CORE, lambda t: product(t.persistent_matmul, 128, 256, 64, 3, 8, t.PersistentTileScheduler)),
    ("gluon-07-grouped", "gluon/07-persistence.py", TENSOR_CORE,
     lambda t: product(t.persistent_matmul, 64, 64, 64, 3, 4, t.GroupedPersistentTileScheduler(8))),
    ("gluon-07-persistent-pipelined", "gluon/07-persistence.py", TENSOR_CORE,
     lambda t: product(t.persistent_matmul_pipelined, 64, 64, 64, 4, 4, t.PersistentTileScheduler)),
    ("gluon-08-add", "gluon/08-warp-specialization.py", None, lambda t: elementwise(t.elementwise_add_warp_specialized, 32, 64, 2, 2, 4)),
]
