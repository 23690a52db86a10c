import { afterEach, describe, expect, it, vi } from "vitest";
import {
  blockIdx,
  type Compiled,
  cluster,
  type f32,
  type i32,
  kernel,
  ptx,
  range,
  type Tensor,
  tensorSpec,
  threadIdx,
} from "warpsmith";
import { numbersIn } from "../../../../bench/entry.ts";
import { readRecord } from "../../../../bench/record.ts";
import { chapter } from "../../../../examples/ch5/main.ts";
import { gpus } from "../../../../src/inspect/report/gpus.ts";
import { scaled } from "../../../../src/inspect/report/print.ts";
import { rotating } from "../../../support/amount.ts";

/** Registers are what other tests are about. */
const without = (): void => void vi.stubEnv("WARPSMITH_PTXAS", "/nowhere/ptxas");
afterEach(() => void vi.unstubAllEnvs());

const vector = (n: number) => tensorSpec("f32", [n]);
const workOf = (compiled: Compiled, grid?: number) => {
  without();
  const { work } = compiled.report(grid === undefined ? {} : { grid });
  if (!work) throw new Error("no work");
  return work;
};

describe("counts", () => {
  const axpy = kernel(
    { block: 256, grid: (x) => Math.ceil(x.shape[0] / 256) },
    function axpy(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, a: f32) {
      const i = blockIdx.x * 256 + threadIdx.x;
      if (i < x.shape[0]) y[i] = a * (x[i] as number) + (y[i] as number);
    },
  );

  it.each([1, 255, 256, 257, 1_000_003, 100_000_007])("%i elements, guarded in the last block", (n) => {
    const { exact, read, written, operations, leastBytes, tensors } = workOf(axpy.compile(vector(n), vector(n), 2));
    expect([exact, read, written]).toEqual([true, { threads: 8 * n, tma: 0 }, { threads: 4 * n, tma: 0 }]);
    expect([operations, leastBytes]).toEqual([{ f32: 2 * n }, 12 * n]);
    expect(tensors.map(({ name, bytes }) => [name, bytes])).toEqual([
      ["x", 4 * n],
      ["y", 4 * n],
    ]);
  });

  const strided = kernel({ block: 128, grid: 7 }, function strided(x: Tensor<"f32", 1>) {
    for (let i = blockIdx.x * 128 + threadIdx.x; i < x.shape[0]; i += 7 * 128) x[i] = (x[i] as number) + 1;
  });
  it.each([1, 895, 896, 897, 5000])("%i elements, by a loop over the grid", (n) => {
    const { exact, read, written, operations } = workOf(strided.compile(vector(n)));
    expect([exact, read.threads, written.threads, operations.f32]).toEqual([true, 4 * n, 4 * n, n]);
  });

  const triangle = kernel({ block: 64, grid: 1 }, function triangle(x: Tensor<"f32", 1>) {
    let sum = x[0] as number;
    for (const i of range(threadIdx.x)) for (const j of range(i)) sum += x[j] as number;
    x[threadIdx.x] = sum;
  });
  it("loops within loops, as many times as each thread runs them", () => {
    const { exact, operations } = workOf(triangle.compile(vector(64)));
    const all = Array.from({ length: 64 }, (_, t) => (t * (t - 1)) / 2).reduce((sum, n) => sum + n, 0);
    expect([exact, operations.f32]).toEqual([true, all]);
  });

  const leaves = kernel({ block: 96, grid: 2 }, function leaves(x: Tensor<"f32", 1>) {
    if (threadIdx.x >= 40) return;
    x[threadIdx.x] = 1;
  });
  it("threads that have exited do nothing more", () => {
    expect(workOf(leaves.compile(vector(96))).written.threads).toBe(4 * 40 * 2);
  });

  const halves = kernel({ block: 32, grid: 8, cluster: 4 }, function halves(x: Tensor<"f32", 1>, n: i32) {
    if (cluster.rank < n) x[blockIdx.x * 32 + threadIdx.x] = 1;
  });
  it("ranks of clusters, and numbers that the launch passes", () => {
    expect(workOf(halves.compile(vector(256), 3)).written.threads).toBe(4 * 32 * 6);
    expect(workOf(halves.compile(vector(256), 9)).written.threads).toBe(4 * 32 * 8);
  });

  it("the grid of the report goes before that of the kernel", () => {
    expect(workOf(strided.compile(vector(7 * 128)), 3).read.threads).toBe(4 * (3 * 128));
  });
});

