// Pairs as `warpsmith tune` knows them: candidates that are launched and compared, and what is kept, which gatedMatmul takes and matmul does not.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { type DeviceTensor, openDevice } from "warpsmith";
import { gatedMatmulKernel, matmulKernel, type Plan } from "warpsmith/kernels";
import { keepChoice } from "../../../../src/base/tuned-choices.ts";
import { planOf } from "../../../../src/kernels/matmul/plan/choose-plan.ts";
import { gatedFamily, matmulFamily } from "../../../../src/kernels/matmul/plan/tuning.ts";
import { rotating, some } from "../../../support/amount.ts";

const folder = mkdtempSync(join(tmpdir(), "gated-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

const gpu = await openDevice("emulator");
afterAll(() => gpu.dispose());

const problemOf = (size: string, dtype: string, layout: string) => {
  const problem = gatedFamily.problem(size, dtype, layout);
  if (!problem) throw new Error("it is a problem");
  return problem;
};

const problems = [
  ["5x37x40", "bf16", "nn"],
  ["40x72x136", "f16", "nt"],
  ["136x48x72", "bf16", "tn"],
] as const;
const pairs = problems.flatMap((problem) => (["varied", "usual"] as const).map((which) => [...problem, which] as const));

it.each(some(pairs, 0))("are right by candidates: %s, %s, %s, the %s one", async (size, dtype, layout, which) => {
  const problem = problemOf(size, dtype, layout);
  const candidates = gatedFamily.candidates(problem, gpu.multiprocessors);
  expect(candidates.length).toBeGreaterThan(20);
  using bench = await gatedFamily.open(gpu, problem);
  const [best] = candidates;
  const varied = best ? gatedFamily.variations(problem, gpu.multiprocessors, best) : [];
  const candidate = which === "varied" ? varied[0] : gatedFamily.usual(problem, gpu.multiprocessors);
  expect(await bench.verify(candidate ?? {})).toBeUndefined();
});

it("are wrong where a product is taken for them", rotating, async () => {
  const problem = problemOf("8x16x64", "f16", "nt");
  const candidate = gatedFamily.usual(problem, gpu.multiprocessors);
  using bench = await gatedFamily.open(gpu, problem);
  const plan = planOf(candidate as never, { ...problem, pair: false }, gpu.multiprocessors);
  using a = gpu.zeros("f16", [8, 64]) as DeviceTensor<"f16", 2>;
  using w = gpu.zeros("f16", [16, 64]) as DeviceTensor<"f16", 2>;
  const { kernel } = matmulKernel(a, w.transpose(1, 0), { plan });
  const { kernel: gated } = bench.make(candidate);
  const spy = vi.spyOn(gated, "launch").mockImplementation((options, ...args) => {
    const { second: _, ...one } = args[1] as Readonly<Record<string, unknown>>;
    kernel.launch(options, ...([args[0], one, ...args.slice(2)] as never as Parameters<typeof kernel.compile>));
  });
  expect(await bench.verify(candidate)).toMatch(/elements of 8 rows are wrong/);
  spy.mockRestore();
  expect(await bench.verify(candidate)).toBeUndefined();
});

const ptxOf = (pair: boolean, m: number, plan?: Plan) => {
  using a = gpu.zeros("f16", [m, 64]) as DeviceTensor<"f16", 2>;
  using w = gpu.zeros("f16", [192, 64]) as DeviceTensor<"f16", 2>;
  using out = gpu.zeros("f16", [m, 192]) as DeviceTensor<"f16", 2>;
  const [b, options] = [w.transpose(1, 0), { out, ...(plan && { plan }) }];
  const { kernel, args } = pair ? gatedMatmulKernel(a, b, b, options) : matmulKernel(a, b, options);
  return kernel.compile(...args).ptx;
};

it("take what is kept for their class of sizes, and products do not", () => {
  vi.stubEnv("WARPSMITH_CACHE", folder);
  const problem = problemOf("120x192x64", "f16", "nt");
  const usual = JSON.stringify(gatedFamily.usual(problem, gpu.multiprocessors));
  const other = gatedFamily.candidates(problem, gpu.multiprocessors).find((candidate) => JSON.stringify(candidate) !== usual);
  const before = ptxOf(false, 120);
  keepChoice({ device: gpu.name, by: gatedFamily.name, of: [gatedFamily.classOf(problem)] }, { candidate: other, time: 1 });
  const kept = (m: number) => planOf(other as never, { ...problem, m }, gpu.multiprocessors);
  for (const m of some([100, 120], 1)) expect(ptxOf(true, m)).toBe(ptxOf(true, m, kept(m)));
  expect(ptxOf(true, 64)).not.toBe(ptxOf(true, 64, kept(64)));
  expect(ptxOf(false, 121)).not.toBe("");
  expect(ptxOf(false, 120)).toBe(before);
  expect(matmulFamily.classOf(problem)).toBe(gatedFamily.classOf(problem));
});
