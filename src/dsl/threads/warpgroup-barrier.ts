import { constant, xor } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { ownBarrier } from "../sync/index.ts";
import { runningHere } from "../trace/partition.ts";
import type { Trace } from "../trace/trace.ts";
import { checkWarpgroups, warpgroupIndex } from "./specialize.ts";

/** The barrier where a warpgroup meets by itself, from 15 down: static where a single warpgroup runs. `what` needs it. W6505, W6522. */
export function warpgroupBarrier(trace: Trace, what: string): Value {
  checkWarpgroups(trace, what);
  const { first, count } = runningHere(trace);
  const ids = Array.from({ length: count }, (_, i) => ownBarrier(trace, first + i));
  const [id = 0] = ids;
  return count === 1 ? constant(trace, id, "i32") : xor(trace, warpgroupIndex(trace), 15);
}
