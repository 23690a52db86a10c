"""Triton kernels over rows and elements: reductions, scans, sorts, norms, random numbers, atomics, moves."""

import triton
import triton.language as tl


@triton.jit
def reductions(x, sums, most, where, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Several rows of a block at a time; equal values: the first counts."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=c[None, :] < columns, other=-1000)
    tl.store(sums + r, tl.sum(tl.where(c[None, :] < columns, v, 0), axis=1))
    tl.store(most + r, tl.max(v, axis=1) * 1000 + tl.min(tl.where(c[None, :] < columns, v, 1000), axis=1))
    tl.store(where + r, tl.argmax(v, axis=1) * 1000 + tl.argmin(tl.where(c[None, :] < columns, v, 1000), axis=1))


@triton.jit
def _linear(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def scans(x, factors, recurrence, sums, products, BLOCK: tl.constexpr):
    """y[i] = f[i] y[i-1] + x[i] as a scan of pairs; sums from the end; products."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    f = tl.load(factors + at)
    _, y = tl.associative_scan((f, v), 0, _linear)
    tl.store(recurrence + at, y)
    tl.store(sums + at, tl.cumsum(v, 0, reverse=True))
    tl.store(products + at, tl.cumprod(v | 1, 0))


@triton.jit
def sort_rows(x, up, down, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(up + at, tl.sort(v))
    tl.store(down + at, tl.sort(v, descending=True))


@triton.jit
def top_k(x, values, places, columns, K: tl.constexpr, BLOCK: tl.constexpr):
    """Values with their places in one 64-bit number, sorted; the first K stay."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=-2147483648)
    packed = (v.to(tl.int64) << 32) | (BLOCK - 1 - c).to(tl.int64)
    first = tl.sort(packed, descending=True)
    tl.store(values + row * K + c, (first >> 32).to(tl.int32), mask=c < K)
    tl.store(places + row * K + c, BLOCK - 1 - (first & 0xffffffff).to(tl.int32), mask=c < K)


@triton.jit
def histogram(x, bins, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    counts = tl.histogram(v & (BINS - 1), BINS)
    # What the mask left out counts as 0.
    missing = tl.sum((at >= n).to(tl.int32), axis=0)
    b = tl.arange(0, BINS)
    tl.atomic_add(bins + b, counts - tl.where(b == 0, missing, 0))


@triton.jit
def gather_rows(x, places, out, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, BLOCK)
    at = r[:, None] * BLOCK + c[None, :]
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(places + at), 1))


@triton.jit
def layer_norm(x, w, b, y, means, scales, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    seen = c < columns
    v = tl.load(x + row * columns + c, mask=seen, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / columns
    away = tl.where(seen, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(away * away, axis=0) / columns + 1e-5)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    result = away * scale * tl.load(w + c, mask=seen) + tl.load(b + c, mask=seen)
    tl.store(y + row * columns + c, result, mask=seen)


@triton.jit
def layer_norm_back(dy, x, w, means, scales, dx, partial, columns, rows, BLOCK: tl.constexpr):
    """Each program takes every so many rows, and leaves its part of the weights' gradient."""
    c = tl.arange(0, BLOCK)
    seen = c < columns
    weight = tl.load(w + c, mask=seen, other=0.0)
    total = tl.zeros((BLOCK, ), tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        g = tl.load(dy + row * columns + c, mask=seen, other=0.0).to(tl.float32)
        scale = tl.load(scales + row)
        h = (tl.load(x + row * columns + c, mask=seen, other=0.0).to(tl.float32) - tl.load(means + row)) * scale
        h = tl.where(seen, h, 0.0)
        wg = weight * g
        along = tl.sum(h * wg, axis=0) / columns
        level = tl.sum(wg, axis=0) / columns
        tl.store(dx + row * columns + c, (wg - h * along - level) * scale, mask=seen)
        total += g * h
    tl.store(partial + tl.program_id(0) * columns + c, total, mask=seen)


@triton.jit
def rotary(q, cosines, sines, heads, HALF: tl.constexpr, HEADS: tl.constexpr):
    """In place, all heads of a token at once."""
    token = tl.program_id(0)
    h, d = tl.arange(0, HEADS), tl.arange(0, HALF)
    cos, sin = tl.load(cosines + token * HALF + d), tl.load(sines + token * HALF + d)
    low = token * heads * 2 * HALF + h[:, None] * 2 * HALF + d[None, :]
    seen = h[:, None] < heads
    a, b = tl.load(q + low, mask=seen).to(tl.float32), tl.load(q + low + HALF, mask=seen).to(tl.float32)
    tl.store(q + low, a * cos[None, :] - b * sin[None, :], mask=seen)
    tl.store(q + low + HALF, b * cos[None, :] + a * sin[None, :], mask=seen)


@triton.jit
def random_numbers(x, kept, words, n, seed, p, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(kept + at, tl.where(tl.rand(seed, at) > p, v / (1 - p), 0.0), mask=at < n)
    a, b, c, d = tl.randint4x(seed + 1, at, 7)
    tl.store(words + at, a ^ (b + c) ^ (d << 3), mask=at < n)


@triton.jit
def normal_numbers(out, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.randn(seed, at))


@triton.jit
def swiglu(x, out, columns, BLOCK: tl.constexpr):
    row, c = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    seen = c < columns
    gate = tl.load(x + row * 2 * columns + c, mask=seen, other=0.0).to(tl.float32)
    up = tl.load(x + row * 2 * columns + columns + c, mask=seen, other=0.0).to(tl.float32)
    gelu = 0.5 * up * (1 + tl.erf(up * 0.70710678))
    tl.store(out + row * columns + c, gate * tl.sigmoid(gate) * gelu, mask=seen)


@triton.jit
def quantise_rows(x, out, scales, columns, BLOCK: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    scale = tl.max(tl.abs(v), axis=0) / 127.0
    q = tl.floor(v / scale + 0.5)
    tl.store(out + row * columns + c, tl.minimum(tl.maximum(q, -128.0), 127.0).to(tl.int8), mask=c < columns)
    tl.store(scales + row, scale)


@triton.jit
def embedding(tokens, table, gradient, out, sums, width, BLOCK: tl.constexpr):
    """Looks rows up, and adds whole numbers to the rows of another table: order does not matter."""
    i, c = tl.program_id(0), tl.arange(0, BLOCK)
    token = tl.load(tokens + i)
    seen = c < width
    tl.store(out + i * width + c, tl.load(table + token * width + c, mask=seen), mask=seen)
    tl.atomic_add(sums + token * width + c, tl.load(gradient + i * width + c, mask=seen), mask=seen)


@triton.jit
def cross_entropy(logits, labels, losses, gradient, columns, BLOCK: tl.constexpr):
    """Blocks of a row one after the other, with the maximum and the sum so far; then once more for the gradient."""
    row = tl.program_id(0)
    label = tl.load(labels + row)
    most = -1e30
    total = 0.0
    for begin in range(0, columns, BLOCK):
        c = begin + tl.arange(0, BLOCK)
        v = tl.load(logits + row * columns + c, mask=c < columns, other=-1e30)
        higher = tl.maximum(most, tl.max(v, axis=0))
        total = total * tl.exp(most - higher) + tl.sum(tl.exp(v - higher), axis=0)
        most = higher
    tl.store(losses + row, tl.log(total) + most - tl.load(logits + row * columns + label))
    for begin in range(0, columns, BLOCK):
        c = begin + tl.arange(0, BLOCK)
        v = tl.load(logits + row * columns + c, mask=c < columns, other=-1e30)
        tl.store(gradient + row * columns + c, tl.exp(v - most) / total - tl.where(c == label, 1.0, 0.0), mask=c < columns)


@triton.jit
def atomics(x, words, longs, chosen, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.atomic_max(words + (v & 3), v)
    tl.atomic_min(words + 4 + (v & 3), v)
    one = words + 8 + (at & 0)
    tl.atomic_and(one, v | 0x0f0f)
    tl.atomic_or(one + 1, v & 0x00ff00ff)
    tl.atomic_xor(one + 2, v)
    tl.atomic_add(longs + (v & 1), v.to(tl.int64) * 65537)
    # Whoever comes first has it; all want to leave the same.
    tl.atomic_cas(chosen, 0, 7)
    tl.atomic_xchg(chosen + 1, 5)


@triton.jit
def _join_moments(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    d = mean_b - mean_a
    share = tl.where(n == 0.0, 0.0, n_b / n)
    return mean_a + d * share, m2_a + m2_b + d * d * n_a * share, n


@triton.jit
def moments(x, out, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Mean and variance by a reduction of three values with a function of its own (Welford)."""
    r, c = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, BLOCK)
    seen = (c[None, :] < columns) & (r[:, None] >= 0)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=seen, other=0.0)
    mean, m2, n = tl.reduce((v, tl.zeros_like(v), seen.to(tl.float32)), 1, _join_moments)
    tl.store(out + 2 * r, mean)
    tl.store(out + 2 * r + 1, m2 / n)


@triton.jit
def shapes(x, transposed, pairs, halves, turned, M: tl.constexpr, N: tl.constexpr):
    """Moves of data alone: transpose, interleave, split, join, permute, broadcast."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(transposed + n[:, None] * M + m[None, :], tl.trans(v))
    flat = tl.reshape(v, (M * N, ))
    i = tl.arange(0, M * N)
    tl.store(pairs + tl.arange(0, 2 * M * N), tl.interleave(flat, flat * 3 + i))
    even, odd = tl.split(tl.reshape(v, (M * N // 2, 2)))
    tl.store(halves + tl.arange(0, M * N // 2), even - 2 * odd)
    cube = tl.permute(tl.reshape(v, (4, M // 4, N)), (2, 0, 1))
    tl.store(turned + i, tl.reshape(cube, (M * N, )))


@triton.jit
def searches(keys, table, found, steps, n, BLOCK: tl.constexpr):
    """A binary search of each element in a sorted table, and a loop that ends when all elements have."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    key = tl.load(keys + at)
    low, high = tl.zeros((BLOCK, ), tl.int32), tl.zeros((BLOCK, ), tl.int32) + n
    while tl.max((high - low).to(tl.int32), axis=0) > 0:
        middle = (low + high) // 2
        less = (tl.load(table + middle, mask=low < high, other=0) < key) & (low < high)
        high = tl.where(less | (low >= high), high, middle)
        low = tl.where(less, middle + 1, low)
    tl.store(found + at, low)
    v, count = (key & 1023) + 1, tl.zeros((BLOCK, ), tl.int32)
    while tl.max((v != 1).to(tl.int32), axis=0) == 1:
        count += (v != 1).to(tl.int32)
        v = tl.where(v == 1, 1, tl.where(v % 2 == 0, v // 2, 3 * v + 1))
    tl.store(steps + at, count)


@triton.jit
def inline_assembly(x, y, out, BLOCK: tl.constexpr):
    """Products of bytes and logic of three words by instructions that the language has no name for."""
    at = tl.arange(0, BLOCK)
    a, b = tl.load(x + at), tl.load(y + at)
    v = tl.inline_asm_elementwise("dp4a.s32.u32 $0, $1, $2, 3;", "=r,r,r", [a, b], dtype=tl.int32, is_pure=True, pack=1)
    w = tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, 0x55aa55aa, 0x96;", "=r,r,r", [a, v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + at, w + tl.umulhi(a.to(tl.uint32), b.to(tl.uint32)).to(tl.int32))


@triton.jit
def doubles(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=1.0)
    y = tl.fma(v, v, 0.5) / (tl.abs(v) + 1.0) + tl.floor(v) - tl.ceil(v * 0.5) + tl.sqrt(tl.abs(v))
    tl.store(out + at, y, mask=at < n)
