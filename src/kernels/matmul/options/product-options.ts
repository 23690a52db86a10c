/** Options that all products have. */
import type { DeviceTensor } from "warpsmith";
import type { RunOptions } from "../../common/ready.ts";
import type { Plan } from "../plan/plan.ts";
import type { HalfType, ResultType } from "../problem/problem.ts";
import type { MatmulOutputs } from "./outputs.ts";

/** One, or, of rank 3, a batch of them. */
export type Matrices<D extends ResultType, N extends 2 | 3 = 2> = DeviceTensor<D, N>;
export type OneOrMore<D extends ResultType> = Matrices<D, 2> | Matrices<D, 3>;

/** Tensors that an epilogue reads, by the names it calls them. */
export type MatmulInputs = Readonly<Record<string, DeviceTensor<HalfType | "f32">>>;

/** What an epilogue gives of an element: a number, or, where there are outputs, that number as `value` and one for each of them, by their names. */
export type EpilogueResult<O extends MatmulOutputs> = [keyof O] extends [never]
  ? number
  : { readonly value: number } & { readonly [K in keyof O]: number };

/** What products of `matmul` and `gatedMatmul` have in common: where the result goes, what an epilogue reads and gives, and how it runs. `D`: the type of the result, `N`: its rank. */
export interface ProductOptions<
  D extends ResultType = ResultType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  N extends 2 | 3 = 2 | 3,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
> extends RunOptions {
  /** Where the result goes: [M, N], or [batch, M, N], the elements of a row neighbours in memory, sharing none with the operands. Default: new memory. */
  readonly out?: Matrices<D, N>;
  /** What the result is rounded to: f16, bf16 or f32. Default: the type of `out`, else that of the operands. */
  readonly dtype?: D;
  /**
   * What the epilogue reads, of f16, bf16 or f32: [M, N], the number of its element; [N] or [1, N], of its column; [M, 1], of its row.
   * One of [M, N] may be `out` itself. Beside a batch: [batch, M, N], [N], [1, N] or [batch, M, 1].
   */
  readonly inputs?: I;
  /**
   * What else the epilogue gives of each element, by name. The epilogue then returns `value`, the element of the result, and these numbers by name.
   *
   * A tensor of the product's shape, [M, N] or [batch, M, N], of f16, bf16 or f32, takes each number, rounded to its type: z = x W beside silu(z). It shares no memory with what is read.
   * What becomes of a row is { sum: tensor } or { max: tensor }, of f32, [M] or [M, 1], beside a batch [batch, M] or [batch, M, 1]; none of these numbers is rounded before.
   * { max: tensor, column: tensor } gives the column of the greatest, too, as i32: of equal ones the first, and NaN is greater than all else. A second, small launch puts together what
   * tiles have of rows, always in the same order. Default: none.
   */
  readonly outputs?: O;
  /** How to cut it up, instead of what is chosen. `tile` is one of the result, each of whose elements takes two sums where the product is gated. */
  readonly plan?: Plan;
  /**
   * The kernel reads M at run time, and serves every M that its plan is chosen for: another M is seldom a new kernel, and with a `plan` never. For
   * serving, where M is the number of tokens of the moment. Default false: a kernel for each M.
   */
  readonly dynamicM?: boolean;
  /**
   * The bits of a row do not depend on M: the sums over K are in one order for all plans that are taken, none of which splits K. Sums of rows are made of parts of 64 columns then,
   * and tiles have a multiple of that. Default false.
   */
  readonly invariant?: boolean;
}

/** Their names. */
export const productNames = {
  out: true,
  dtype: true,
  epilogue: true,
  inputs: true,
  outputs: true,
  stream: true,
  plan: true,
  dynamicM: true,
  invariant: true,
  overlapPrevious: true,
} as const;
