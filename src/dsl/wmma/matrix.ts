import { optionsOf } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import {
  type FragmentType,
  fragmentExtents,
  isWmmaInput,
  isWmmaSum,
  registerType,
  typeName,
  type Value,
  type WmmaFragment,
  wmmaExists,
  wmmaHas,
} from "../../ir/index.ts";
import { changingNothing, checkAlone } from "../calls/alone.ts";
import { callFunction } from "../calls/call.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { traceBody } from "../numbers/elementwise.ts";
import { lift } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { elementFix, type HasOperatorFix, operatorFix, productFix, type WrittenOperator } from "../trace/operator-fix.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import {
  type HasStructure,
  OwnObject,
  ownClass,
  ownMethods,
  type Structure,
  structure,
  structureOf,
  ValueObject,
} from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { checkExtents, fragmentTypeOf, loadMatrix, readMatrixView, useName, type WMMAShape } from "./view.ts";

/** A or B of a product of one warp, over the registers of its threads. */
export interface WMMAOperand {
  /** The type of the elements. */
  readonly dtype: DType;
  /** [rows, columns]. */
  readonly shape: readonly [number, number];
}

/** C or D of a product of one warp, over the registers of its threads: which of them holds which element is not specified. */
export interface WMMAAccumulator {
  /** The type of the elements. */
  readonly dtype: DType;
  /** [rows, columns]. */
  readonly shape: readonly [number, number];
  /** `this + A @ B` as a new value. All 32 threads of the warp call it. PTX `wmma.mma`. W6304, W6305. */
  mma(A: WMMAOperand, B: WMMAOperand): WMMAAccumulator;
  /** Element by element. Where an element stands no thread knows: the function gets the element alone. W2010, W6521, W6524. */
  map(fn: (value: number) => number): WMMAAccumulator;
  /** Two matrices of one type and shape element by element, such as a product and what was loaded as "c". W2010, W6305, W6521, W6524. */
  zip(other: WMMAAccumulator, fn: (value: number, other: number) => number): WMMAAccumulator;
  /**
   * The same matrix in f16 or f32, rounded to nearest even: such as sums of f32 that are stored as f16, or go on as C of f16. PTX does not say which thread
   * holds which element, and so not that both types lie alike: it goes through 1536 bytes of shared memory for each warp of the block, 2048 from i32 to f32.
   * All 32 threads of the warp call it. W6309.
   */
  convert(dtype: "f16" | "f32"): WMMAAccumulator;
  /**
   * To shared or global memory of the same type, rows or columns in one piece each. All of it has to lie inside. All 32 threads of the warp
   * call it. PTX `wmma.store.d`. W3011, W3028, W6302, W6303, W6306, W6308.
   */
  store(view: SharedView | Tensor): void;
}

/** What wmma sums in: f16 and f32, i32 for integers, f64. PTX ISA 9.7.14.2. */
export type WMMAAccumulatorType = "f16" | "f32" | "i32" | "f64";

/** A matrix in the author's words. Those of one use, extents and type differ in the shape of their product, and in how they were loaded. */
function describeFragment(type: FragmentType): string {
  const { use, dtype, shape, major } = type;
  const product = use === "c" && shape === "m16n16k8" ? ", of products [16, 16, 8]" : "";
  return `a matrix "${use}" [${fragmentExtents(type).join(", ")}] of ${dtype}${product}${major === "col" ? ", loaded by columns" : ""}`;
}

/** A matrix that is one part of a product. */
abstract class Fragment extends ValueObject<FragmentType> implements HasStructure {
  get dtype(): DType {
    return this.type.dtype;
  }
  get shape(): readonly [number, number] {
    return fragmentExtents(this.type);
  }
  protected abstract with(value: Value): Fragment;

  get [structure](): Structure {
    const { type, value } = this;
    return { ...structureOf(value, typeName(type), describeFragment(type), (merged) => this.with(merged)), kept: true };
  }
}

