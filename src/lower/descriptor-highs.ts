import { anyOp, type Graph, type Op, walkOps } from "../ir/index.ts";
import { walkFlows } from "./flows.ts";

const modes = { none: 0, "128B": 1, "64B": 2, "32B": 3 } as const;

/** Bits 32 to 63 of a matrix descriptor: stride and swizzle mode (PTX ISA 9.7.15.5.1). */
export function descriptorHigh(op: Op<"wgmma.descriptor">): number {
  return (((op.attrs.stride >>> 4) & 0x3fff) | (modes[op.attrs.swizzle] << 30)) >>> 0;
}

/** The high word of each descriptor value that can have only one. */
export function findDescriptorHighs(graph: Graph): ReadonlyMap<number, number> {
  const highs = new Map<number, Set<number>>();
  walkOps(graph.body, (raw) => {
    const op = anyOp(raw);
    const result = op.results[0];
    if (op.name === "wgmma.descriptor" && result) highs.set(result.id, new Set([descriptorHigh(op)]));
  });
  if (highs.size === 0) return new Map();
  const flows: { readonly from: number; readonly to: number }[] = [];
  walkFlows(graph.body, (from, to) => {
    if (from.type === "desc") flows.push({ from: from.id, to: to.id });
  });
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of flows) {
      const known = highs.get(to) ?? new Set();
      const before = known.size;
      for (const high of highs.get(from) ?? []) known.add(high);
      highs.set(to, known);
      changed ||= known.size !== before;
    }
  }
  return new Map([...highs].flatMap(([id, set]) => (set.size === 1 ? [[id, [...set][0] ?? 0] as const] : [])));
}
