"""Triton kernels that multiply: types of wgmma and mma, batches, a convolution, attention of one query, tensor descriptors."""

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
           SUM: tl.constexpr, PRECISION: tl.constexpr):
    pm, pn = tl.program_id(0), tl.program_id(1)
    rm, rn, rk = pm * M + tl.arange(0, M), pn * N + tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), SUM)
    for begin in range(0, k, K):
        left = tl.load(a + rm[:, None] * stride_am + (begin + rk[None, :]) * stride_ak,
                       mask=(rm[:, None] < m) & (begin + rk[None, :] < k), other=0.0)
        right = tl.load(b + (begin + rk[:, None]) * stride_bk + rn[None, :] * stride_bn,
                        mask=(begin + rk[:, None] < k) & (rn[None, :] < n), other=0.0)
        total = tl.dot(left, right, total, input_precision=PRECISION, out_dtype=SUM)
    tl.store(c + rm[:, None] * n + rn[None, :], total, mask=(rm[:, None] < m) & (rn[None, :] < n))


@triton.jit
def batched(a, b, bias, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One matrix of the batch for each program of the third dimension, with what follows the product in the same kernel."""
    batch = tl.program_id(2)
    rm, rn = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for begin in tl.range(0, k, K, num_stages=3):
        rk = begin + tl.arange(0, K)
        left = tl.load(a + batch * m * k + rm[:, None] * k + rk[None, :])
        right = tl.load(b + batch * k * n + rk[:, None] * n + rn[None, :])
        total += tl.dot(left, right)
    total += tl.load(bias + rn)[None, :]
    total = tl.where(total > 0, total, 0.125 * total)
    tl.store(c + batch * m * n + rm[:, None] * n + rn[None, :], total.to(tl.float16))


@triton.jit
def convolution(x, w, y, channels, height, width, filters, SIZE: tl.constexpr, P: tl.constexpr, F: tl.constexpr, C: tl.constexpr):
    """Pixels by filters, the sum over channels and the window: a product whose left operand is gathered. NHWC, borders are 0."""
    pixel, f = tl.program_id(0) * P + tl.arange(0, P), tl.program_id(1) * F + tl.arange(0, F)
    px, py = pixel % width, pixel // width
    total = tl.zeros((P, F), tl.float32)
    for tap in range(SIZE * SIZE):
        sx, sy = px + tap % SIZE - SIZE // 2, py + tap // SIZE - SIZE // 2
        there = (sx >= 0) & (sx < width) & (sy >= 0) & (sy < height)
        for begin in range(0, channels, C):
            c = begin + tl.arange(0, C)
            left = tl.load(x + (sy * width + sx)[:, None] * channels + c[None, :], mask=there[:, None], other=0.0)
            right = tl.load(w + (tap * channels + c)[:, None] * filters + f[None, :])
            total = tl.dot(left, right, total)
    tl.store(y + pixel[:, None] * filters + f[None, :], total.to(tl.float16), mask=pixel[:, None] < height * width)


@triton.jit
def decode(q, k, v, parts, peaks, sums, length, scale, SPLIT: tl.constexpr, BLOCK: tl.constexpr, HEADS: tl.constexpr, D: tl.constexpr):
    """One query of each of 16 heads against a part of the keys: what belongs to it, its maximum and its sum."""
    part = tl.program_id(0)
    h, d = tl.arange(0, HEADS), tl.arange(0, D)
    query = tl.load(q + h[:, None] * D + d[None, :])
    peak, total = tl.full((HEADS, ), -1e30, tl.float32), tl.zeros((HEADS, ), tl.float32)
    out = tl.zeros((HEADS, D), tl.float32)
    for begin in range(part * SPLIT, (part + 1) * SPLIT, BLOCK):
        r = begin + tl.arange(0, BLOCK)
        key = tl.load(k + r[None, :] * D + d[:, None], mask=r[None, :] < length, other=0.0)
        s = tl.where(r[None, :] < length, tl.dot(query, key) * scale, -1e30)
        higher = tl.maximum(peak, tl.max(s, axis=1))
        p, shrink = tl.exp2(s - higher[:, None]), tl.exp2(peak - higher)
        total = total * shrink + tl.sum(p, axis=1)
        value = tl.load(v + r[:, None] * D + d[None, :], mask=r[:, None] < length, other=0.0)
        out = out * shrink[:, None] + tl.dot(p.to(value.dtype), value)
        peak = higher
    tl.store(parts + part * HEADS * D + h[:, None] * D + d[None, :], out)
    tl.store(peaks + part * HEADS + h, peak)
    tl.store(sums + part * HEADS + h, total)


@triton.jit
def decode_join(parts, peaks, sums, out, PARTS: tl.constexpr, HEADS: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(0)
    p, d = tl.arange(0, PARTS), tl.arange(0, D)
    peak = tl.load(peaks + p * HEADS + head)
    weight = tl.exp2(peak - tl.max(peak, axis=0))
    total = tl.sum(tl.load(sums + p * HEADS + head) * weight, axis=0)
    part = tl.load(parts + p[:, None] * HEADS * D + head * D + d[None, :])
    tl.store(out + head * D + d, tl.sum(part * weight[:, None], axis=0) / total)


@triton.jit
def dequantised(a, packed, scales, c, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Weights of four bits, two to a byte along k, with a scale for each column."""
    rm, rn = tl.arange(0, M), tl.program_id(0) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for begin in range(0, k, K):
        half = begin // 2 + tl.arange(0, K // 2)
        raw = tl.load(packed + half[:, None] * n + rn[None, :])
        low, high = (raw & 15).to(tl.int8) - 8, (raw >> 4).to(tl.int8) - 8
        weights = tl.reshape(tl.permute(tl.join(low, high), (0, 2, 1)), (K, N)).to(tl.float16)
        left = tl.load(a + rm[:, None] * k + (begin + tl.arange(0, K))[None, :])
        total = tl.dot(left, weights, total)
    total = total * tl.load(scales + rn)[None, :]
    tl.store(c + rm[:, None] * n + rn[None, :], total)


@triton.jit
def described(a, b, c, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Descriptors from the host; b by rows of n."""
    pm, pn = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for begin in range(0, k, K):
        total = tl.dot(a.load([pm, begin]), b.load([pn, begin]).T, total)
    c.store([pm, pn], total.to(tl.float16))


@triton.jit
def described_here(x, y, sums, rows, columns, M: tl.constexpr, N: tl.constexpr):
    """Descriptors that the kernel makes: boxes that reach over the edge, and a store of what came."""
    source = tl.make_tensor_descriptor(x, shape=[rows, columns], strides=[columns, 1], block_shape=[M, N])
    target = tl.make_tensor_descriptor(y, shape=[rows, columns], strides=[columns, 1], block_shape=[M, N])
    pm = tl.program_id(0)
    total = tl.zeros((M, ), tl.float32)
    for begin in range(0, columns, N):
        v = source.load([pm * M, begin])
        total += tl.sum(v, axis=1)
        target.store([pm * M, begin], v * 2 + 1)
    tl.store(sums + pm * M + tl.arange(0, M), total)


@triton.jit
def persistent(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PROGRAMS: tl.constexpr):
    """Fewer programs than tiles; the loop over tiles and that over k are one."""
    tiles_n = n // N
    for tile in tl.range(tl.program_id(0), (m // M) * tiles_n, PROGRAMS, flatten=True):
        rm, rn = tile // tiles_n * M + tl.arange(0, M), tile % tiles_n * N + tl.arange(0, N)
        total = tl.zeros((M, N), tl.float32)
        for begin in range(0, k, K):
            rk = begin + tl.arange(0, K)
            total = tl.dot(tl.load(a + rm[:, None] * k + rk[None, :]), tl.load(b + rk[:, None] * n + rn[None, :]), total)
        tl.store(c + rm[:, None] * n + rn[None, :], total.to(c.dtype.element_ty))


@triton.jit
def chained(a, b, c, out, M: tl.constexpr, N: tl.constexpr):
    """A product of a product: its left operand comes out of registers."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    left = tl.load(a + m[:, None] * N + n[None, :])
    right = tl.load(b + n[:, None] * N + n[None, :])
    again = tl.load(c + n[:, None] * N + n[None, :])
    first = tl.dot(left, right)
    norm = tl.sqrt(tl.sum(first * first, axis=1) + 1.0)
    tl.store(out + m[:, None] * N + n[None, :], tl.dot((first / norm[:, None]).to(tl.float16), again))
