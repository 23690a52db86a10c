import type { RawOp } from "../value.ts";
import { checkOps } from "./check.ts";
import { collectiveOps } from "./collective.ts";
import { coreOps } from "./core.ts";
import { type OpEntry, readEntry, type Wait } from "./define-ops.ts";
import { fragmentOps } from "./fragment.ts";
import { mbarrierOps } from "./mbarrier.ts";
import { memoryOps } from "./memory.ts";
import { mmaOps } from "./mma.ts";
import { ptxOps } from "./ptx.ts";
import { tileOps } from "./tile.ts";
import { timelineOps } from "./timeline.ts";
import { tmaOps } from "./tma.ts";
import { viewOps } from "./view.ts";
import { warpOps } from "./warp.ts";
import { watchOps } from "./watch.ts";
import { wgmmaOps } from "./wgmma.ts";
import { wmmaOps } from "./wmma.ts";

/** THE op table. */
export const ops = {
  ...coreOps,
  ...warpOps,
  ...memoryOps,
  ...mbarrierOps,
  ...tmaOps,
  ...wgmmaOps,
  ...collectiveOps,
  ...wmmaOps,
  ...mmaOps,
  ...ptxOps,
  ...watchOps,
  ...viewOps,
  ...fragmentOps,
  ...tileOps,
  ...checkOps,
  ...timelineOps,
};

export type OpTable = typeof ops;
export type OpName = keyof OpTable;
/** Ops that only the tile level has, and those that the machine level has. */
export type TileOpName = { [K in OpName]: OpTable[K] extends { readonly level: "tile" } ? K : never }[OpName];
export type MachineOpName = Exclude<OpName, TileOpName>;
export const opNames = Object.keys(ops) as readonly OpName[];
const entries: ReadonlyMap<string, OpEntry> = new Map(opNames.map((name) => [name, readEntry(ops[name])]));
export const opSpec = (name: OpName): OpEntry => entries.get(name) ?? readEntry(ops[name]);

/** How a thread waits by an op; undefined where it does not. */
export function waitOf(op: RawOp & { readonly name: OpName }): Wait | undefined {
  const { waits } = opSpec(op.name);
  return typeof waits === "function" ? waits(op) : waits;
}
