import type { Dim3 } from "../base/types.ts";
import type { Artifact } from "../compile.ts";
import type { TimelineSite } from "../inspect/profile/index.ts";
import {
  anyOp,
  type Graph,
  type GraphParam,
  type LogSite,
  type Op,
  type OpName,
  type SharedBuffer,
  type WaitSite,
  walkOps,
} from "../ir/index.ts";

/** A parameter that authors do not see. */
export interface HiddenParam {
  readonly kind: "log" | "watch" | "timeline";
  readonly bytes: number;
}

const hiddenParams = (params: readonly GraphParam[]): readonly HiddenParam[] =>
  params.flatMap(({ kind, value: { type } }) =>
    kind === "log" || kind === "watch" || kind === "timeline" ? [{ kind, bytes: type === "u32" ? 4 : 8 }] : [],
  );

/** What launching a compiled kernel takes. Data alone, so that it can be kept on disk. */
export interface Executable {
  readonly ptx: string;
  /** Name of the `.entry`. */
  readonly entry: string;
  readonly block: Dim3;
  readonly cluster: Dim3;
  /** Shared memory of a block, all of it dynamic to the driver. */
  readonly sharedBytes: number;
  /** What lies in that memory. */
  readonly buffers: readonly SharedBuffer[];
  readonly logs: readonly LogSite[];
  /** Where it may wait, where it is watched. */
  readonly waits: readonly WaitSite[];
  /** Its last parameters, which authors do not see: what they are, in their order. */
  readonly hidden: readonly HiddenParam[];
  /** What it records for a timeline, where it is compiled for one. */
  readonly timeline?: readonly TimelineSite[];
  readonly storedMaps: Artifact["storedMaps"];
  /** It has `gridDependency.wait()`, so that it may overlap the kernel before it. */
  readonly waitsForPrevious: boolean;
  /** It has `console.log`. */
  readonly prints: boolean;
}

/** The first op of that name. */
export function findOp({ body }: Graph, name: OpName): Op | undefined {
  let found: Op | undefined;
  walkOps(body, (op) => {
    if (op.name === name) found ??= op;
  });
  return found;
}

/** What each site of a timeline is, in the order of their numbers. */
function timelineSites({ body }: Graph): readonly TimelineSite[] {
  const sites: TimelineSite[] = [];
  walkOps(body, (raw) => {
    const op = anyOp(raw);
    const [place] = op.spans;
    if (op.name === "timeline.record") {
      const { site, what, name, group, map, pending, commits, by } = op.attrs;
      sites[site] = { what, name, group, map, pending, commits, by, barrier: op.operands.bar !== undefined, place };
    } else if (op.name === "timeline.carry" && op.attrs.site !== undefined) {
      const { site, name, group, pending, commits, by } = op.attrs;
      sites[site] = { what: "wait", name, group, pending, commits, by, barrier: false, place };
    } else if (op.name === "timeline.join" && op.attrs.leaves !== undefined)
      sites[op.attrs.leaves] = { what: "left", name: "", group: "", by: "warp", barrier: false, place };
    else if (op.name === "timeline.observe")
      sites[op.attrs.site] = { what: "landing", name: "", group: "", by: "warp", barrier: true, place };
  });
  return sites;
}

export function executableOf({ graph, ptx, entry, sharedBytes, storedMaps }: Artifact): Executable {
  const { launch, shared, logs, waits = [], params } = graph;
  return {
    ...{ ptx, entry, sharedBytes, logs, waits, storedMaps },
    hidden: hiddenParams(params),
    ...(graph.profile === "timeline" && { timeline: timelineSites(graph) }),
    block: launch.block,
    cluster: launch.cluster,
    buffers: shared,
    waitsForPrevious: findOp(graph, "griddepcontrol.wait") !== undefined,
    prints: findOp(graph, "log") !== undefined,
  };
}
