/** W9008, W9009: a lane used memory that is not there, or not aligned, said with the author's names where the host gave them. */

import type { WarpsmithError } from "../../base/diag/index.ts";
import { type Instruction, traitsOf } from "../../ptx/parse/index.ts";
import { makeError } from "../errors/index.ts";
import type { BadBytes } from "../machine/fault.ts";
import { describeElement, nearest } from "../machine/memory-names.ts";
import type { Warp } from "../machine/warp.ts";
import { describeThread } from "../machine/where.ts";

const verbs: Readonly<Partial<Record<string, string>>> = {
  load: "reads",
  store: "writes",
  atomic: "changes",
  reduction: "changes",
};

/** The error of an access that failed; undefined where nothing is known of what it was meant for. */
export function badAccessError(warp: Warp, bad: BadBytes, i: Instruction): WarpsmithError | undefined {
  const { launch } = warp.block;
  const near = nearest(launch, bad.space, bad.address);
  if (!near) return undefined;
  const place = describeElement(near);
  const does = verbs[traitsOf(i).access ?? ""] ?? "uses";
  const args = { kernel: launch.program.name, who: describeThread(warp, warp.lane), does, place };
  if (!bad.aligned) return makeError("W9009", { ...args, bytes: bad.bytes });
  const { name, bytes, elements } = near.memory;
  const there = elements ? `its elements are 0 to ${bytes / elements.bytes - 1}` : `it has ${bytes} bytes of shared memory`;
  return makeError("W9008", { ...args, there, limit: elements?.shape.length === 1 ? `${name}.shape[0]` : "n" });
}
