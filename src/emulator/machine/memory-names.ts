/** What the author calls the memory at an address, where the host gave names. */
import type { NamedMemory } from "../../runtime/index.ts";
import { sharedOrigin } from "./memory.ts";

/** The named memory of a launch, and where its shared memory begins. */
export interface Names {
  readonly memories?: readonly NamedMemory[] | undefined;
  readonly program: { readonly dynamicSharedOffset: number };
}

export interface Near {
  readonly memory: NamedMemory;
  /** From its beginning. */
  readonly at: number;
  readonly distance: number;
}

/** Further away than this, an address has nothing to do with a tensor. */
const reach = 2 ** 32;

/** The memory that lies nearest. */
export function nearest({ memories = [], program }: Names, space: string, address: number): Near | undefined {
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

/** "element 64 of x, [64]"; "byte 256 of tile". */
export function describeElement({ memory: { name, elements }, at }: Near): string {
  if (!elements) return `byte ${at} of ${name}`;
  const order = elements.shape.length > 1 ? ", in the order of memory" : "";
  return `element ${Math.floor(at / elements.bytes)} of ${name}, [${elements.shape.join(", ")}]${order}`;
}

/** " (byte 256 of tile)", to stand behind an address; nothing where nobody named it. */
export function nameAt(names: Names, space: string, address: number): string {
  const near = nearest(names, space, address);
  return near?.distance === 0 ? ` (${describeElement(near)})` : "";
}

const mbarrierBytes = 8;

/** An mbarrier by the author's name, and which one it is of several: "ring.full[1]", 1. Undefined where nobody named it. */
export function mbarrierNameAt(names: Names, address: number): { readonly name: string; readonly index?: number } | undefined {
  const near = nearest(names, "shared", address);
  if (near?.distance !== 0) return undefined;
  const { name, bytes } = near.memory;
  if (bytes <= mbarrierBytes) return { name };
  const index = Math.floor(near.at / mbarrierBytes);
  return { name: `${name}[${index}]`, index };
}