/** See `WMMAOperand`. */
class OperandFragment extends Fragment implements WMMAOperand, HasOperatorFix {
  protected with(value: Value): OperandFragment {
    return new OperandFragment(value, this.type);
  }
  [operatorFix](written: WrittenOperator): string | undefined {
    return productFix(written);
  }
}
ownMethods(OperandFragment);

/** W6305. */
function wantFragment(x: unknown, use: WmmaFragment, what: string): Fragment {
  const wanted = use === "c" ? "a matrix C or D" : `a matrix ${useName(use)}`;
  return x instanceof Fragment && x.type.use === use ? x : failHere("W6305", { what, wanted, given: describe(x) });
}

/** Shape of the product and type, in the author's words. */
const partOf = ({ type: { use, dtype, shape } }: Fragment): string =>
  `${useName(use)} of ${dtype} of shape [${shape.match(/\d+/g)?.join(", ")}]`;

/** See `WMMAAccumulator`. */
class AccumulatorFragment extends Fragment implements WMMAAccumulator, HasOperatorFix {
  protected with(value: Value): AccumulatorFragment {
    return new AccumulatorFragment(value, this.type);
  }
  [operatorFix](written: WrittenOperator, other: unknown, isLeft: boolean): string | undefined {
    const isNumber = typeof other === "number" || isStagedScalar(other);
    return elementFix(written, isLeft, isNumber ? "number" : other instanceof AccumulatorFragment ? "alike" : undefined);
  }

  mma(A: WMMAOperand, B: WMMAOperand): AccumulatorFragment {
    const trace = currentTrace("mma");
    const [a, b] = [wantFragment(A, "a", "the left side of `mma`"), wantFragment(B, "b", "the right side of `mma`")];
    const { dtype, shape } = this.type;
    const alike = a.type.shape === shape && b.type.shape === shape && a.dtype === b.dtype;
    if (!alike || !isWmmaInput(a.dtype) || !isWmmaSum(dtype) || !wmmaExists(a.dtype, shape, dtype))
      failHere("W6304", { a: partOf(a), b: partOf(b), c: partOf(this) });
    return this.with(first(trace.emit("fragment.mma", { a: a.value, b: b.value, c: this.value }, {})));
  }

  map(fn: (value: number) => number): AccumulatorFragment {
    return this.#each(currentTrace("map"), "map", fn, [this]);
  }

  zip(other: WMMAAccumulator, fn: (value: number, other: number) => number): AccumulatorFragment {
    const trace = currentTrace("zip");
    const beside = wantFragment(other, "c", "`zip`");
    if (typeName(beside.type) !== typeName(this.type))
      failHere("W6305", { what: "`zip`", wanted: `another ${partOf(this)}`, given: partOf(beside) });
    return this.#each(trace, "zip", fn, [this, beside]);
  }

  #each(trace: Trace, method: string, f: unknown, fragments: readonly Fragment[]): AccumulatorFragment {
    const element = registerType(this.dtype);
    const text = `the function given to \`${method}\``;
    const run = (args: readonly unknown[]): readonly unknown[] => [
      changingNothing(trace, method, () => callFunction(trace, { f, receiver: undefined, args, text, construct: false })),
    ];
    const types = fragments.map(() => element);
    const { region } = traceBody(trace, types, `what \`${method}\` makes of an element`, run, { results: [element] });
    checkAlone(region, method);
    const parts = { types: [this.type], regions: [region] };
    return this.with(first(trace.emit("fragment.map", { fragments: fragments.map((f) => f.value) }, {}, parts)));
  }

  convert(dtype: "f16" | "f32"): AccumulatorFragment {
    const trace = currentTrace("convert");
    const to: unknown = dtype;
    if ((to !== "f16" && to !== "f32") || !wmmaHas("c", this.type.shape, to))
      return failHere("W6309", { from: partOf(this), to: typeof to === "string" ? to : describe(to) });
    if (to === this.dtype) return this;
    const type: FragmentType = { ...this.type, dtype: to };
    return new AccumulatorFragment(first(trace.emit("fragment.convert", { fragment: this.value }, {}, { types: [type] })), type);
  }

  store(view: SharedView | Tensor): void {
    const trace = currentTrace("store");
    const to = readMatrixView(view);
    if (to.dtype !== this.dtype) failHere("W6306", { from: this.dtype, to: to.dtype });
    checkExtents(this.type, to);
    trace.emit("fragment.store", { fragment: this.value, view: to.value(trace) }, {});
  }
}
ownMethods(AccumulatorFragment);

