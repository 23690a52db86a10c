import { coreOps } from "./core.ts";
import { complete, type OpSpec } from "./define-ops.ts";
import { mbarrierOps } from "./mbarrier.ts";
import { memoryOps } from "./memory.ts";
import { tmaOps } from "./tma.ts";
import { wgmmaOps } from "./wgmma.ts";

/** THE op table. */
export const ops = { ...coreOps, ...memoryOps, ...mbarrierOps, ...tmaOps, ...wgmmaOps };

export type OpTable = typeof ops;
export type OpName = keyof OpTable;
export const opNames = Object.keys(ops) as readonly OpName[];
const specs: ReadonlyMap<string, OpSpec> = new Map(opNames.map((name) => [name, complete(ops[name])]));
export const opSpec = (name: OpName): OpSpec => specs.get(name) ?? ops[name];
