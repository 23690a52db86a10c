import type { Graph } from "../../src/ir/index.ts";
import { expandChecks } from "../../src/passes/expand-checks.ts";
import { expandTileLevel } from "../../src/passes/expand-tile-level.ts";

/** What tracing gave, taken apart into the machine level: the first passes, and nothing else. */
export const machineLevel = (graph: Graph): Graph => expandChecks(expandTileLevel(graph));
