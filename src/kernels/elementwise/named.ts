/** Functions of elements that have names. */

import { type DeviceTensor, type DType, fma } from "warpsmith";
import { checkOptions, display, type KnownOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { damped, silu } from "../common/activations.ts";
import { prepares } from "../common/kernel-of.ts";
import { checkOperand, floats } from "../common/operands.ts";
import { type Call, checkRun, type RunOptions } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import { readyWork, runWork, type Work } from "./map.ts";

/** Where the result of a function of elements goes, and how it runs. W2601, W7012, W7046, W7616–W7619. */
export interface ElementwiseOptions<D extends DType = DType, R extends number = number> extends RunOptions {
  /** Where it goes: of the shape of the result. It may be an operand of its type. Default: new memory. */
  readonly out?: DeviceTensor<D, R>;
}

const names = { out: true, stream: true, overlapPrevious: true } as const;

/** One of these functions: what it is called, and what it does with its operands. */
interface Named {
  readonly of: string;
  readonly known: KnownOptions;
  readonly operands: readonly string[];
  /** Types of the first operand; the others and the result are of its type. */
  readonly dtypes?: readonly string[];
  readonly fn: Work["fn"];
  readonly loads?: Work["loads"];
}

function add2({ a = 0, b = 0 }: Readonly<Record<string, number>>): number {
  "use kernel";
  return a + b;
}
function silu2({ gate = 0, x = 0 }: Readonly<Record<string, number>>): number {
  "use kernel";
  return silu(gate) * x;
}
/** The approximation by tanh, g / (1 + e^-2u) with u = √(2/π) (g + 0.044715 g³). */
const outer = -2 * Math.LOG2E * Math.sqrt(2 / Math.PI);
function gelu2({ gate = 0, x = 0 }: Readonly<Record<string, number>>): number {
  "use kernel";
  return damped(gate, gate * fma(gate * gate, outer * 0.044715, outer)) * x;
}
function same({ x = 0 }: Readonly<Record<string, number>>): number {
  "use kernel";
  return x;
}

const elements: readonly DType[] = [...floats, "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "e4m3", "e5m2"];
const called = (of: string) => ({ of, known: optionsOf<ElementwiseOptions>(of, names) });
const adds: Named = { ...called("add()"), operands: ["a", "b"], fn: add2 };
const silus: Named = { ...called("siluMul()"), operands: ["gate", "x"], fn: silu2 };
const gelus: Named = { ...called("geluMul()"), operands: ["gate", "x"], fn: gelu2, loads: 2 };
const copies: Named = { ...called("copy()"), operands: ["x"], dtypes: elements, fn: undefined };
const casts: Named = { ...called("cast()"), operands: ["x"], fn: same };

function ready(
  { of, known, operands, dtypes, fn, loads = 1 }: Named,
  tensors: readonly DeviceTensor[],
  options: ElementwiseOptions,
  dtype?: DType,
): Call {
  checkOptions(options, known);
  checkRun(of, options);
  const [first] = tensors;
  for (const [i, name] of operands.entries()) {
    const like = i === 0 || !first ? (dtypes ? { dtypes } : {}) : { dtypes: [first.dtype], shape: first.shape };
    checkOperand(of, name, tensors[i], like);
  }
  const { out } = options;
  if (out !== undefined && first) checkOperand(of, "out", out, { dtypes: [dtype ?? first.dtype], shape: first.shape });
  const inputs = Object.fromEntries(operands.map((name, i) => [name, tensors[i] as DeviceTensor]));
  return readyWork({ of, inputs, fn, loads }, { ...options, ...(dtype ? { dtype } : {}) });
}

/** a + b for f16, bf16 and f32, added in f32 and rounded once. Both are of one type and shape. W7012, W76xx. */
export function add<D extends FloatType, R extends number>(
  a: DeviceTensor<D, R>,
  b: DeviceTensor<NoInfer<D>, NoInfer<R>>,
  options: ElementwiseOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(add, arguments);
  return runWork(ready(adds, [a, b], options as ElementwiseOptions), options) as DeviceTensor<D, R>;
}

/**
 * gate / (1 + exp(-gate)) · x, the gated activation of SwiGLU, for f16, bf16 and f32, computed in f32 by the approximations of the hardware and rounded once: within 1e-6 (relative)
 * before that. Both are of one type and shape. W7012, W76xx.
 */
export function siluMul<D extends FloatType, R extends number>(
  gate: DeviceTensor<D, R>,
  x: DeviceTensor<NoInfer<D>, NoInfer<R>>,
  options: ElementwiseOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(siluMul, arguments);
  return runWork(ready(silus, [gate, x], options as ElementwiseOptions), options) as DeviceTensor<D, R>;
}

/** gelu(gate) · x, the gated activation of GeGLU, with gelu's approximation by tanh (PyTorch `approximate="tanh"`): as `siluMul`. W7012, W76xx. */
export function geluMul<D extends FloatType, R extends number>(
  gate: DeviceTensor<D, R>,
  x: DeviceTensor<NoInfer<D>, NoInfer<R>>,
  options: ElementwiseOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(geluMul, arguments);
  return runWork(ready(gelus, [gate, x], options as ElementwiseOptions), options) as DeviceTensor<D, R>;
}

/** The same elements in other memory: of views with gaps, too, and of any type but bool and tf32. W7012, W76xx. */
export function copy<D extends DType, R extends number>(
  x: DeviceTensor<D, R>,
  options: ElementwiseOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(copy, arguments);
  return runWork(ready(copies, [x], options as ElementwiseOptions), options) as DeviceTensor<D, R>;
}

/** x as another of the types f16, bf16 and f32, rounded to nearest even. W7012, W7046, W76xx. */
export function cast<T extends FloatType, R extends number>(
  x: DeviceTensor<FloatType, R>,
  dtype: T,
  options: ElementwiseOptions<NoInfer<T>, NoInfer<R>> = {},
): DeviceTensor<T, R> {
  refuseMore(cast, arguments);
  return runWork(readyCast(x, dtype, options as ElementwiseOptions), options) as DeviceTensor<T, R>;
}

function readyCast(x: DeviceTensor, dtype: FloatType, options: ElementwiseOptions): Call {
  if (!["f16", "bf16", "f32"].includes(dtype))
    fail("W7046", { of: "cast()", option: "dtype", given: display(dtype), expected: '"f16", "bf16" or "f32"' });
  return ready(casts, [x], options, dtype);
}

for (const [fn, named] of [
  [add, adds],
  [siluMul, silus],
  [geluMul, gelus],
] as const)
  prepares(fn, (a: DeviceTensor, b: DeviceTensor, options: ElementwiseOptions = {}) => ready(named, [a, b], options));
prepares(copy, (x: DeviceTensor, options: ElementwiseOptions = {}) => ready(copies, [x], options));
prepares(cast, (x: DeviceTensor, dtype: FloatType, options: ElementwiseOptions = {}) => readyCast(x, dtype, options));