interface MatrixOptions {
  /** M, N and K of the product. Default [16, 16, 16], for tf32 [16, 16, 8], for f64 [8, 8, 4]. */
  shape?: WMMAShape;
}
const loadOptions = optionsOf<MatrixOptions>("WMMAMatrix.load()", { shape: true });

/**
 * Matrices for `wmma`, the products of one warp. All 32 threads of the warp call everything here together, with the same arguments (W2048).
 * PTX ISA 9.7.14.4; CUDA's `nvcuda::wmma`.
 *
 * @example
 * ```ts
 * const product = kernel({ block: 32, grid: 1 }, (a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, d: Tensor<"f32", 2>) => {
 *   let D = WMMAMatrix.accumulator("f32", [16, 16, 16]);
 *   D = D.mma(WMMAMatrix.load("a", a), WMMAMatrix.load("b", b));
 *   D.store(d);
 * });
 *
 * await using gpu = await openDevice();
 * product.launch({}, gpu.zeros("f16", [16, 16]), gpu.zeros("f16", [16, 16]), gpu.zeros("f32", [16, 16]));
 * ```
 */
export abstract class WMMAMatrix extends OwnObject {
  private constructor() {
    super();
  }

  /**
   * A [M, K], B [K, N] or C [M, N] from a view of that shape, whose rows or, of a transposed view, columns lie in one piece each. Rows are
   * a multiple of 16 bytes apart, and where the view begins is divisible by what a thread holds of the matrix, 32 bytes for f16. All of it has to lie inside. PTX `wmma.load`. W3011, W3028, W6301, W6302, W6303, W6307, W6308.
   */
  static load(use: "a" | "b", view: SharedView | Tensor, options?: MatrixOptions): WMMAOperand;
  static load(use: "c", view: SharedView | Tensor, options?: MatrixOptions): WMMAAccumulator;
  static load(use: WmmaFragment, view: SharedView | Tensor, options: MatrixOptions = {}): WMMAOperand | WMMAAccumulator {
    const trace = currentTrace("WMMAMatrix.load");
    checkOptionsHere(options, loadOptions);
    const given: unknown = use;
    if (given !== "a" && given !== "b" && given !== "c")
      return failHere("W6305", { what: "`WMMAMatrix.load`", wanted: '"a", "b" or "c" first', given: describe(given) });
    const { value, type } = loadMatrix(trace, given, view, options.shape);
    return given === "c" ? new AccumulatorFragment(value, type) : new OperandFragment(value, type);
  }

  /** C or D with the same number everywhere, by default 0. `shape`: M, N and K of the product. CUDA `fill_fragment`. W2010, W6301, W6307. */
  static accumulator(dtype: WMMAAccumulatorType, shape: WMMAShape, value = 0): WMMAAccumulator {
    const trace = currentTrace("WMMAMatrix.accumulator");
    const type = fragmentTypeOf(trace, "c", dtype, shape ?? []);
    const filled = lift(value, registerType(dtype), "the value of `WMMAMatrix.accumulator`");
    return new AccumulatorFragment(first(trace.emit("fragment.fill", { value: filled }, {}, { types: [type] })), type);
  }
}

ownClass(WMMAMatrix);
