import { type Device, type DeviceTensor, type Stream, TMA } from "warpsmith";
import { type Kept, madeOnce } from "../../common/made.ts";
import type { HalfType } from "../problem.ts";
import { checkDecodePlan } from "./check-plan.ts";
import { makeDecode } from "./kernel.ts";
import { chooseDecodePlan, type DecodeGeometry, type DecodePlan, rowsOf } from "./plan.ts";
import { workspaceOf } from "./workspace.ts";

type Cache = DeviceTensor<HalfType, 4>;
export type DecodeKernel = ReturnType<typeof makeDecode>;
export type DecodeArgs = Parameters<DecodeKernel["launch"]> extends [unknown, ...infer Args] ? Args : never;

/** What the author asks for, operands and all. */
export interface DecodeAsked {
  readonly k: Cache;
  readonly v: Cache;
  readonly out?: DeviceTensor<HalfType, 3>;
  readonly lengths?: DeviceTensor<"i32", 1>;
  readonly pages?: DeviceTensor<"i32", 2>;
  readonly scale?: number;
  readonly logSumExp?: DeviceTensor<"f32", 2>;
  readonly stream?: Stream;
  readonly plan?: DecodePlan;
  readonly overlapPrevious?: boolean;
}

/** A launch that is ready: the kernel, what it is called with, in how many blocks, and where its result goes. */
export interface DecodeReady {
  readonly kernel: DecodeKernel;
  readonly args: DecodeArgs;
  readonly grid: number;
  readonly out: DeviceTensor<HalfType, 3>;
}

function kernelFor(geometry: DecodeGeometry, optional: object): DecodeKernel {
  const given = { to: "to" in optional, lengths: "lengths" in optional, pages: "pages" in optional };
  const make = (kept: Kept) => makeDecode(geometry, given, kept);
  return madeOnce(["attentionDecode()", geometry, given], make) as unknown as DecodeKernel;
}

/** A tensor map whose box has so many keys of one head. On an H200 a promotion to 256 bytes took 5 % more time, to none as much as this. */
const mapOf = (x: Cache, keys: number): TMA<HalfType, 4> =>
  new TMA(x, { box: [1, 1, keys, 64], swizzle: "128B", l2Promotion: "128B" });

/** Blocks of keys of all heads and batches at most, and in how many blocks of threads they are computed. */
function gridOf(device: Device, { problem, plan }: DecodeGeometry, batches: number, most: number): number {
  const blocks = batches * problem.kvHeads * Math.max(1, Math.ceil(most / plan.keys));
  return Math.max(1, Math.min(device.multiprocessors * plan.blocks, Math.ceil(blocks / plan.least)));
}

/** Makes the launch: the kernel, tensor maps, and memory where none is given. W7613, W7654. */
export function prepareDecode(q: DeviceTensor<HalfType, 3>, asked: DecodeAsked): DecodeReady {
  const { k, v, lengths, pages, logSumExp, stream, overlapPrevious: overlaps = false } = asked;
  const [[batches, heads, d], [, kvHeads, size, dv]] = [q.shape, v.shape];
  const share = heads / kvHeads;
  if (asked.plan !== undefined) checkDecodePlan(asked.plan, { d, dv, share });
  const plan = asked.plan ?? chooseDecodePlan({ d, dv, share });
  const problem = {
    ...{ dtype: q.dtype, d, dv, kvHeads, share, overlaps },
    scale: asked.scale ?? 1 / Math.sqrt(d),
    pageSize: pages ? size : undefined,
  };
  const geometry = { problem, plan, rows: rowsOf(share) };
  const most = pages ? size * pages.shape[1] : size;
  const out = asked.out ?? (q.device.empty(q.dtype, [batches, heads, dv]) as DeviceTensor<HalfType, 3>);
  const grid = gridOf(q.device, geometry, batches, most);
  const box = Math.min(plan.keys, pages ? size : plan.keys);
  const grouped = (x: DeviceTensor<HalfType, 3>) => x.reshape(batches, kvHeads, share, x.shape[2]);
  // Frozen objects are known again at the next launch.
  const optional = Object.freeze({
    ...(logSumExp ? { to: logSumExp.reshape(batches, kvHeads, share) } : {}),
    ...(lengths ? { lengths } : {}),
    ...(pages ? { pages } : {}),
  });
  const parts = workspaceOf(q.device, stream, grid, geometry.rows, dv);
  const args = [grouped(q), mapOf(k, box), mapOf(v, box), grouped(out), optional, parts, batches, most];
  return { kernel: kernelFor(geometry, optional), args: args as unknown as DecodeArgs, grid, out };
}
