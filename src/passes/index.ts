/** The passes: one list, in order, each with the level of the graph before and behind it. docs/passes.md. */
import { type Graph, type Ids, type Level, verify } from "../ir/index.ts";
import { checkAccumulators } from "./checks/check-accumulators.ts";
import { checkCollectives } from "./checks/check-collectives.ts";
import { checkOrigins } from "./checks/check-origins.ts";
import { checkReadOnlyLoads } from "./checks/check-read-only-loads.ts";
import { checkWgmmaWaits } from "./checks/check-wgmma-waits.ts";
import { fold } from "./fold/fold.ts";
import { contract } from "./machine-level/contract.ts";
import { cse } from "./machine-level/cse.ts";
import { dce } from "./machine-level/dce.ts";
import { dropInvariants } from "./machine-level/drop-invariants.ts";
import { dropZeros } from "./machine-level/drop-zeros.ts";
import { gatherWarpIndex } from "./machine-level/gather-warp-index.ts";
import { layoutShared } from "./machine-level/layout-shared.ts";
import { licm } from "./machine-level/licm.ts";
import { reduceInduction } from "./machine-level/reduce-induction.ts";
import { shareConversions } from "./machine-level/share-conversions.ts";
import { unroll } from "./machine-level/unroll.ts";
import { watchWaits } from "./machine-level/watch-waits.ts";
import { freshIds } from "./rewrite/rewrite.ts";
import { assignLayouts } from "./tile-level/assign-layouts.ts";
import { expandChecks } from "./tile-level/expand-checks.ts";
import { expandTileLevel } from "./tile-level/expand-tile-level.ts";
import { vectorise } from "./tile-level/vectorise.ts";
import { recordTimeline } from "./timeline/record-timeline.ts";

export type { Level } from "../ir/index.ts";
export { type StoredMap, storedMaps } from "./checks/stored-maps.ts";
export { evaluate } from "./evaluate/evaluate.ts";
export { sharedBytes } from "./machine-level/layout-shared.ts";
export { conversionRemarks } from "./tile-level/conversion-remarks.ts";

/** A pass: the same kernel, in another form. */
export interface Pass {
  readonly name: string;
  /** The level of the graph that it gives. */
  readonly level: Level;
  /** `ids`: for new values, so that passes one after the other need not look for the last one. */
  readonly run: (graph: Graph, ids?: Ids) => Graph;
}

/** The level of what tracing gives. */
export const tracedLevel: Level = "tile";

const folding: Pass = { name: "fold", level: "machine", run: fold };
/** Told of what the author said, and again of what was made of it. */
const checkingCollectives = (level: Level): Pass => ({ name: "check-collectives", level, run: checkCollectives });
const merging: Pass = { name: "cse", level: "machine", run: cse };

/** What the compiler does with an op graph, in order. */
export const passes: readonly Pass[] = [
  { name: "assign-layouts", level: "tile", run: assignLayouts },
  checkingCollectives("tile"),
  { name: "vectorise", level: "tile", run: vectorise },
  { name: "expand-tile-level", level: "mixed", run: expandTileLevel },
  { name: "expand-checks", level: "machine", run: expandChecks },
  checkingCollectives("machine"),
  { name: "check-wgmma-waits", level: "machine", run: checkWgmmaWaits },
  { name: "check-read-only-loads", level: "machine", run: checkReadOnlyLoads },
  { name: "gather-warp-index", level: "machine", run: gatherWarpIndex },
  merging,
  folding,
  { name: "drop-invariants", level: "machine", run: dropInvariants },
  folding,
  { name: "unroll", level: "machine", run: unroll },
  folding,
  merging,
  { name: "reduce-induction", level: "machine", run: reduceInduction },
  folding,
  { name: "share-conversions", level: "machine", run: shareConversions },
  { name: "licm", level: "machine", run: licm },
  merging,
  { name: "contract", level: "machine", run: contract },
  { name: "drop-zeros", level: "machine", run: dropZeros },
  { name: "dce", level: "machine", run: dce },
  { name: "record-timeline", level: "machine", run: recordTimeline },
  { name: "layout-shared", level: "machine", run: layoutShared },
  { name: "watch-waits", level: "machine", run: watchWaits },
];

export interface PassOptions {
  /** Check the invariants after every pass, so that a pass that breaks one is named. What comes in and what goes out is always checked. */
  readonly verify: boolean;
  /** The level of what comes in: that of the tile level where it comes from tracing. A test's may be mixed, which is taken where nothing is said. */
  readonly from?: Level;
  /** Sees the graph after each pass, before it is checked: one that breaks an invariant is seen, too. */
  readonly onPass?: (name: string, graph: Graph, level: Level) => void;
}

/** What tracing gave. Two invariants are the author's to break, and are told as errors of the kernel. */
function checkTraced(graph: Graph, level: Level | undefined): void {
  try {
    verify(graph, level);
  } catch (error) {
    checkOrigins(graph);
    checkAccumulators(graph);
    throw error;
  }
}

/** Runs `list` on a graph. An invariant that a pass breaks is reported with the name of the pass. */
export function runPasses(graph: Graph, options: PassOptions, list: readonly Pass[] = passes): Graph {
  checkTraced(graph, options.from);
  const last = list.at(-1);
  const ids = freshIds(graph);
  let closed = false;
  /** What the graph was last checked for, where it is still the same one. */
  let checked: string | undefined;
  /** The graph that a pass last gave back as it was: it need not look again. */
  const settled = new Map<Pass, Graph>();
  return list.reduce((before, pass) => {
    const after = settled.get(pass) === before ? before : pass.run(before, ids);
    if (after === before) settled.set(pass, after);
    else checked = undefined;
    if (pass.run === assignLayouts) closed = true;
    if (pass.name === "expand-tile-level") checkAccumulators(after);
    options.onPass?.(pass.name, after, pass.level);
    if (!options.verify && pass !== last) return after;
    const level = pass.level === "tile" ? options.from : pass.level;
    const since = `${level} ${closed}`;
    if (checked !== since) checkAfter(pass, after, level, closed);
    checked = since;
    return after;
  }, graph);
}

function checkAfter(pass: Pass, graph: Graph, level: Level | undefined, closed: boolean): void {
  try {
    verify(graph, level, closed);
  } catch (error) {
    throw new Error(`after the pass '${pass.name}': ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
