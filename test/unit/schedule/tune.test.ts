import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Device, openDevice, tensorSpec } from "warpsmith";
import { matmulKernel } from "warpsmith/kernels";
import { Schedule, tensorCorePipeline, tensorCoreResources, tune } from "warpsmith/schedule";
import { plainSchedule } from "../../../src/schedule/tune/plain.ts";
import { programOf } from "../../schedule/program-of.ts";
import { rotating, some } from "../../support/amount.ts";

const productOf = (sum: string, init: boolean, n = 32): Schedule["program"] =>
  programOf(`import { f32 } from "warpsmith";
import { type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program({ A: [${n}, ${n}], B: [${n}, ${n}], C: [${n}, ${n}] },
  function product(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"${sum}", 2>) {
    for (const [i, j, k] of grid(${n}, ${n}, ${n}))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        ${init ? "init(() => { C[vi][vj] = 0; });" : ""}
        C[vi][vj] += ${sum === "f32" ? "f32(A[vi][vk]) * f32(B[vk][vj])" : "A[vi][vk] * B[vk][vj]"};
      });
  });`);

const fusions = ["matrix and relu", "relu", "constant", "matrix", "relu on an input"] as const;
type Fusion = (typeof fusions)[number];
const after: Readonly<Record<Fusion, string>> = {
  relu: "Math.max(C[vi][vj], 0)",
  constant: "C[vi][vj] + 1",
  matrix: "C[vi][vj] + E[vi][vj]",
  "matrix and relu": "Math.max(C[vi][vj] + E[vi][vj], 0)",
  "relu on an input": "C[vi][vj]",
};

/** n × n, f16 to f32, with something computed of A or of the result. */
const fused = (fusion: Fusion, n: number): Schedule["program"] =>
  programOf(`import { f32 } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const fused = program({ A: [${n}, ${n}], B: [${n}, ${n}], E: [${n}, ${n}], D: [${n}, ${n}] },
  function fused(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, E: Buffer<"f32", 2>, D: Buffer<"f32", 2>) {
    const P = alloc("f16", [${n}, ${n}], "global");
    const C = alloc("f32", [${n}, ${n}], "global");
    for (const [i, k] of grid(${n}, ${n}))
      block("before", { vi: spatial(i), vk: spatial(k) }, ({ vi, vk }) => {
        P[vi][vk] = ${fusion === "relu on an input" ? "Math.max(A[vi][vk], 0)" : "A[vi][vk]"};
      });
    for (const [i, j, k] of grid(${n}, ${n}, ${n}))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => { C[vi][vj] = 0; });
        C[vi][vj] += f32(P[vi][vk]) * f32(B[vk][vj]);
      });
    for (const [i, j] of grid(${n}, ${n}))
      block("after", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { D[vi][vj] = ${after[fusion]}; });
  });`);

const rest = { workgroup: [64, 2, 1], storeStage: 1 } as const;

