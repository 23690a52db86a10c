import type { Graph, Ids } from "../../src/ir/index.ts";
import { expandChecks } from "../../src/passes/expand-checks.ts";
import { expandTileLevel } from "../../src/passes/expand-tile-level.ts";
import { vectorise } from "../../src/passes/vectorise.ts";

/** What tracing gave, without views, tiles and operands: the passes of the tile level, but for the checks. */
export const withoutTileLevel = (graph: Graph, ids?: Ids): Graph => expandTileLevel(vectorise(graph), ids);

/** What tracing gave, taken apart into the machine level: the first passes, and nothing else. */
export const machineLevel = (graph: Graph): Graph => expandChecks(withoutTileLevel(graph));
