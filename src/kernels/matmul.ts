import type { DeviceTensor, Stream } from "warpsmith";
import type { Tensors } from "./check.ts";
import type { Epilogue } from "./epilogue.ts";
import type { HalfType } from "./gemm.ts";
import type { Plan } from "./plan.ts";
import { type Asked, type GemmArgs, type GemmKernel, prepare, type Ready } from "./prepare.ts";

type Matrix<D extends HalfType> = DeviceTensor<D, 2>;

/** Tensors that an epilogue reads, by the names it calls them. */
export type MatmulInputs = Readonly<Record<string, DeviceTensor<HalfType | "f32">>>;

/** `row` and `col` are those of the element in the product. */
export type MatmulEpilogue<I extends MatmulInputs> = (
  value: number,
  inputs: { readonly [K in keyof I]: number },
  row: number,
  col: number,
) => number;

export interface MatmulOptions<D extends HalfType = HalfType, I extends MatmulInputs = Readonly<Record<never, never>>> {
  /** Where the product goes: [M, N], the elements of a row neighbours in memory, sharing none with `a` or `b`. Default: new memory. */
  readonly out?: Matrix<D>;
  /**
   * What becomes of each element, in the same kernel, before it is rounded to the type of the result: a `helper(…)` or another function
   * that the transform has seen. `value` is the sum, in f32. A new function is a new kernel: make it once.
   */
  readonly epilogue?: MatmulEpilogue<I>;
  /**
   * What the epilogue reads, of f16, bf16 or f32: [M, N], the number of its element; [N] or [1, N], of its column; [M, 1], of its row.
   * One of [M, N] may be `out` itself.
   */
  readonly inputs?: I;
  readonly stream?: Stream;
  /** How to cut it up, instead of what measurement chose. */
  readonly plan?: Plan;
  /** Let it start before the previous kernel of its stream ends. */
  readonly overlapPrevious?: boolean;
}

/** A launch made before, and what it was made for. The operands are its keys. */
interface Known extends Ready {
  readonly asked: Asked;
}

/** Launches made before into memory of the author's, by `a` and `b`; the latest first. */
const known = new WeakMap<object, WeakMap<object, Known[]>>();
/** How many are kept of one pair of operands. */
const kept = 8;

/** The options, whatever names the inputs have. */
interface Options extends Omit<MatmulOptions, "epilogue" | "inputs"> {
  readonly epilogue?: Epilogue;
  readonly inputs?: Tensors;
}
const noInputs: Tensors = Object.freeze({});

/** Whether the inputs are the tensors that they were, by their names. */
function sameInputs(before: Tensors, inputs: Tensors): boolean {
  if (before === inputs) return true;
  let more = 0;
  for (const name in inputs) {
    if (before[name] !== inputs[name]) return false;
    more++;
  }
  for (const _ in before) more--;
  return more === 0;
}

/** Whether the options ask for the same, the operands aside. Nothing is allocated here: it runs at every call. */
const isAsked = (asked: Asked, options: Options): boolean =>
  asked.out === options.out &&
  asked.epilogue === options.epilogue &&
  asked.plan === options.plan &&
  sameInputs(asked.inputs, options.inputs ?? noInputs);

function find(a: Matrix<HalfType>, b: Matrix<HalfType>, options: Options): Ready {
  const list = known.get(a)?.get(b);
  if (list) {
    for (let i = 0; i < list.length; i++) {
      const ready = list[i];
      if (!ready || !isAsked(ready.asked, options)) continue;
      if (i > 0) list.unshift(...list.splice(i, 1));
      return ready;
    }
  }
  return make(a, b, options);
}

function make(a: Matrix<HalfType>, b: Matrix<HalfType>, { out, epilogue, inputs, plan }: Options): Ready {
  // A copy of the inputs: theirs is an object that the author may change.
  const asked: Asked = { out, epilogue, inputs: inputs ? { ...inputs } : noInputs, plan };
  const ready = prepare(a, b, asked);
  // Memory that is made here is new each time: nobody asks for it again.
  if (out) remember(a, b, { ...ready, asked });
  return ready;
}

function remember(a: object, b: object, ready: Known): void {
  const ofA = known.get(a) ?? new WeakMap<object, Known[]>();
  known.set(a, ofA);
  const list = ofA.get(b) ?? [];
  ofA.set(b, list);
  list.unshift(ready);
  list.length = Math.min(list.length, kept);
}

const inOrder = Object.freeze({});
const overlapping = Object.freeze({ overlapPrevious: true });

/**
 * a @ b for matrices of f16 or bf16 in one kernel, summed in f32, rounded once to their type. `a` is [M, K] and `b` [K, N] by shape;
 * either may be a transposed view, and a slice of wider memory. Lines of neighbours begin at multiples of 16 bytes. A call with tensors
 * and options that were given before costs little more than the launch. W7012, W76xx.
 */
export function matmul<D extends HalfType, I extends MatmulInputs = Readonly<Record<never, never>>>(
  a: Matrix<D>,
  b: Matrix<D>,
  options: MatmulOptions<D, I> = {},
): Matrix<D> {
  const { stream, overlapPrevious = false } = options;
  const { kernel, args, out } = find(a, b, options as Options);
  try {
    kernel.launch(stream ? { stream, overlapPrevious } : overlapPrevious ? overlapping : inOrder, ...args);
  } catch (error) {
    if (out !== options.out) out.dispose();
    throw error;
  }
  return out as Matrix<D>;
}

/** What `matmul` would launch, and where the product would go. */
export interface MatmulKernel<D extends HalfType> {
  readonly kernel: GemmKernel;
  readonly args: GemmArgs;
  readonly out: Matrix<D>;
}

/** The kernel and the arguments that `matmul` would launch, to compile, look at or measure it: `kernel.compile(...args).ptx`. W7012, W76xx. */
export function matmulKernel<D extends HalfType, I extends MatmulInputs = Readonly<Record<never, never>>>(
  a: Matrix<D>,
  b: Matrix<D>,
  options: MatmulOptions<D, I> = {},
): MatmulKernel<D> {
  const { kernel, args, out } = find(a, b, options as Options);
  return { kernel, args, out: out as Matrix<D> };
}