describe("what is not known before the launch", () => {
  const kinds = (compiled: Compiled) =>
    workOf(compiled).notes.map(({ kind, spans }) => `${kind} ${spans[0]?.line !== undefined}`);

  const branches = kernel({ block: 32, grid: 1 }, function branches(x: Tensor<"f32", 1>) {
    if ((x[threadIdx.x] as number) > 0) {
      x[threadIdx.x] = 1;
      x[threadIdx.x + 32] = 1;
    } else x[threadIdx.x] = 2;
  });
  it("a branch: the larger count of both sides", () => {
    const compiled = branches.compile(vector(64));
    expect(kinds(compiled)).toEqual(["branch true"]);
    const { exact, written } = workOf(compiled);
    expect([exact, written.threads]).toEqual([false, 4 * 64]);
  });

  const loops = kernel({ block: 32, grid: 1 }, function loops(x: Tensor<"f32", 1>, n: Tensor<"i32", 1>) {
    for (const _ of range(n[0] as number)) x[threadIdx.x] = 2 * (x[threadIdx.x] as number);
  });
  it("a loop: once", () => {
    const compiled = loops.compile(vector(32), tensorSpec("i32", [1]));
    expect(kinds(compiled)).toEqual(["loop true"]);
    expect(workOf(compiled).operations.f32).toBe(32);
  });

  const waits = kernel({ block: 32, grid: 1 }, function waits(x: Tensor<"i32", 1>) {
    while (x[0] === 0) x[1] = 1;
    x[threadIdx.x] = 1;
  });
  it("a loop that waits for others: once", () => {
    expect(kinds(waits.compile(tensorSpec("i32", [32])))).toEqual(["loop true"]);
  });

  const texts = kernel({ block: 32, grid: 1 }, function texts(x: Tensor<"i32", 1>) {
    x[threadIdx.x] = ptx("add.s32 $0, $1, 1;", { out: "i32" }, threadIdx.x);
  });
  it("PTX of the author's: nothing of it", () => {
    const compiled = texts.compile(tensorSpec("i32", [32]));
    expect([kinds(compiled), workOf(compiled).written.threads]).toEqual([["ptx true"], 128]);
  });
});

