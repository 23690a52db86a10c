/** What tiles have of rows, and the launch that puts it together. */
import type { DeviceTensor } from "warpsmith";
import { type FurtherLaunch, none } from "../../common/launches.ts";
import { madeOnce } from "../../common/made.ts";
import { linesOf } from "../epilogue/reduce.ts";
import type { Output, Outputs } from "../options/outputs.ts";
import { type Plan, partColumnsOf } from "../plan/plan.ts";
import type { Problem } from "../problem/problem.ts";
import { makeCombine } from "./combine.ts";
import { roomFor } from "./rooms.ts";

/** What the kernel of a product is given, and the launch after it. */
interface RowsOf {
  readonly written: { readonly partials?: DeviceTensor<"f32", 4> };
  readonly after: readonly FurtherLaunch[];
}

const nothing: RowsOf = { written: Object.freeze({}), after: none };

const why = "What tiles have of rows is put together after it";
const without = "leave the outputs of rows out, and build a kernel that makes them of the result";

/** Parts of a row: a tile's, or, where K is split, those of its blocks, or of so many columns. Whole clusters of them. */
const partsOf = (plan: Plan, problem: Problem): number => {
  const columns = plan.tile[1] * plan.cluster[1];
  return (Math.ceil(problem.n / columns) * columns) / partColumnsOf(plan, problem);
};

/** Of rows as they are launched: `m` of them. W8005; W7029 where a graph is captured. */
export function rowsOf(problem: Problem, plan: Plan, m: number, outputs: Outputs, like: DeviceTensor): RowsOf {
  const { reductions } = problem;
  if (!reductions) return nothing;
  const count = linesOf(reductions);
  const [batch, parts] = [problem.batch?.count ?? 1, partsOf(plan, problem)];
  // Behind those that have columns of the result nothing changes what they come to, but how many there are depends on the plan.
  const used = problem.partColumns ? Math.ceil(problem.n / problem.partColumns) : parts;
  const combined = { count: used, columns: partColumnsOf(plan, problem) };
  const room = roomFor(like.device, "f32", count * batch * parts * m);
  const partials = room.slice([0, count * batch * parts * m]).reshape(count, batch, parts, m) as DeviceTensor<"f32", 4>;
  const kernel = madeOnce(["combineRows", reductions, combined, batch], (kept) => makeCombine(reductions, combined, batch, kept));
  const results = Object.fromEntries(
    Object.keys(reductions).map((name) => [name, (outputs[name] as Output).to.reshape(batch, m)]),
  );
  const columns = Object.entries(outputs).flatMap(([name, output]) =>
    output.by === "argmax" ? [[name, output.column.reshape(batch, m)]] : [],
  );
  return {
    written: Object.freeze({ partials }),
    after: [{ kernel, args: [partials, results, Object.fromEntries(columns)], why, without }],
  };
}
