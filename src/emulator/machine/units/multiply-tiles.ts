/**
 * The sums of products of tiles: out[i * n + j] = sum over k of a[k * 64 + i] * b[k * n + j], from +0, k ascending, every
 * product and every sum rounded to f32. Products of f16, fp8 and 8-bit integers are exact, and so are sums of those integers.
 */
/** Rows that a tile of A has, used or not. */
const tileRows = 64;
const { fround } = Math;

/** Blocks of 4 x 4 sums stay in registers. */
export function multiplyTiles(out: Float32Array, a: Float32Array, b: Float32Array, n: number, depth: number, rows: number): void {
  for (let i = 0; i < rows; i += 4) {
    for (let j = 0; j < n; j += 4) block(out, a, b, n, depth, i, j);
  }
}

function block(out: Float32Array, a: Float32Array, b: Float32Array, n: number, depth: number, i: number, j: number): void {
  // biome-ignore format: a block of sums, row by row
  let s00 = fround(0), s01 = fround(0), s02 = fround(0), s03 = fround(0),
    s10 = fround(0), s11 = fround(0), s12 = fround(0), s13 = fround(0),
    s20 = fround(0), s21 = fround(0), s22 = fround(0), s23 = fround(0),
    s30 = fround(0), s31 = fround(0), s32 = fround(0), s33 = fround(0);
  let p = i;
  let q = j;
  for (let k = 0; k < depth; k += 1) {
    const a0 = fround(a[p] as number),
      a1 = fround(a[p + 1] as number);
    const a2 = fround(a[p + 2] as number),
      a3 = fround(a[p + 3] as number);
    const b0 = fround(b[q] as number),
      b1 = fround(b[q + 1] as number);
    const b2 = fround(b[q + 2] as number),
      b3 = fround(b[q + 3] as number);
    s00 = fround(s00 + fround(a0 * b0));
    s01 = fround(s01 + fround(a0 * b1));
    s02 = fround(s02 + fround(a0 * b2));
    s03 = fround(s03 + fround(a0 * b3));
    s10 = fround(s10 + fround(a1 * b0));
    s11 = fround(s11 + fround(a1 * b1));
    s12 = fround(s12 + fround(a1 * b2));
    s13 = fround(s13 + fround(a1 * b3));
    s20 = fround(s20 + fround(a2 * b0));
    s21 = fround(s21 + fround(a2 * b1));
    s22 = fround(s22 + fround(a2 * b2));
    s23 = fround(s23 + fround(a2 * b3));
    s30 = fround(s30 + fround(a3 * b0));
    s31 = fround(s31 + fround(a3 * b1));
    s32 = fround(s32 + fround(a3 * b2));
    s33 = fround(s33 + fround(a3 * b3));
    p += tileRows;
    q += n;
  }
  const r0 = i * n + j,
    r1 = r0 + n,
    r2 = r1 + n,
    r3 = r2 + n;
  out[r0] = s00;
  out[r0 + 1] = s01;
  out[r0 + 2] = s02;
  out[r0 + 3] = s03;
  out[r1] = s10;
  out[r1 + 1] = s11;
  out[r1 + 2] = s12;
  out[r1 + 3] = s13;
  out[r2] = s20;
  out[r2 + 1] = s21;
  out[r2 + 2] = s22;
  out[r2 + 3] = s23;
  out[r3] = s30;
  out[r3 + 1] = s31;
  out[r3 + 2] = s32;
  out[r3 + 3] = s33;
}
