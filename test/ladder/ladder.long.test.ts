import { describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { ladder, type Step } from "../../examples/gemm/ladder.ts";
import type { Schedule } from "../../src/emulator/index.ts";
import { assemble } from "../support/ptxas.ts";

interface Size {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly multiprocessors: number;
}

/** Two tiles for a block at least, and more iterations along K than the pipeline has stages. */
const usual: Size = { M: 256, N: 512, K: 448, multiprocessors: 2 };
/** Six tiles of 256 x 192 in pairs, for two pairs of blocks: a round of whole tiles, then halves. The edges are ragged. */
const withTail: Size = { M: 480, N: 520, K: 256, multiprocessors: 4 };
const sizeOf = ({ name }: Step): Size => (name === "13-split-tail" ? withTail : usual);

async function run(step: Step, schedule: Exclude<Schedule, object>, size = sizeOf(step)): Promise<void> {
  const { M, N, K, multiprocessors } = size;
  const a = randn(M * K, 1);
  const b = randn(N * K, 2);
  const bT = new Float32Array(K * N).map((_, i) => b[(i % N) * K + Math.floor(i / N)] ?? Number.NaN);
  await using device = await openDevice("emulator", { check: "strict", schedule });
  using aDev = device.tensor("f16", [M, K], a),
    bDev = device.tensor("f16", [N, K], b),
    d = device.empty("f16", [M, N]);
  d.fill(Number.NaN);
  step.make(M, N, K, multiprocessors).launch(aDev, bDev, d);
  assertClose(await d.read(), referenceMatmul(a, bT, { M, N, K }), { rtol: 5e-3, atol: 5e-2 });
}

describe.each(ladder.map((step) => [step.name, step] as const))("%s", (_, step) => {
  it.each(["eager", "lazy", 7] as const)("multiplies under every check, schedule %s", (schedule) => run(step, schedule));

  it("multiplies what has one iteration along K", () => run(step, "eager", { ...sizeOf(step), K: 64 }));

  it("assembles as it is meant", () => {
    const assembled = assemble(step.make(4096, 4096, 4096, 132).compile().ptx);
    if (!assembled) return;
    const { ok, warnings, spills, log } = assembled;
    expect({ ok, warnings, spills }, log).toEqual({ ok: true, warnings: [], spills: 0 });
  });
});
