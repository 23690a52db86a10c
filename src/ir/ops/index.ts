import { coreOps } from "./core.ts";
import { type OpEntry, readEntry } from "./define-ops.ts";
import { mbarrierOps } from "./mbarrier.ts";
import { memoryOps } from "./memory.ts";
import { tmaOps } from "./tma.ts";
import { wgmmaOps } from "./wgmma.ts";

/** THE op table. */
export const ops = { ...coreOps, ...memoryOps, ...mbarrierOps, ...tmaOps, ...wgmmaOps };

export type OpTable = typeof ops;
export type OpName = keyof OpTable;
export const opNames = Object.keys(ops) as readonly OpName[];
const entries: ReadonlyMap<string, OpEntry> = new Map(opNames.map((name) => [name, readEntry(ops[name])]));
export const opSpec = (name: OpName): OpEntry => entries.get(name) ?? readEntry(ops[name]);
