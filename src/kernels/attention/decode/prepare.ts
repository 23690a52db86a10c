import { type Device, type DeviceTensor, type Stream, TMA } from "warpsmith";
import type { Ready } from "../../common/launches.ts";
import { type Kept, madeOnce } from "../../common/made.ts";
import type { HalfType } from "../problem.ts";
import { checkDecodePlan } from "./check-plan.ts";
import { makeDecode } from "./kernel.ts";
import { chooseDecodePlan, type DecodeGeometry, type DecodePlan, rowsOf, widthOf } from "./plan.ts";
import { workspaceOf } from "./workspace.ts";

type Cache = DeviceTensor<HalfType, 4>;
/** [batch, heads, d], or [batch, queries, heads, d]. */
export type Queries = DeviceTensor<HalfType, 3 | 4>;
export type DecodeKernel = ReturnType<typeof makeDecode>;
export type DecodeArgs = Parameters<DecodeKernel["launch"]> extends [unknown, ...infer Args] ? Args : never;

/** What the author asks for, operands and all. */
export interface DecodeAsked {
  readonly k: Cache;
  readonly v: Cache;
  readonly out?: Queries;
  readonly lengths?: DeviceTensor<"i32", 1>;
  readonly pages?: DeviceTensor<"i32", 2>;
  readonly scale?: number;
  readonly window?: number;
  readonly logSumExp?: DeviceTensor<"f32", 2 | 3>;
  readonly stream?: Stream;
  readonly plan?: DecodePlan;
  readonly overlapPrevious?: boolean;
}

/** A call that is ready to be launched. */
export interface DecodeReady extends Ready {
  readonly kernel: DecodeKernel;
  readonly args: DecodeArgs;
  readonly grid: number;
  readonly out: Queries;
}

function kernelFor(geometry: DecodeGeometry, optional: object): DecodeKernel {
  const given = { to: "to" in optional, lengths: "lengths" in optional, pages: "pages" in optional };
  const make = (kept: Kept) => makeDecode(geometry, given, kept);
  return madeOnce(["attentionDecode()", geometry, given], make);
}

/** How many queries of how many heads, and of how many elements. */
export function sizesOf({ shape }: Queries) {
  const [batches = 0] = shape;
  const [heads = 0, d = 0] = shape.slice(-2);
  return { batches, queries: shape.length === 4 ? (shape[1] ?? 0) : 1, heads, d };
}

/** A tensor map whose box has so many keys of one head. On an H200 a promotion to 256 bytes took 5 % more time, to none as much as this. */
const mapOf = (x: Cache, keys: number): TMA<HalfType, 4> =>
  new TMA(x, { box: [1, 1, keys, 64], swizzle: "128B", l2Promotion: "128B" });

/** Blocks of keys of all heads and batches at most, and in how many blocks of threads they are computed. */
function gridOf(device: Device, { problem, plan }: DecodeGeometry, batches: number, most: number): number {
  const { kvHeads, queries, window } = problem;
  const all = Math.ceil(most / plan.keys);
  // Wherever it begins, a window is in one block more than it fills.
  const seen = window === undefined ? all : Math.min(all, Math.ceil((queries - 1 + window) / plan.keys) + 1);
  const blocks = batches * kvHeads * Math.max(1, seen);
  return Math.max(1, Math.min(device.multiprocessors * plan.blocks, Math.ceil(blocks / plan.least)));
}

/** Makes the launch: the kernel, tensor maps, and memory where none is given. W7613, W7654. */
export function prepareDecode(q: Queries, asked: DecodeAsked): DecodeReady {
  const { k, v, lengths, pages, logSumExp, stream, overlapPrevious: overlaps = false } = asked;
  const { batches, queries, heads, d } = sizesOf(q);
  const [, kvHeads, size, dv] = v.shape;
  const share = heads / kvHeads;
  const sized = { d, dv, queries, share };
  if (asked.plan !== undefined) checkDecodePlan(asked.plan, sized);
  const plan = asked.plan ?? chooseDecodePlan(sized);
  const problem = {
    ...{ ...sized, dtype: q.dtype, kvHeads, overlaps, window: asked.window },
    scale: asked.scale ?? 1 / Math.sqrt(d),
    pageSize: pages ? size : undefined,
  };
  const geometry = { problem, plan, rows: rowsOf(sized) };
  const most = pages ? size * pages.shape[1] : size;
  const out = asked.out ?? (q.device.empty(q.dtype, [...q.shape.slice(0, -1), dv]) as Queries);
  const grid = gridOf(q.device, geometry, batches, most);
  const box = Math.min(plan.keys, pages ? size : plan.keys);
  // A kernel's dimensions are [batch, kvHeads, queries, heads that share keys, …].
  const grouped = (x: Queries) => x.reshape(batches, queries, kvHeads, share, x.shape.at(-1) ?? 0).transpose(0, 2, 1, 3, 4);
  const optional = {
    ...(logSumExp ? { to: logSumExp.reshape(batches, queries, kvHeads, share).transpose(0, 2, 1, 3) } : {}),
    ...(lengths ? { lengths } : {}),
    ...(pages ? { pages } : {}),
  };
  const parts = workspaceOf(q.device, stream, grid, geometry.rows.count, widthOf(dv));
  const args = [grouped(q), mapOf(k, box), mapOf(v, box), grouped(out), optional, parts, batches, most];
  return { kernel: kernelFor(geometry, optional), args: args as DecodeArgs, grid, out };
}
