import { afterAll, beforeAll, expect, test } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import type { PipelineOptions } from "../../../src/schedule/primitives/pipeline.ts";
import { type BlockRef, type LoopRef, Schedule } from "../../../src/schedule/schedule.ts";
import { programOf } from "../../schedule/program-of.ts";
import { extent, rotating, some } from "../../support/amount.ts";

const matmul = programOf(`import { block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const matmul = program({ X: [32, 64], Y: [16, 64], Z: [32, 16] }, function matmul(X: Buffer<"f32", 2>, Y: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(32, 16, 64))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => { Z[vi][vj] = 0; });
      Z[vi][vj] += X[vi][vk] * Y[vj][vk];
    });
});`);

const devices: Device[] = [];
beforeAll(async () => {
  for (const check of extent === "quick" ? (["strict"] as const) : (["normal", "strict"] as const))
    devices.push(await openDevice("emulator", { check }));
});
afterAll(async () => {
  for (const gpu of devices) await gpu[Symbol.asyncDispose]();
});

const all = (...loops: (LoopRef | undefined)[]): LoopRef[] => loops.filter((l) => l !== undefined);

/** One element of the result for each thread, and tiles of both operands in shared memory that all threads copy. */
function threaded(): { s: Schedule; outer: LoopRef; copies: readonly BlockRef[] } {
  const s = new Schedule(matmul);
  const block = s.getBlock("matmul");
  const [i, j, k] = all(...s.getLoops(block)) as [LoopRef, LoopRef, LoopRef];
  const [i0, i1] = s.split(i, [null, 16]) as [LoopRef, LoopRef];
  const [outer] = s.split(k, [null, 8]) as [LoopRef];
  s.bind(i0, "blockIdx.x");
  s.bind(i1, "threadIdx.y");
  s.bind(j, "threadIdx.x");
  const copies = ["X", "Y"].map((name) => s.cacheRead(block, name, "shared"));
  for (const copy of copies) {
    s.computeAt(copy, outer);
    spread(s, copy);
  }
  return { s, outer, copies };
}

/** A copy's own two loops go over the threads. */
function spread(s: Schedule, copy: BlockRef): void {
  const [rows, columns] = s.getLoops(copy).slice(-2) as [LoopRef, LoopRef];
  s.bind(rows, "threadIdx.y");
  s.bind(columns, "threadIdx.x");
}

const numbers = (n: number, seed: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => ((i * 7 + seed * 13) % 7) - 3);

async function agrees(s: Schedule): Promise<string> {
  const data = { X: numbers(2048, 1), Y: numbers(1024, 2), Z: numbers(512, 3) };
  const wanted = { X: data.X.slice(), Y: data.Y.slice(), Z: data.Z.slice() };
  interpret(matmul, wanted);
  const kernel = programKernel(s.program);
  for (const gpu of devices) {
    const tensors = [
      gpu.tensor("f32", [32, 64], data.X),
      gpu.tensor("f32", [16, 64], data.Y),
      gpu.tensor("f32", [32, 16], data.Z),
    ];
    kernel.launch({}, ...tensors);
    expect([...((await tensors[2]?.read()) ?? [])]).toEqual([...wanted.Z]);
  }
  return kernel.compile(...specsOf(s.program)).ptx;
}

const pipelines: readonly (readonly [string, PipelineOptions])[] = [
  ["peeled", { stages: [0, 0, 2] }],
  ["with the products first", { stages: [0, 0, 1], order: [1, 2, 0] }],
  ["predicated", { stages: [0, 0, 2], epilogue: "predicated" }],
];

test.each(pipelines)("copies by threads overlap with products: %s", rotating, async (_, options) => {
  const { s, outer } = threaded();
  s.pipeline(outer, options);
  await agrees(s);
});

test.each(some(pipelines, 1))("asynchronous copies overlap with products: %s", async (_, options) => {
  const { s, outer, copies } = threaded();
  for (const copy of copies) s.annotate(copy, { async: true });
  s.pipeline(outer, options);
  const ptx = await agrees(s);
  expect(ptx).toContain("cp.async.ca.shared");
  expect(ptx).toContain("cp.async.wait_group");
});
