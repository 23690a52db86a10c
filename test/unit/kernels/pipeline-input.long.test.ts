import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";
import { distance, type Half, type Layout, operandsOf, rowsOf, type Size, smallPlan } from "./products.ts";

const sum = helper((value: number, { x }: { readonly x: number }) => value + x);

/** Tiles hang over both edges, of clusters by a whole tile; three stages of K, the last of them not full. */
const size: Size = { m: 136, n: 104, k: 136 };
const turns = { consumers: 2, schedule: "pingpong", stages: 3 } as const;
const together = { consumers: 2, tile: [128, 128], stages: 3 } as const;

interface Case {
  readonly plan: Partial<Plan>;
  readonly layout?: Layout;
  readonly dtype?: Half;
  /** Columns of D: where they are odd, TMA does not store it. */
  readonly n?: number;
}

/** Consumers that take turns take it at once, where their registers have room; all others panel by panel. */
const cases: Readonly<Record<string, Case>> = {
  "in turns, each two stages of the pipeline at once": { plan: { ...turns, tile: [128, 80], wait: 1 } },
  "in turns, three panels of a stage at once": { plan: { ...turns, tile: [64, 144], stages: 2 }, n: 168, layout: "nn" },
  "in turns, panel by panel": { plan: { ...turns, tile: [128, 144], wait: 1 }, n: 168 },
  "in turns, D not where TMA stores": { plan: { ...turns, tile: [64, 80] }, n: 103, dtype: "bf16" },
  "in turns, blocks that share B": { plan: { ...turns, cluster: [2, 1] } },
  "in turns, blocks that share B, A and B along M and N": {
    plan: { ...turns, cluster: [2, 1], wait: 1, stores: "warp" },
    layout: "tn",
  },
  "in turns, blocks that share A": { plan: { ...turns, tile: [64, 48], cluster: [1, 2], wait: 1 }, dtype: "bf16" },
  "in turns, blocks that share B, panel by panel": { plan: { ...turns, tile: [128, 144], cluster: [2, 1] }, n: 168 },
  "together, blocks that share B": { plan: { ...together, cluster: [2, 1], wait: 1 } },
  "together, left columns first": { plan: { ...together, leftFirst: 1, wait: 1 } },
  "together, left columns first, blocks that share A": { plan: { ...together, leftFirst: 2, cluster: [1, 2] }, layout: "nn" },
  "together, left columns first, the last tiles in halves": {
    plan: { ...together, tile: [256, 80], stages: 4, leftFirst: 1, wait: 1, splitTail: true, blocks: 3 },
  },
};

const all = ["eager", "lazy", "torn", ...Array.from({ length: 100 }, (_, seed) => seed + 1)] as const;
/** `SCHEDULES=25`: eager, lazy, torn, and seeds up to so many in all. */
const schedules = all.slice(0, Number(process.env.SCHEDULES ?? 3));

describe.each(schedules)("an input of the epilogue through the pipeline, schedule %s", (schedule) => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator", { check: "strict", schedule });
  });
  afterAll(() => device.dispose());

  it.each(Object.entries(cases))("%s", async (_, { plan, layout = "nt", dtype = "f16", n = size.n }) => {
    const { a, b } = operandsOf(device, dtype, layout, { ...size, n });
    const inputs = { x: rowsOf(device, dtype, size.m, n, 3) };
    const x = await inputs.x.read();
    const out = matmul(a, b, { inputs, epilogue: sum, plan: { ...smallPlan, ...plan } });
    expect(await distance(out, a, b, (value, row, col) => value + (x[row * n + col] ?? Number.NaN))).toBeLessThan(1);
  });
});
