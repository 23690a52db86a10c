import type { Change } from "./said.ts";

/** Products small enough for the emulator, each with what makes a piece matter: see families/product-cases.ts. */
export type Setup =
  | "cooperative"
  | "running"
  | "cluster"
  | "leftOne"
  | "leftOneInput"
  | "leftTwo"
  | "leftTwoInput"
  | "pingpong"
  | "tall"
  | "byWarps"
  | "columns"
  | "unaligned"
  | "byThreads"
  | "shortPipeline"
  | "overlapping"
  | "copied"
  | "threads"
  | "threadsAndTma"
  | "split"
  | "pair"
  | "pairSplit"
  | "rows"
  | "further";

/** A change of the kernel behind `matmul`, in src/kernels/matmul/<file>.ts. */
export interface KernelRemoval extends Change {
  readonly file:
    | "kernel/gemm"
    | "kernel/load"
    | "kernel/compute"
    | "kernel/multiply"
    | "kernel/store-tile"
    | "kernel/store-rows"
    | "epilogue/epilogue"
    | "kernel/exchange"
    | "kernel/stages"
    | "launch/copy-lines"
    | "kernel/load-by-threads"
    | "launch/combine";
  /** Where it matters. */
  readonly setups: readonly Setup[];
  /** It takes a timing that shows it. */
  readonly someSchedule?: true;
}

/** Those, each in these setups. */
export const under = (setups: readonly Setup[], removals: readonly Omit<KernelRemoval, "setups">[]): readonly KernelRemoval[] =>
  removals.map((removal) => ({ ...removal, setups }));
