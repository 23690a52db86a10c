/** What tiles have of rows, and the launch that puts it together. */
import type { DeviceTensor } from "warpsmith";
import { type FurtherLaunch, none } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { makeCombine } from "./combine.ts";
import type { Outputs } from "./outputs.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { roomFor } from "./rooms.ts";

/** What the kernel of a product is given, and the launch after it. */
interface RowsOf {
  readonly written: { readonly partials?: DeviceTensor<"f32", 4> };
  readonly after: readonly FurtherLaunch[];
}

const nothing: RowsOf = { written: Object.freeze({}), after: none };

const why = "What tiles have of rows is put together after it";
const without = "leave the outputs of rows out, and build a kernel that makes them of the result";

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
  return { written: Object.freeze({ partials }), after: [{ kernel, args: [partials, results], why, without }] };
}
