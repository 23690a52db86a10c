/** What tiles have of rows, and the launch that puts it together. */
import type { DeviceTensor } from "warpsmith";
import { madeOnce } from "../common/made.ts";
import { makeCombine } from "./combine.ts";
import type { Outputs } from "./outputs.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { roomFor } from "./rooms.ts";

type CombineKernel = ReturnType<typeof makeCombine>;

/** A launch that comes after a product. */
export interface CombineLaunch {
  /** The kernel: `launch` it with `args`, in the stream of the product. */
  readonly kernel: CombineKernel;
  /** Its arguments: what tiles have of rows, and where that goes. */
  readonly args: Parameters<CombineKernel["launch"]> extends [unknown, ...infer Args] ? Args : never;
}

/** What the kernel of a product is given, and the launch behind it. */
interface RowsOf {
  readonly written: { readonly partials?: DeviceTensor<"f32", 4> };
  readonly combine: CombineLaunch | undefined;
}

const nothing: RowsOf = { written: Object.freeze({}), combine: undefined };

/** Parts of a row: a tile's, or, where K is split, those of its blocks. Whole clusters of them. */
const partsOf = (plan: Plan, { n }: Problem): number => {
  const { tile, cluster, splits = 1 } = plan;
  return Math.ceil(n / (tile[1] * cluster[1])) * cluster[1] * splits;
};

/** Of rows as they are launched: `m` of them. W8005; W7029 where a graph is captured. */
export function rowsOf(problem: Problem, plan: Plan, m: number, outputs: Outputs, like: DeviceTensor): RowsOf {
  const { reductions } = problem;
  if (!reductions) return nothing;
  const count = Object.keys(reductions).length;
  const [batch, parts] = [problem.batch?.count ?? 1, partsOf(plan, problem)];
  const room = roomFor(like.device, "f32", count * batch * parts * m);
  const partials = room.slice([0, count * batch * parts * m]).reshape(count, batch, parts, m) as DeviceTensor<"f32", 4>;
  const kernel = madeOnce(["combineRows", reductions, parts, batch], (kept) => makeCombine(reductions, parts, batch, kept));
  const results = Object.fromEntries(Object.entries(outputs).map(([name, { to }]) => [name, to.reshape(batch, m)]));
  const args = [partials, Object.freeze(results)] as unknown as CombineLaunch["args"];
  return { written: Object.freeze({ partials }), combine: { kernel: kernel as unknown as CombineKernel, args } };
}
