/** W9008, W9009: a lane used memory that is not there, or not aligned, said with the author's names where the host gave them. */
import { makeError, type WarpsmithError } from "../diag/index.ts";
import type { NamedMemory } from "../runtime/backend.ts";
import type { BadBytes } from "./fault.ts";
import type { LaunchState } from "./launch-state.ts";
import { sharedOrigin } from "./memory.ts";
import type { Warp } from "./warp.ts";
import { threadPlace } from "./where.ts";

/** Further away than this, an address has nothing to do with a tensor. */
const reach = 2 ** 32;

interface Near {
  readonly memory: NamedMemory;
  /** From its beginning. */
  readonly at: number;
  readonly distance: number;
}

/** The memory that an access was most likely meant for. */
function nearest({ memories = [], program }: LaunchState, { space, address }: BadBytes): Near | undefined {
  let best: Near | undefined;
  for (const memory of memories) {
    if (memory.space !== space) continue;
    const begin = space === "shared" ? sharedOrigin + program.dynamicSharedOffset + memory.begin : memory.begin;
    // In a cluster the addresses of each block have its rank in their upper byte.
    const at = (space === "shared" ? address & 0xffffff : address) - begin;
    const distance = at < 0 ? -at : Math.max(0, at - memory.bytes + 1);
    if (distance < (best?.distance ?? reach)) best = { memory, at, distance };
  }
  return best;
}

/** "element 64 of x, [64]": the place, and what there is. */
function placeIn({ memory: { name, bytes, elements }, at }: Near): { readonly place: string; readonly there: string } {
  if (!elements) return { place: `byte ${at} of ${name}`, there: `it has ${bytes} bytes of shared memory` };
  const count = bytes / elements.bytes;
  const order = elements.shape.length > 1 ? ", in the order of memory" : "";
  return {
    place: `element ${Math.floor(at / elements.bytes)} of ${name}, [${elements.shape.join(", ")}]${order}`,
    there: `its elements are 0 to ${count - 1}`,
  };
}

const verbs: readonly (readonly [RegExp, string])[] = [
  [/^ld/, "reads"],
  [/^st/, "writes"],
];

/** The error of an access that failed; undefined where nothing is known of what it was meant for. */
export function badAccessError(warp: Warp, bad: BadBytes, opcode: string): WarpsmithError | undefined {
  const { launch } = warp.block;
  const near = nearest(launch, bad);
  if (!near) return undefined;
  const { place, there } = placeIn(near);
  const does = verbs.find(([form]) => form.test(opcode))?.[1] ?? "changes";
  const args = { kernel: launch.program.name, who: threadPlace(warp, warp.lane), does, place };
  if (!bad.aligned) return makeError("W9009", { ...args, bytes: bad.bytes });
  const { name, elements } = near.memory;
  return makeError("W9008", { ...args, there, limit: elements?.shape.length === 1 ? `${name}.shape[0]` : "n" });
}
