import type { Artifact } from "../compile.ts";
import {
  type Graph,
  type GraphParam,
  type LogSite,
  type Op,
  type OpName,
  type SharedBuffer,
  type WaitSite,
  walkOps,
} from "../ir/index.ts";
import type { Dim3 } from "../types.ts";

/** A parameter that authors do not see. */
export interface HiddenParam {
  readonly kind: "log" | "watch";
  readonly bytes: number;
}

const hiddenParams = (params: readonly GraphParam[]): readonly HiddenParam[] =>
  params.flatMap(({ kind, value: { type } }) =>
    kind === "log" || kind === "watch" ? [{ kind, bytes: type === "u32" ? 4 : 8 }] : [],
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

export function executableOf({ graph, ptx, entry, sharedBytes, storedMaps }: Artifact): Executable {
  const { launch, shared, logs, waits = [], params } = graph;
  return {
    ...{ ptx, entry, sharedBytes, logs, waits, storedMaps },
    hidden: hiddenParams(params),
    block: launch.block,
    cluster: launch.cluster,
    buffers: shared,
    waitsForPrevious: findOp(graph, "griddepcontrol.wait") !== undefined,
    prints: findOp(graph, "log") !== undefined,
  };
}
