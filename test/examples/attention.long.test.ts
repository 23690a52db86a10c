import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { ladder, type Step } from "../../examples/attention/ladder.ts";
import { isBuilt } from "../support/is-built.ts";
import { assemble, noPtxas } from "../support/ptxas.ts";

const D = 128;

/** softmax(q kᵀ / √D) v of one query of one head, in f64. */
function rowOf(length: number, from: number, [q, k, v]: readonly Float32Array[], query: number): readonly number[] {
  const at = (x: Float32Array | undefined, row: number, i: number) => x?.[(from + row) * D + i] ?? Number.NaN;
  const scores = Array.from({ length }, (_, key) => {
    let sum = 0;
    for (let i = 0; i < D; i++) sum += at(q, query, i) * at(k, key, i);
    return sum / Math.sqrt(D);
  });
  const most = Math.max(...scores);
  const weights = scores.map((s) => Math.exp(s - most));
  const total = weights.reduce((a, b) => a + b, 0);
  return Array.from({ length: D }, (_, i) => weights.reduce((sum, w, key) => sum + w * at(v, key, i), 0) / total);
}

/** Two heads, each query of the first tile's edges and of the last tile's. */
async function run(step: Step, length: number, scale: number): Promise<void> {
  const shape = [2, length, D] as const;
  const operands = [1, 2, 3].map((seed) => randn(2 * length * D, seed).map((x) => (seed === 1 ? x * scale : x)));
  await using gpu = await openDevice("emulator", { check: "strict" });
  const [q, k, v] = operands.map((x) => gpu.tensor("f16", shape, x));
  const o = gpu.empty("f16", shape);
  if (!q || !k || !v) throw new Error("there are three operands");
  o.fill(Number.NaN);
  step.launch(q, k, v, o);
  const found = (await o.read()) as ArrayLike<number>;
  const rounded = await Promise.all([q, k, v].map(async (x) => Float32Array.from((await x.read()) as ArrayLike<number>)));
  for (const head of [0, 1])
    for (const query of [0, 1, 63, 64, length - 65, length - 1]) {
      const from = (head * length + query) * D;
      const row = Array.from({ length: D }, (_, i) => found[from + i] ?? Number.NaN);
      assertClose(row, rowOf(length, head * length, rounded, query), { rtol: 5e-3, atol: 2e-3 });
    }
}

describe.each(ladder.map((step) => [step.name, step] as const))("%s", (_, step) => {
  // Of step 8, whose blocks have 176 keys, the last one is not full.
  it.each([128, 384])("attends to %d keys, under strict", (length) => run(step, length, 1));

  it("takes off what grows from block to block", () => run(step, 384, 12));

  it.skipIf(noPtxas !== undefined)("assembles without a spill, and no product waits for another", () => {
    const assembled = assemble(step.compile(16, 16384).ptx);
    expect(assembled).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});

describe("main.ts", () => {
  beforeAll(async () => expect(await isBuilt(), "its processes load dist, which is of other sources: npm run build").toBe(true));

  const program = (...words: readonly string[]) =>
    spawnSync(process.execPath, ["--import", "warpsmith/register", "examples/attention/main.ts", ...words], {
      encoding: "utf8",
      cwd: join(import.meta.dirname, "../.."),
      env: { ...process.env, WARPSMITH_DEVICE: "emulator" },
    });

  it("checks the steps that are named", { timeout: 120_000 }, () => {
    const { status, stdout } = program("01", "05-overlap");
    const lines = stdout.trimEnd().split("\n").slice(1);
    expect(lines.map((line) => line.slice(0, line.indexOf("error")).trim())).toEqual([
      "01-one-warpgroup    PASS, worst",
      "05-overlap          PASS, worst",
    ]);
    expect(status).toBe(0);
  });

  it("says which steps there are, where there is none of a name", () => {
    const { status, stderr } = program("09");
    expect(stderr).toContain("there is no step 09: there are 01-one-warpgroup, 02-specialized");
    expect(status).not.toBe(0);
  });

  it("refuses a length that is no multiple of 128", () => {
    expect(program("--length", "100").stderr).toContain("--length takes a multiple of 128, not 100");
  });
});
