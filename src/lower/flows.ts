import { anyOp, channelsOf, isLoop, type Op, type Region, tiedOperand, type Value } from "../ir/index.ts";

/** Says where a value goes on under another name: through a product, into and out of regions. `depth` counts the loops around. */
type Flow = (from: Value, to: Value, depth: number) => void;

function pairUp(from: readonly Value[], to: readonly Value[], depth: number, flow: Flow): void {
  from.forEach((value, i) => {
    const target = to[i];
    if (target !== undefined) flow(value, target, depth);
  });
}

/**
 * Into the regions of an op, around in them, and out. Lowering keeps what goes along a channel in one place: that of the first
 * receiver, where a later receiver finds it.
 */
function throughRegions(op: Op, depth: number, flow: Flow): void {
  const inside = isLoop(op) ? depth + 1 : depth;
  for (const { senders, receivers } of channelsOf(op)) {
    const [first, ...later] = receivers;
    if (!first) continue;
    for (const { region, values } of senders) pairUp(values, first.values, region ? inside : depth, flow);
    for (const { values } of later) pairUp(first.values, values, depth, flow);
  }
}

export function walkFlows(region: Region, flow: Flow, depth = 0): void {
  region.ops.forEach((raw) => {
    const op = anyOp(raw);
    const tied = tiedOperand(raw);
    if (op.regions.length > 0) {
      throughRegions(raw, depth, flow);
      const inner = isLoop(raw) ? depth + 1 : depth;
      op.regions.forEach((r) => {
        walkFlows(r, flow, inner);
      });
    } else if (tied) pairUp([tied], op.results, depth + 0.5, flow);
    else if (op.name === "wgmma.advance") pairUp([op.operands.desc], op.results, depth, flow);
    else if (op.name === "select")
      for (const source of [op.operands.yes, op.operands.no]) pairUp([source], op.results, depth, flow);
  });
}