let device: Device;
beforeEach(async () => {
  device = await openDevice("emulator", { check: "normal" });
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(async () => {
  await device.dispose();
  vi.restoreAllMocks();
});

describe("tune of a program, on the emulator", () => {
  it("takes the first pipeline that is right, and tries no other", rotating, async () => {
    const product = productOf("f32", true);
    const made = vi.fn((knobs: { readonly tile: readonly number[]; readonly depth: number }) =>
      tensorCorePipeline(product, { ...rest, ...knobs }),
    );
    const space = {
      tile: [
        [48, 32, 16],
        [32, 32, 16],
      ],
      depth: [1, 2],
    };
    const found = await tune(space, made, { program: product, device });
    expect(found).toMatchObject({ config: { tile: [32, 32, 16], depth: 1 }, time: undefined, kept: false });
    expect(found.trials.map(({ outcome }) => outcome)).toEqual(["refused", "refused", "chosen without measuring", "not tried"]);
    expect(found.trials[0]?.reason).toMatch(/^W56/);
    expect(made).toHaveBeenCalledTimes(3);
  });

  it("finds out what is wrong, and takes what comes behind it", rotating, async () => {
    const product = productOf("f32", true);
    const other = programOf(`import { f32 } from "warpsmith";
import { type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const product = program({ A: [32, 32], B: [32, 32], C: [32, 32] },
  function product(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
    for (const [i, j, k] of grid(32, 32, 32))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => { C[vi][vj] = 1; });
        C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
      });
  });`);
    const plain = (of: Schedule["program"]): Schedule => plainSchedule(of) as Schedule;
    const found = await tune({ right: [false, true] }, ({ right }) => plain(right ? product : other), {
      program: product,
      device,
    });
    expect(found.config).toEqual({ right: true });
    expect(found.trials[0]).toMatchObject({
      outcome: "wrong",
      reason: expect.stringMatching(/^1024 of 1024 elements are wrong/),
    });
  });

  it("puts back what the program adds to, before each launch", rotating, async () => {
    const product = productOf("f16", false);
    const found = await tune({ depth: [2] }, ({ depth }) => tensorCorePipeline(product, { ...rest, tile: [32, 32, 16], depth }), {
      ...{ program: product, device },
      tolerance: 0.03,
    });
    expect(found.trials[0]?.outcome).toBe("chosen without measuring");
  });

  it.each(some(fusions, 0))("takes the program itself for the reference: %s", async (fusion) => {
    const program = fused(fusion, 32);
    const found = await tune({ depth: [1] }, ({ depth }) => tensorCorePipeline(program, { ...rest, tile: [32, 32, 16], depth }), {
      ...{ program, device },
    });
    expect(found.trials[0]?.outcome).toBe("chosen without measuring");
  });

  // 20 × 20 elements are no multiple of 256 threads.
  it.each(some(fusions.toReversed(), 1))("has a reference that is right: %s", async (fusion) => {
    const n = 20;
    const numbers = (seed: number) => Array.from({ length: n * n }, (_, i) => ((i * seed) % 7) - 3);
    const [a, b, e] = [numbers(3), numbers(5), numbers(11)];
    const [A, B] = [device.tensor("f16", [n, n], a), device.tensor("f16", [n, n], b)];
    const [E, D] = [device.tensor("f32", [n, n], e), device.zeros("f32", [n, n])];
    (plainSchedule(fused(fusion, n)) as Schedule).kernel().launch({}, A, B, E, D);
    const relu = (x: number): number => Math.max(x, 0);
    const expected = numbers(1).map((_, at) => {
      let sum = 0;
      for (let k = 0; k < n; k++) {
        const left = a[Math.floor(at / n) * n + k] ?? 0;
        sum += (fusion === "relu on an input" ? relu(left) : left) * (b[k * n + (at % n)] ?? 0);
      }
      if (fusion === "relu") return relu(sum);
      if (fusion === "constant") return sum + 1;
      if (fusion === "matrix") return sum + (e[at] ?? 0);
      return fusion === "matrix and relu" ? relu(sum + (e[at] ?? 0)) : sum;
    });
    expect([...(await D.read())]).toEqual(expected);
  });

  it("tunes a product of warpsmith/kernels, whose kernels have arguments of their own", rotating, async () => {
    const [a, b] = [
      device.tensor("f16", [64, 64], new Array(4096).fill(0.5)),
      device.tensor("f16", [64, 64], new Array(4096).fill(1)),
    ];
    const out = device.zeros("f16", [64, 64]);
    const tile = [[64, 64, 64]] as const;
    const found = await tune({ tile }, () => matmulKernel(a, b, { out }), {
      ...{ device, args: [a, b, out], results: [out] },
      reference: () => out.fill(32),
    });
    expect(found.trials[0]?.outcome).toBe("chosen without measuring");
  });

  it("says of a program without a plain kernel that it needs a reference", () => {
    const two = programOf(`import { f32 } from "warpsmith";
import { type Buffer, block, grid, program, reduce, spatial } from "warpsmith/schedule";
export const two = program({ A: [8, 8], B: [8], C: [8] },
  function two(A: Buffer<"f32", 2>, B: Buffer<"f32", 1>, C: Buffer<"f32", 1>) {
    for (const [i, k] of grid(8, 8)) block("rows", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => { B[vi] += A[vi][vk]; });
    for (const [i, k] of grid(8, 8)) block("columns", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => { C[vi] += A[vk][vi]; });
  });`);
    expect(() => tune({ x: [1] }, () => new Schedule(two), { program: two, device })).toThrow(/W7546.*2 of its blocks sum/s);
  });
});

describe("what a pipeline takes", () => {
  const knobsOf = [
    { tile: [64, 64, 32], depth: 3, promoteC: "registers" as const },
    { tile: [128, 64, 32], depth: 2, promoteC: "registers" as const, padding: 32 },
    { tile: [64, 128, 32], depth: 1, promoteC: "shared" as const },
    { tile: [128, 64, 32], depth: 3, promoteC: "registers" as const, copies: "tma" as const },
  ];
  it.each(some(knobsOf, 1))("is what its kernel is compiled to: $tile, depth $depth", (knobs) => {
    const product = productOf("f32", true, 128);
    const options = { ...rest, ...knobs };
    const said = tensorCoreResources(product, options);
    const kernel = tensorCorePipeline(product, options).schedule.kernel();
    const [a, c] = [tensorSpec("f16", [128, 128]), tensorSpec("f32", [128, 128])];
    const compiled = kernel.compile(a, a, c);
    const [threads] = [...compiled.ptx.matchAll(/\.reqntid (\d+), (\d+), (\d+)/g)].map(
      ([, x, y, z]) => Number(x) * Number(y) * Number(z),
    );
    expect(said.threads).toBe(threads);
    expect(said.blocks).toBe((128 / (knobs.tile[0] ?? 1)) * (128 / (knobs.tile[1] ?? 1)));
    // Beside its tiles a kernel may have a few bytes more; C's tile may lie in memory of its own.
    const [least, most] = [said.sharedBytes ?? 0, (said.sharedBytes ?? 0) * (knobs.promoteC === "shared" ? 2 : 1.02)];
    expect(compiled.resources.sharedBytes).toBeGreaterThanOrEqual(least);
    expect(compiled.resources.sharedBytes).toBeLessThanOrEqual(most);
  });

  /** Of 4 tiles along K: fewer stages, as many, and more. */
  const depths = [
    { depth: 3 },
    { depth: 4 },
    { depth: 5 },
    { depth: 3, instruction: "mma.sync" as const },
    { depth: 4, instruction: "mma.sync" as const },
    { depth: 5, instruction: "mma.sync" as const, padding: 8 },
  ];
  it.each(some(depths, 2))("has the stages that were asked for, and no more than there are tiles: %j", (knobs) => {
    const product = productOf("f32", true, 128);
    const options = { ...rest, tile: [64, 64, 32], promoteC: "registers", ...knobs } as const;
    const [a, c] = [tensorSpec("f16", [128, 128]), tensorSpec("f32", [128, 128])];
    const compiled = tensorCorePipeline(product, options).schedule.kernel().compile(a, a, c);
    expect(compiled.resources.sharedBytes).toBe(tensorCoreResources(product, options).sharedBytes);
  });
});
