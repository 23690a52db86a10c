import type { Graph, Ids } from "../../src/ir/index.ts";
import { expandChecks } from "../../src/passes/tile-level/expand-checks.ts";
import { expandTileLevel } from "../../src/passes/tile-level/expand-tile-level.ts";
import { vectorise } from "../../src/passes/tile-level/vectorise.ts";

/** What tracing gave, without views, tiles and operands: the passes of the tile level, but for the checks. */
export const withoutTileLevel = (graph: Graph, ids?: Ids): Graph => expandTileLevel(vectorise(graph), ids);

/** What tracing gave, taken apart into the machine level: the first passes, and nothing else. */
export const machineLevel = (graph: Graph): Graph => expandChecks(withoutTileLevel(graph));
