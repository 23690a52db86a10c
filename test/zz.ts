import { BlockedLayout, SliceLayout, WGMMALayout, kernel, tile, fast, f16, f32, i32, openDevice, sharedMemory, syncThreads, WGMMAMatrix, type Tensor } from "warpsmith";
const L = new BlockedLayout({ perThread: [1, 4], threads: [4, 8], warps: [4, 1] });
const k = kernel({ block: 128, grid: 1 }, function k(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, s: Tensor<"f32", 1>, c: Tensor<"f32", 1>, t: Tensor<"f32", 2>, w: Tensor<"f32", 2>, q: Tensor<"f32", 2>) {
  const a = x.loadTile([0, 0], [32, 64], L, { other: 7 });
  const r = tile.sum(a, 1);
  const m = tile.max(a, 1);
  const p = Math.exp(a - tile.expand(m, 1)) * 2;
  y.storeTile([0, 0], a > 3 ? p : -a);
  s.storeTile([0], r);
  c.storeTile([0], tile.sum(a, 0));
  t.storeTile([0, 0], tile.transpose(a));
  const b = tile.convertLayout(a, new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] }));
  w.storeTile([0, 0], b + 1);
  q.storeTile([0, 0], tile.scan(a, 1, (u: number, v: number) => u + v));
});
await using gpu = await openDevice("emulator");
const xs = Float32Array.from({ length: 30 * 64 }, (_, i) => (i * 7) % 11);
const x = gpu.tensor("f32", [30, 64], xs);
const [y, w, q] = [1, 2, 3].map(() => gpu.zeros("f32", [32, 64]));
const s = gpu.zeros("f32", [32]), c = gpu.zeros("f32", [64]), t = gpu.zeros("f32", [64, 32]);
k.launch({}, x, y, s, c, t, w, q);
const at = (i: number, j: number) => (i < 30 ? xs[64 * i + j]! : 7);
const [Y, S, C, T, W, Q] = await Promise.all([y.read(), s.read(), c.read(), t.read(), w.read(), q.read()]);
let bad: Record<string, number> = {};
const no = (k: string) => (bad[k] = (bad[k] ?? 0) + 1);
for (let i = 0; i < 32; i++) {
  let sum = 0, max = -Infinity;
  for (let j = 0; j < 64; j++) { sum += at(i, j); max = Math.max(max, at(i, j)); if (Q[64 * i + j] !== sum) no("scan"); }
  if (S[i] !== sum) no("sum");
  for (let j = 0; j < 64; j++) {
    const want = at(i, j) > 3 ? Math.exp(at(i, j) - max) * 2 : -at(i, j);
    if (Math.abs(Y[64 * i + j]! - want) > 1e-6) no("y");
    if (T[32 * j + i] !== at(i, j)) no("t");
    if (W[64 * i + j] !== at(i, j) + 1) no("w");
  }
}
for (let j = 0; j < 64; j++) { let sum = 0; for (let i = 0; i < 32; i++) sum += at(i, j); if (C[j] !== sum) no("c"); }
console.log(bad);
const compiled = k.compile(x, y, s, c, t, w, q);
console.log(compiled.ptx.split("\n").length, compiled.ptx.match(/st\.global\.v4|ld\.global\.v4/g)?.length);
