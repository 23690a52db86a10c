// What `warpsmith tune` has kept on this machine is what matmul takes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { type DeviceTensor, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { keepChoice } from "../../../../src/base/tuned-choices.ts";
import { planOf } from "../../../../src/kernels/matmul/plan/choose-plan.ts";
import { matmulFamily } from "../../../../src/kernels/matmul/plan/tuning.ts";
import { some } from "../../../support/amount.ts";

const folder = mkdtempSync(join(tmpdir(), "kept-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

const gpu = await openDevice("emulator");
afterAll(() => gpu.dispose());

/** What `warpsmith tune` keeps a choice for. */
const searchedFor = (problem: Parameters<typeof matmulFamily.classOf>[0]) => ({
  ...{ device: gpu.name, by: "matmul", of: [matmulFamily.classOf(problem)] },
});

const ptxOf = (m: number, plan?: Plan) => {
  using a = gpu.zeros("f16", [m, 64]) as DeviceTensor<"f16", 2>;
  using b = gpu.zeros("f16", [192, 64]) as DeviceTensor<"f16", 2>;
  using out = gpu.zeros("f16", [m, 192]) as DeviceTensor<"f16", 2>;
  const { kernel, args } = matmulKernel(a, b.transpose(1, 0), { out, ...(plan && { plan }) });
  return kernel.compile(...args).ptx;
};

it("is taken for its class of sizes, and for no other", () => {
  vi.stubEnv("WARPSMITH_CACHE", folder);
  const problem = matmulFamily.problem("120x192x64", "f16", "nt");
  if (!problem) throw new Error("it is a problem");
  const { multiprocessors } = gpu;
  const usual = JSON.stringify(matmulFamily.usual(problem, multiprocessors));
  const other = matmulFamily.candidates(problem, multiprocessors).find((candidate) => JSON.stringify(candidate) !== usual);
  if (!other) throw new Error("there are several candidates");
  keepChoice(searchedFor(problem), { candidate: other, time: 1 });
  const kept = (m: number) => planOf(other as never, { ...problem, m }, multiprocessors);
  for (const m of some([100, 128, 120], 1)) expect(ptxOf(m)).toBe(ptxOf(m, kept(m)));
  expect(ptxOf(64)).not.toBe(ptxOf(64, kept(64)));
});

it("is not taken where it is no plan", async () => {
  vi.stubEnv("WARPSMITH_CACHE", folder);
  const problem = matmulFamily.problem("24x192x64", "f16", "nt");
  if (!problem) throw new Error("it is a problem");
  const wrong = [{ tile: [24, 24] }, { tile: "large" }, [], "nonsense"];
  for (const [i, choice] of some([...wrong.entries()], 2)) {
    const m = [2, 4, 8, 16][i] ?? 1;
    keepChoice(searchedFor({ ...problem, m }), { candidate: choice, time: 1 });
    using a = gpu.tensor("f16", [m, 64], new Float32Array(m * 64).fill(1)) as DeviceTensor<"f16", 2>;
    using b = gpu.tensor("f16", [64, 192], new Float32Array(64 * 192).fill(1)) as DeviceTensor<"f16", 2>;
    using out = matmul(a, b);
    expect(new Set(await out.read())).toEqual(new Set([64]));
  }
});
