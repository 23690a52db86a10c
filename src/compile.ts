/** The way through, on one screen: trace, passes, lower, print. Nothing else knows the order. */

import { type Remark, withinStack } from "./base/diag/index.ts";
import { fail } from "./dsl/errors/index.ts";
import { type TraceInput, traceKernel } from "./dsl/index.ts";
import { type Graph, innermostOp, type PrintOptions, printGraph, walkOps } from "./ir/index.ts";
import { checkInlinePtx, lowerGraph } from "./lower/index.ts";
import {
  conversionRemarks,
  type Level,
  passes,
  runPasses,
  type StoredMap,
  sharedBytes,
  storedMaps,
  tracedLevel,
} from "./passes/index.ts";
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
  /** Its parameters through which it stores by TMA. */
  readonly storedMaps: readonly StoredMap[];
  /** What the compiler did that costs something. Found when it is asked for. */
  readonly remarks: () => readonly Remark[];
}

/** Gives the traced graph, and passes each remark of tracing to the listener. */
export type Tracing = (onRemark: (remark: Remark) => void) => Graph;

export interface CompileOptions {
  /** Check the graph after every pass, not only at both ends. */
  readonly verify: boolean;
  /** Sees what tracing gave, and the graph after each pass. */
  readonly onStage?: (stage: GraphStage) => void;
  /** Traces, where that may have been done before, and passes on what tracing has to remark; left out: it is done here. */
  readonly trace?: Tracing;
  /** Sees what tracing has to remark, before the first pass. */
  readonly onRemark?: (remark: Remark) => void;
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
export function compile(input: TraceInput, { verify, onStage, onRemark, trace }: CompileOptions): Artifact {
  const remarks: Remark[] = [];
  const told = (remark: Remark): void => {
    remarks.push(remark);
    onRemark?.(remark);
  };
  const traced = trace ? trace(told) : traceKernel(input, told);
  return withinStack(
    () => {
      onStage?.({ name: "trace", level: tracedLevel, graph: traced });
      checkInlinePtx(traced);
      let assigned = traced;
      const graph = runPasses(traced, {
        verify,
        from: tracedLevel,
        onPass: (name, graph, level) => {
          if (name === "assign-layouts") assigned = graph;
          onStage?.({ name, level, graph });
        },
      });
      const module = lowerGraph(graph);
      return {
        graph,
        ptx: printPtx(module),
        entry: module.entry.name,
        sharedBytes: sharedBytes(graph),
        storedMaps: storedMaps(graph),
        remarks: remarksOf(remarks, assigned),
      };
    },
    () => refuseDepth(input, traced),
  );
}

/** Those of tracing, and those of the graph whose layouts are chosen; nothing of it is kept where nothing is to be said. */
function remarksOf(traced: readonly Remark[], assigned: Graph): () => readonly Remark[] {
  let converts = false;
  walkOps(assigned.body, ({ name }) => {
    converts ||= name === "tile.convert_layout";
  });
  if (!converts) return () => traced;
  let found: readonly Remark[] | undefined;
  return () => {
    found ??= [...traced, ...conversionRemarks(assigned)];
    return found;
  };
}

const refuseDepth = ({ name }: TraceInput, traced: Graph): never => fail("W2055", { kernel: name }, innermostOp(traced)?.spans);

/** The op graph before any pass, as text. */
export const traceText = (input: TraceInput): string => tracedText(input, traceKernel(input), {});

/** What tracing gave, as text. */
export function tracedText(input: TraceInput, traced: Graph, options: PrintOptions): string {
  return withinStack(
    () => printGraph(traced, options),
    () => refuseDepth(input, traced),
  );
}
