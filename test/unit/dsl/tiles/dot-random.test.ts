/** Products of tiles of random types, shapes, warps and places in memory, against plain JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice, type Swizzle } from "warpsmith";
import type { Case } from "../../../cases/case.ts";
import { type Input, productCase, type Sum } from "../../../cases/mma.ts";
import { type Random, randomFrom } from "../../../layouts/random.ts";
import { seeds } from "../../../support/amount.ts";

const kinds: readonly (readonly [Input, Input, Sum, leastK: number, bytes: number])[] = [
  ["f16", "f16", "f32", 8, 2],
  ["f16", "f16", "f16", 8, 2],
  ["bf16", "bf16", "f32", 8, 2],
  ["tf32", "tf32", "f32", 4, 4],
  ["e4m3", "e5m2", "f32", 32, 1],
  ["i8", "u8", "i32", 16, 1],
  ["u8", "u8", "i32", 16, 1],
  ["f64", "f64", "f64", 4, 8],
];
const swizzleBytes: Readonly<Record<Swizzle, number>> = { none: 1, "32B": 32, "64B": 64, "128B": 128 };

const oneOf = <T>(r: Random, list: readonly T[]): T => list[r.below(list.length)] as T;

function randomCase(seed: number): Case {
  const r = randomFrom(seed);
  const [a, b, sum, leastK, bytes] = oneOf(r, kinds);
  const K = leastK * 2 ** r.below(3);
  const [M, N] = [16 * 2 ** r.below(3), 8 * 2 ** r.below(4)];
  const lines = [oneOf(r, ["row", "col"] as const), oneOf(r, ["row", "col"] as const)] as const;
  const inner = [lines[0] === "row" ? K : M, lines[1] === "row" ? N : K].map((n) => n * bytes);
  const fits = (s: Swizzle): boolean => inner.every((n) => n % swizzleBytes[s] === 0);
  const swizzle = oneOf(r, (["none", "32B", "64B", "128B"] as const).filter(fits));
  const warps = [2 ** r.below(3), 2 ** r.below(2)] as const;
  const memory = oneOf(r, ["shared", "shared", "global"] as const);
  const step = memory === "shared" && r.below(2) === 0 ? leastK : 0;
  return productCase(a, b, { M, N, K }, { sum, warps, lines, swizzle, memory, step });
}

describe("products of tiles, at random", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator", { check: "strict" });
  });
  afterAll(() => device.dispose());

  it.each(seeds(1, 120, 4))("are right: seed %i", async (seed) => {
    const made = randomCase(seed);
    await expect(made.run(device), made.name).resolves.toBeUndefined();
  });
});
