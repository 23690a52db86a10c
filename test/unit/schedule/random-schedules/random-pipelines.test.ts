/** Random options of pipelines, copies by TMA among them: refused with a reason, or the kernel computes what the program did, under every check. */
import { expect, test } from "vitest";
import { tensorCorePipeline } from "warpsmith/schedule";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { createRandom, type Random, seedOf } from "../../../fuzz/random.ts";
import { randomOnes, rotating } from "../../../support/amount.ts";
import { agree } from "../agree.ts";
import { products } from "../pipeline/products.ts";

/** Extents in tiles, some of which are cut: those that the tile does not divide are padded. */
function optionsOf(random: Random) {
  const copies = random.weighted({ tma: 3, "cp.async": 1 });
  const tile = random.pick([
    [32, 32, 16],
    [32, 64, 16],
    [64, 32, 32],
  ] as const);
  const workgroup = random.pick(
    copies === "tma"
      ? ([[64, 2, 1]] as const)
      : ([
          [64, 2, 1],
          [32, 2, 1],
          [32, 1, 1],
        ] as const),
  );
  const options = {
    ...{ tile, workgroup, copies, storeStage: 1, pad: random.chance(0.7) },
    depth: random.between(1, 4),
    promoteC: random.pick(["shared", "registers"] as const),
    swizzle: random.between(1, 4),
    ...(random.chance(0.3) ? { padding: random.pick([0, 8, 16]) } : {}),
    ...(random.chance(0.2) ? { epilogue: random.pick(["peeled", "predicated"] as const) } : {}),
  };
  const extent = (of: number, cut: number): number => Math.max(1, of * random.between(1, 3) - (random.chance(0.4) ? cut : 0));
  const cut = random.pick([8, 16, 3]);
  const shape = [extent(tile[0], cut), extent(tile[1], cut), extent(tile[2], cut)] as const;
  return { options, shape };
}

function programOf(random: Random, shape: readonly [number, number, number]) {
  const kind = random.pick(["adding", "transposed", "ofBf16", "batched", "fused"] as const);
  if (kind === "batched") return products.batched(random.between(1, 2), shape);
  return kind === "fused" ? products.fused(shape, random.pick(["matrix", "relu"])) : products[kind](shape);
}

test("random pipelines compute what their programs did", { ...rotating, timeout: 3_600_000 }, async () => {
  // `RUNS=40 SEED=5`: so many, from the first on, by another seed.
  const { places, seed } = randomOnes(40, 1);
  const failures: string[] = [];
  let ran = 0;
  for (const i of places) {
    if (failures.length === 5) break;
    const random = createRandom(seedOf(seed, `pipeline ${i}`));
    const { options, shape } = optionsOf(random);
    try {
      await agree(tensorCorePipeline(programOf(random, shape), options).schedule.program);
      ran += 1;
    } catch (e) {
      // W5577: TMA cannot take the rows of a tensor, which only its launch knows.
      if (e instanceof WarpsmithError && /^(W56\d\d|W5577)$/.test(e.code)) continue;
      failures.push(
        `pipeline ${i} (SEED=${seed}): ${JSON.stringify({ shape, ...options })}\n${e instanceof Error ? e.message : String(e)}`,
      );
    }
  }
  expect(failures.join("\n\n")).toBe("");
  expect(ran, "pipelines that ran").toBeGreaterThan(places.length / 4);
});
