/** Products of tiles whose operands lie otherwise than the product takes them: in random layouts of the author's, or none. Against plain JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BlockedLayout,
  type Device,
  DotOperandLayout,
  f16,
  kernel,
  type Layout,
  MMALayout,
  openDevice,
  type Static,
  type Tensor,
  tile,
} from "warpsmith";
import { type Random, randomFrom } from "../../../layouts/random.ts";
import { seeds } from "../../../support/amount.ts";

interface How {
  readonly warps: number;
  readonly A: Layout | undefined;
  readonly B: Layout | undefined;
  readonly second: Layout | undefined;
}

/** (a @ b) @ c. */
const twice = kernel(
  { block: (_a, _b, _c, _d, { warps }) => 32 * warps, grid: 1 },
  function twice(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, c: Tensor<"f16", 2>, d: Tensor<"f32", 2>, how: Static<How>) {
    const S = tile.dot(
      a.loadTile([0, 0], [a.shape[0], a.shape[1]], how.A),
      b.loadTile([0, 0], [b.shape[0], b.shape[1]], how.B),
      tile.full([a.shape[0], b.shape[1]], 0),
    );
    const P = how.second ? tile.convertLayout(f16(S), how.second) : f16(S);
    d.storeTile([0, 0], tile.dot(P, c.loadTile([0, 0], [c.shape[0], c.shape[1]], how.B), tile.full([d.shape[0], d.shape[1]], 0)));
  },
);

const oneOf = <T>(r: Random, list: readonly T[]): T => list[r.below(list.length)] as T;
const divided = (r: Random, n: number): readonly [number, number] => {
  const first = 2 ** r.below(Math.log2(n) + 1);
  return [first, n / first];
};

function layoutOf(r: Random, warps: number): Layout | undefined {
  const parent = new MMALayout({ warps: divided(r, warps) });
  const blocked = (): Layout =>
    new BlockedLayout({
      perThread: [2 ** r.below(2), 2 ** r.below(4)],
      threads: divided(r, 32),
      warps: divided(r, warps),
      order: oneOf(r, [
        [1, 0],
        [0, 1],
      ]),
    });
  return oneOf(r, [
    () => undefined,
    blocked,
    blocked,
    () => parent,
    () => new DotOperandLayout({ parent, operand: oneOf(r, ["A", "B"] as const), kWidth: 2 }),
  ])();
}

const numbers = (r: Random, count: number): number[] => Array.from({ length: count }, () => r.below(5) - 2);

function product(a: readonly number[], b: readonly number[], K: number, N: number): number[] {
  return Array.from({ length: (a.length / K) * N }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += (a[Math.floor(i / N) * K + k] ?? 0) * (b[k * N + (i % N)] ?? 0);
    return sum;
  });
}

describe("products of operands that lie otherwise", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator", { check: "strict" });
  });
  afterAll(() => device.dispose());

  it.each(seeds(1, 80, 3))("are right: seed %i", async (seed) => {
    const r = randomFrom(seed);
    const warps = 2 ** r.below(3);
    const [M, K, N] = [16 * 2 ** r.below(3), 8 * 2 ** r.below(3), 16 * 2 ** r.below(2)];
    const how: How = { warps, A: layoutOf(r, warps), B: layoutOf(r, warps), second: layoutOf(r, warps) };
    const [a, b, c] = [numbers(r, M * K), numbers(r, K * N), numbers(r, N * N)];
    using x = device.tensor("f16", [M, K], a);
    using y = device.tensor("f16", [K, N], b);
    using z = device.tensor("f16", [N, N], c);
    using d = device.zeros("f32", [M, N]);
    twice.launch({}, x, y, z, d, how);
    const found = [...(await d.read())];
    expect(found, `${M}x${K}x${N} over ${warps}: ${[how.A, how.B, how.second].join(" | ")}`).toEqual(
      product(product(a, b, K, N), c, N, N),
    );
  });
});
