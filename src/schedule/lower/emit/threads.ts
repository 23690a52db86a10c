/** The thread that runs a statement: its indices, the number of its group, and its iteration of a loop that is bound to an index. */

import { binary, blockIdx, threadIdx } from "../../../dsl/emit.ts";
import { extentOf, isThreadTag } from "../../facts/launch.ts";
import { intOf } from "../../ir/build.ts";
import type { For, ThreadTag } from "../../ir/types.ts";
import type { Emission } from "./emission.ts";

type Threads = Pick<Emission, "launch" | "role">;

const hardwareIndex = (tag: ThreadTag): number => {
  const ids = isThreadTag(tag) ? threadIdx : blockIdx;
  return ids[tag.slice(-1) as "x" | "y" | "z"];
};

/** An index of the thread; where its warpgroup has a role, among the threads of that role. */
export const indexHere = (tag: ThreadTag, { role }: Threads): number =>
  role && isThreadTag(tag) ? role.index(tag) : hardwareIndex(tag);

/** The number of the thread's group, of groups that differ in the indices `outer`. */
export function groupHere(outer: readonly ThreadTag[], on: Threads): number {
  let [number, size]: [number, number] = [0, 1];
  for (const tag of outer) {
    const extent = extentOf(on.launch, tag);
    if (extent > 1) number = binary("+", binary("*", indexHere(tag, on), size), number) as number;
    size *= extent;
  }
  return number;
}

/** The iteration that a thread or block runs of a loop that is bound to an index. */
export interface IterationHere {
  /** The loop's variable. */
  readonly value: unknown;
  /** Whether the thread runs one; undefined: each does. */
  readonly condition: unknown;
}

/** A loop over threads or blocks becomes an index, and a condition where it has fewer iterations than the launch has indices. */
export function iterationHere(s: For, tag: ThreadTag, on: Threads): IterationHere {
  const there = extentOf(on.launch, tag);
  const extent = intOf(s.extent) ?? there;
  const i = there === 1 ? 0 : indexHere(tag, on);
  const all = extent >= there;
  const condition = all ? undefined : extent === 1 ? binary("===", i, 0) : binary("<", i, extent);
  return { value: extent === 1 ? 0 : i, condition };
}
