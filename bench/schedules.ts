// Products by schedules of plain loop nests beside cublasLt and the ceiling of mma.sync, f16 [M, K] @ [K, N] by rows, f32 results.
//
//   npm run bench:schedules -- --out <file> [--sizes 2048,4096,8192] [--seconds 1]
//
// Writes a header and by size a record for each contender: {plan, us, tflops, ofLt, correct, spread}; see `mma-sync.ts`.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { f32, openDevice } from "warpsmith";
import {
  type Buffer,
  block,
  grid,
  init,
  program,
  reduce,
  spatial,
  type TensorCorePipelineOptions,
  tensorCorePipeline,
} from "warpsmith/schedule";
import { openSession } from "./arena.ts";
import type { MmaPlan } from "./mma-sync-kernel.ts";
import { type Candidate, measureProducts, type PlanRecord, planCandidate } from "./mma-sync-measure.ts";
import { variants } from "./mma-sync-plans.ts";
import { report } from "./mma-sync-report.ts";

const matmul = (n: number) =>
  program({ A: [n, n], B: [n, n], C: [n, n] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
    for (const [i, j, k] of grid(n, n, n))
      block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
        init(() => {
          C[vi]![vj] = 0;
        });
        C[vi]![vj]! += f32(A[vi]![vk]!) * f32(B[vk]![vj]!);
      });
  });

const base = { storeStage: 1, swizzle: 8, promoteC: "registers" } as const;
const plans: readonly TensorCorePipelineOptions[] = [
  { ...base, tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 3 },
  { ...base, tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4 },
  { ...base, tile: [128, 128, 32], workgroup: [128, 2, 1], depth: 4 },
  { ...base, tile: [128, 256, 32], workgroup: [128, 2, 1], depth: 3 },
  { ...base, tile: [256, 128, 32], workgroup: [64, 4, 1], depth: 3 },
  { ...base, tile: [128, 128, 64], workgroup: [64, 2, 1], depth: 3 },
];
const nameOf = ({ tile, workgroup, depth }: TensorCorePipelineOptions): string =>
  `wmma ${tile?.join("x")} ${workgroup?.join("x")} depth ${depth}`;

/** The schedule's kernel for one size; it is made when it is first launched. */
function scheduled(options: TensorCorePipelineOptions, size: number): Candidate {
  let kernel: ReturnType<ReturnType<typeof tensorCorePipeline>["schedule"]["kernel"]> | undefined;
  return {
    name: nameOf(options),
    sum: "f32",
    launch: ({ a, b, out }, stream) => {
      kernel ??= tensorCorePipeline(matmul(size), options).schedule.kernel();
      kernel.launch({ stream }, a, b, out);
    },
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: "string" },
      sizes: { type: "string", default: "2048,4096,8192" },
      seconds: { type: "string", default: "1" },
    },
  });
  const { out } = values;
  if (out === undefined) throw new Error("--out names the file that the record is written to");
  const ceiling = (variants.find(({ name }) => name === "f16 to f32, sums in f32")?.plans ?? []).filter(
    (_: MmaPlan, i: number) => i < 5,
  );
  await using device = await openDevice("cuda");
  using session = openSession(device);
  const sizes: Record<string, readonly PlanRecord[]> = {};
  for (const size of values.sizes.split(",").map(Number)) {
    const candidates = [...ceiling.map(planCandidate), ...plans.map((plan) => scheduled(plan, size))];
    sizes[size] = await measureProducts(device, session.arena, { out: "f32", candidates, size, seconds: Number(values.seconds) });
    report({ name: "f16 to f32" }, size, sizes[size]);
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, `${JSON.stringify({ ...session.header, sizes }, null, 1)}\n`);
  }
}

await main();
