import { type AnyOp, anyOp, type Region, type Value } from "../ir/index.ts";

/** Says where a value goes on under another name: through a product, into and out of regions. `depth` counts the loops around. */
type Flow = (from: Value, to: Value, depth: number) => void;

function pairUp(from: readonly Value[], to: readonly Value[], depth: number, flow: Flow): void {
  from.forEach((value, i) => {
    const target = to[i];
    if (target !== undefined) flow(value, target, depth);
  });
}

/** What the terminator of a region passes on; passes, which lowering does not know, say `handedOut`. */
function passedOn(region: Region): readonly Value[] {
  const last = region.ops.at(-1);
  if (last === undefined) return [];
  const op = anyOp(last);
  return op.name === "yield" || op.name === "condition" ? op.operands.values : [];
}

/** Into the regions of an op, around in them, and out. */
function throughRegions(op: AnyOp, depth: number, flow: Flow): void {
  const [first, second] = op.regions;
  if (op.name === "for" && first) {
    const params = first.params.slice(1);
    pairUp(passedOn(first), params, depth + 1, flow);
    pairUp(op.operands.carried, params, depth, flow);
    pairUp(params, op.results, depth, flow);
  } else if (op.name === "while" && first && second) {
    pairUp(passedOn(first), second.params, depth + 1, flow);
    pairUp(passedOn(second), first.params, depth + 1, flow);
    pairUp(op.operands.carried, first.params, depth, flow);
    pairUp(second.params, op.results, depth, flow);
  } else for (const arm of op.regions) pairUp(passedOn(arm), op.results, depth, flow);
}

export function walkFlows(region: Region, flow: Flow, depth = 0): void {
  region.ops.forEach((raw) => {
    const op = anyOp(raw);
    if (op.regions.length > 0) {
      throughRegions(op, depth, flow);
      const inner = op.name === "for" || op.name === "while" ? depth + 1 : depth;
      op.regions.forEach((r) => {
        walkFlows(r, flow, inner);
      });
    } else if (op.name === "wgmma.mma_async" || op.name === "wgmma.mma_async.rs") {
      pairUp([op.operands.acc], op.results, depth + 0.5, flow);
    } else if (op.name === "wgmma.advance") {
      pairUp([op.operands.desc], op.results, depth, flow);
    } else if (op.name === "select") {
      for (const source of [op.operands.yes, op.operands.no]) pairUp([source], op.results, depth, flow);
    }
  });
}