describe("a report", () => {
  const compiled = chapter.compile();

  it("stands under a roof, which a launch that was measured has a share of", rotating, () => {
    without();
    const { roofline, work } = compiled.report({ us: 2 });
    if (!roofline || !work) throw new Error("no roof");
    const flops = 2 * 512 * 256 * 1024;
    const bytes = 2 * 1024 * (512 + 256) + 4 * 512 * 256;
    expect([work.tensorOperations, work.leastBytes, work.intensity]).toEqual([{ f16: flops }, bytes, flops / bytes]);
    const { H200 } = gpus;
    expect(roofline.memoryUs).toBeCloseTo((bytes / H200.memory) * 1e6, 9);
    expect(roofline.tensorUs).toBeCloseTo((flops / H200.tensor.f16) * 1e6, 9);
    expect([roofline.gpu, roofline.boundBy, roofline.leastUs]).toEqual(["H200", "memory", roofline.memoryUs]);
    expect(roofline.ridge).toBeCloseTo(H200.tensor.f16 / H200.memory, 9);
    expect(roofline.multiprocessors).toEqual({ used: 8, all: 132 });
    expect(roofline.measured).toMatchObject({ us: 2, share: roofline.leastUs / 2, tensorTflops: flops / 2e-6 / 1e12 });
    const other = compiled.report({ gpu: "H100" }).roofline;
    expect([other?.gpu, other?.measured, other?.reached]).toEqual(["H100", undefined, undefined]);
    expect(other?.memoryUs).toBeCloseTo((roofline.memoryUs * 4.8) / 3.35, 9);
  });

  it("is text in 100 columns", () => {
    without();
    const text = String(compiled.report({ us: 2 }));
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(text).toMatchInlineSnapshot(`
      "gemmWarpSpecialized(a: TMA, b: TMA, d: f32[512,256])
        for sm_90a, examples/ch5/kernel.ts:15

      launch      4 x 2 = 8 blocks of 256 threads (8 warps)
      shared      229,488 B for each block
      registers   unknown without ptxas or a device; setmaxnreg 40 and 232 at examples/ch5/kernel.ts:31
      occupancy   at most 1 block of 256 threads on a multiprocessor: 8 of 64 warps, 12.5 %
                  registers are not known; room for blocks: shared memory 1, threads 8, blocks 32

      memory      reads 4.19 MB by TMA; writes 524 kB by threads
                  a of 1.05 MB: read 2.10 MB by TMA (2 times)
                  b of 524 kB: read 2.10 MB by TMA (4 times)
                  d of 524 kB: written 524 kB by threads
                  at least 2.10 MB between memory and L2, where caches keep all that comes again
      operations  268 Mop of f16 on tensor cores (1,024 wgmma)
                  128 for each of the least bytes
      barriers    threads that come to them: of the block 2,048, arrivals at mbarriers 608, waits for
                  mbarriers 16,512
      roof        H200 by its datasheet (NVIDIA H200 datasheet): at least 0.437 µs, bound by memory
                  memory 0.437 µs, tensor cores 0.271 µs, arithmetic 0 µs; memory binds below 206 op/B
                  measured on one: 4.27 TB/s and 735 TFLOP/s (bench/results: copy of f32, product of bf16)
                  blocks for only 8 of 132 multiprocessors: the roof is that of all of them
      measured    2.00 µs: 134 TFLOP/s of tensor cores, 1.05 TB/s; 21.8 % of the roof of H200"
    `);
  });

  it("without a ptxas and a device, does not know registers", () => {
    without();
    const { assembled, occupancy, remarks } = compiled.report();
    expect([assembled, occupancy.exact, occupancy.limits.registers, remarks]).toEqual([undefined, false, undefined, []]);
  });

  const anywhere = kernel({ block: 32 }, function anywhere(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  });
  it("without a grid, counts nothing", () => {
    without();
    const report = anywhere.compile(vector(32)).report();
    expect([report.work, report.roofline, report.grid]).toEqual([undefined, undefined, undefined]);
    expect(String(report)).toContain("give a grid to count what they do");
    expect(anywhere.compile(vector(32)).report({ grid: 2 }).work?.written.threads).toBe(256);
  });

  it.each([
    [{ us: 0 }, "W7046", /us is 0, and it must be a number of microseconds above 0/],
    [{ us: Number.NaN }, "W7046", /us is NaN/],
    [{ gpu: "A100" }, "W7046", /"H200" or "H100"/],
    [{ grid: 0 }, "W7015", /The grid of gemmWarpSpecialized/],
    [{ time: 3 }, "W2601", /time/],
  ])("refuses %j", (options, code, message) => {
    const report = (): unknown => compiled.report(options as never);
    expect(report).toThrow(expect.objectContaining({ code }));
    expect(report).toThrow(message);
  });
});

describe("figures", () => {
  it("of what was measured are those of the records", () => {
    const read = (file: string) => readRecord(`bench/results/NVIDIA-H200/${file}`).entries;
    const copy = read("memory.json").find((entry) => entry.case === "copy");
    const products = read("bench.json").map(({ figures }) => numbersIn(figures).tflops ?? 0);
    const { measured } = gpus.H200;
    expect([measured?.memory, measured?.f16]).toEqual([
      (numbersIn(copy?.figures).tbps ?? 0) * 1e12,
      Math.max(...products) * 1e12,
    ]);
  });

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.00 kB"],
    [229_488, "229 kB"],
    [4_194_304, "4.19 MB"],
    [1_073_741_824, "1.07 GB"],
    [12.5, "12.5 B"],
  ])("%f bytes are %s", (n, text) => {
    expect(scaled(n, "B")).toBe(text);
  });
});
