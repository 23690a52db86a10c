/** What a product is asked for, and the launch that comes of it. */
import type { DeviceTensor } from "warpsmith";
import type { Ready as ReadyCall } from "../../common/launches.ts";
import type { Tensors } from "../../common/tensors.ts";
import type { Epilogue } from "../epilogue/epilogue.ts";
import type { makeGemm } from "../kernel/gemm.ts";
import type { Outputs } from "../options/outputs.ts";
import type { Plan } from "../plan/plan.ts";
import type { ResultType } from "../problem/problem.ts";
import type { Operand } from "./align.ts";

export type Result = DeviceTensor<ResultType, 2 | 3>;
export type GemmKernel = ReturnType<typeof makeGemm>;
export type GemmArgs = Parameters<GemmKernel["launch"]> extends [unknown, ...infer Args] ? Args : never;

/** What is asked for, the operands aside. */
export interface Asked {
  readonly out: Result | undefined;
  /** The other matrix B of a pair, of the shape of the first. */
  readonly second: Operand | undefined;
  /** The result's type, where it is said. */
  readonly dtype: ResultType | undefined;
  /** Whether the sum is multiplied with a number of the launch, and the result before it, times another, added. */
  readonly scaled: boolean;
  readonly adds: boolean;
  readonly epilogue: Epilogue | undefined;
  readonly inputs: Tensors;
  /** What the epilogue gives beside the elements, and where it goes. */
  readonly outputs: Outputs;
  readonly plan: Plan | undefined;
  /** One kernel for many numbers of rows. */
  readonly dynamicM: boolean;
  /** The bits of a row do not depend on how many there are. */
  readonly invariant: boolean;
  /** Begins before the launch before it has ended. */
  readonly overlaps: boolean;
}

/** A product that is ready. The copy of operands that TMA cannot load comes before its kernel, what puts together what tiles have of rows after it. */
export interface Ready extends ReadyCall {
  readonly kernel: GemmKernel;
  /** Without alpha and beta, which come last where the sum is scaled. */
  readonly args: GemmArgs;
  readonly out: Result;
  /** The kernel is right for no other number of rows, or for few of them. */
  readonly settled: boolean;
}
