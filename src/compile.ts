import { fail, withinStack } from "./diag/index.ts";
import { type TraceInput, traceKernel } from "./dsl/trace-kernel.ts";
import { type Graph, innermostOp, printGraph } from "./ir/index.ts";
import { checkInlinePtx, lowerGraph } from "./lower/index.ts";
import { type Level, passes, runPasses, sharedBytes, tracedLevel } from "./passes/index.ts";
import { printPtx } from "./ptx/index.ts";

/** A kernel, compiled for one set of static values. */
export interface Artifact {
  /** The op graph after all passes. */
  readonly graph: Graph;
  readonly ptx: string;
  /** Name of the `.entry`. */
  readonly entry: string;
  /** Shared memory of a block, all of it dynamic to the driver. */
  readonly sharedBytes: number;
}

export interface CompileOptions {
  /** Check the graph after every pass, not only at both ends. */
  readonly verify: boolean;
  /** Sees what tracing gave, and the graph after each pass. */
  readonly onStage?: (stage: GraphStage) => void;
}

/** The graph at one point of the pipeline. */
export interface GraphStage {
  /** "trace", or the pass that gave it. */
  readonly name: string;
  readonly level: Level;
  readonly graph: Graph;
}

/** What a kernel goes through, in order; some passes run more than once. */
export const stageNames: readonly string[] = ["trace", ...passes.map((pass) => pass.name), "ptx"];

/** THE pipeline: trace → passes → lower → print. */
export function compile(input: TraceInput, { verify, onStage }: CompileOptions): Artifact {
  const traced = traceKernel(input);
  return withinStack(
    () => {
      onStage?.({ name: "trace", level: tracedLevel, graph: traced });
      checkInlinePtx(traced);
      const graph = runPasses(traced, {
        verify,
        from: tracedLevel,
        onPass: (name, graph, level) => onStage?.({ name, level, graph }),
      });
      const module = lowerGraph(graph);
      return { graph, ptx: printPtx(module), entry: module.entry.name, sharedBytes: sharedBytes(graph) };
    },
    () => refuseDepth(input, traced),
  );
}

const refuseDepth = ({ name }: TraceInput, traced: Graph): never => fail("W2055", { kernel: name }, innermostOp(traced)?.spans);

/** The op graph before any pass, as text. */
export function traceText(input: TraceInput): string {
  const traced = traceKernel(input);
  return withinStack(
    () => printGraph(traced),
    () => refuseDepth(input, traced),
  );
}
