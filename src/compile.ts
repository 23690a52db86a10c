import { fail, withinStack } from "./diag/index.ts";
import { type TraceInput, traceKernel } from "./dsl/trace-kernel.ts";
import { type Graph, innermostOp, printGraph } from "./ir/index.ts";
import { lowerGraph } from "./lower/index.ts";
import { runPasses, sharedBytes } from "./passes/index.ts";
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
}

/** THE pipeline: trace → passes → lower → print. */
export function compile(input: TraceInput, options: CompileOptions): Artifact {
  const traced = traceKernel(input);
  return withinStack(
    () => {
      const graph = runPasses(traced, { verify: options.verify });
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
