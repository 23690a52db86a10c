/**
 * Takes the tile level apart: indices become addresses, tiles the registers of a thread as their layouts say, operands descriptors, copies
 * of views copies of boxes, reductions and scans of threads shuffles and shared memory. What branches and loops carry of these becomes the registers that may change.
 *
 * Requires: every access of a tile has been given the elements that move at once (`vectorise`).
 * Ensures: no value of the tile level is left, and no op of it but the checks, which are about values of the machine level: they are for
 * `expand-checks`. W3005, W3012, W4505–W4507, W6108.
 */
import { type Graph, type Ids, isLoop, type Op, opSpec, type TileOpName } from "../../ir/index.ts";
import { factsOf } from "../facts/index.ts";
import { freshIds, renameOperands } from "../rewrite/rewrite.ts";
import { accessRules } from "./expand/accesses.ts";
import { asyncCopyRules } from "./expand/async-copies.ts";
import { collectiveRules } from "./expand/collectives.ts";
import { expandControl, expandSelect } from "./expand/control.ts";
import { conversionRules } from "./expand/conversions.ts";
import { copyRules } from "./expand/copies.ts";
import { dotRules } from "./expand/dots.ts";
import { elementRules } from "./expand/elementwise.ts";
import type { Expand, Expansion } from "./expand/expansion.ts";
import { gatherRules } from "./expand/gathers.ts";
import { histogramRules } from "./expand/histograms.ts";
import { loadRules } from "./expand/loads.ts";
import { matrixRules } from "./expand/matrices.ts";
import { operandRules } from "./expand/operands.ts";
import { productRules } from "./expand/products.ts";
import { reductionRules } from "./expand/reductions.ts";
import { scanRules } from "./expand/scans.ts";
import { scratchOf } from "./expand/scratch.ts";
import { tileRules } from "./expand/tiles.ts";
import { viewRules } from "./expand/views.ts";
import { Writer } from "./expand/writer.ts";

/** Checks stay: what they ask about is clear when all the rest is machine level. */
const keep = (x: Expansion, op: Op): void => x.w.append(op);

const rules = {
  ...viewRules,
  ...accessRules,
  ...tileRules,
  ...loadRules,
  ...elementRules,
  ...reductionRules,
  ...scanRules,
  ...conversionRules,
  ...gatherRules,
  ...histogramRules,
  ...operandRules,
  ...productRules,
  ...dotRules,
  ...matrixRules,
  ...copyRules,
  ...asyncCopyRules,
  ...collectiveRules,
  "check.holds": keep as Expand<"check.holds">,
  "check.exact": keep as Expand<"check.exact">,
  "check.wraps": keep as Expand<"check.wraps">,
} satisfies { [K in TileOpName]: Expand<K> };

function expandOps(x: Expansion, ops: readonly Op[]): void {
  for (const raw of ops) {
    x.w.insteadOf(raw, () => expandOp(x, raw));
  }
}

function expandOp(x: Expansion, raw: Op): void {
  const { level } = opSpec(raw.name);
  if (raw.regions.length > 0 && level !== "tile") {
    const loops = isLoop(raw) ? 1 : 0;
    x.loops += loops;
    expandControl(x, raw, expandOps);
    x.loops -= loops;
    return;
  }
  const op = renameOperands(raw, x.names);
  if (level === "tile") (rules[op.name as TileOpName] as Expand<TileOpName>)(x, op as Op<TileOpName>);
  else if (op.name === "select" && op.results.some((r) => x.parts.has(r.id) || typeof r.type === "object"))
    expandSelect(x, op as Op<"select">);
  else x.w.append(op);
}

export function expandTileLevel(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  const w = new Writer(ids);
  for (const param of graph.body.params) w.region.params.push(param);
  const x: Expansion = {
    w,
    parts: new Map(),
    names: new Map(),
    facts: factsOf(graph),
    launch: graph.launch,
    shared: [...graph.shared],
    scratch: scratchOf(graph),
    loops: 0,
    expandOps: (ops) => expandOps(x, ops),
  };
  expandOps(x, graph.body.ops);
  return { ...graph, shared: x.shared, body: w.region };
}
