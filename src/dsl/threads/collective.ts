import { optionsOf } from "../../base/diag/index.ts";
import type { ScalarType, Value } from "../../ir/index.ts";
import { convertTo } from "../numbers/convert.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { isOpen, joinType } from "../numbers/open-types.ts";
import { emitOne, widen } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { isPartitioned } from "../trace/partition.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { OwnObject, ownMethods } from "../trace/staged.ts";
import { currentTrace, type OpenRegion, type Trace } from "../trace/trace.ts";
import { combineRegion, type Given, givenOf, rebuilt, regionOf, valuesLike } from "./combined.ts";
import type { Shuffled } from "./shuffled.ts";
import { warpgroupBarrier } from "./warpgroup-barrier.ts";

/** Threads that compute something together. */
export type Group = "warp" | "warpgroup" | "block" | "cluster";

/** The ops of each group; those of a warpgroup take its barrier. */
const reduceOps = { warp: "warp.reduce", block: "block.reduce", cluster: "cluster.reduce" } as const;
const scanOps = { warp: "warp.scan", block: "block.scan", cluster: "cluster.scan" } as const;

/** How a scan goes. W2601. */
interface ScanOptions<T> {
  /** Each thread gets what is before it, without its own value; the first thread, before which there is nothing, gets this. */
  exclusive?: T;
}
const scanOptions = optionsOf<ScanOptions<unknown>>("scan()", { exclusive: true });

/** Refuses what needs threads that are elsewhere. W6520. */
function checkGroup(trace: Trace, group: Exclude<Group, "warpgroup">, what: string): void {
  if (group !== "warp" && isPartitioned(trace)) failHere("W6520", { what, group });
}

/** Results of the types that the given values have or will have. */
function likeGiven(given: Given, results: readonly Value[]): unknown {
  results.forEach((result, i) => {
    joinType(result, given.values[i] as Value);
  });
  return rebuilt(given, results);
}

/** W6505, W6520, W6522. */
function emitReduce(trace: Trace, group: Group, what: string, given: Given, region: () => OpenRegion): unknown {
  const { values } = given;
  const parts = () => ({ types: values.map((v) => v.type), regions: [region()] });
  if (group === "warpgroup") {
    const id = warpgroupBarrier(trace, `\`${what}\``);
    return likeGiven(given, trace.emit("warpgroup.reduce", { values, id }, {}, parts()).results);
  }
  checkGroup(trace, group, what);
  return likeGiven(given, trace.emit(reduceOps[group], { values }, {}, parts()).results);
}

/** `before`: what the first thread gets; nothing where each thread's own value counts. W6505, W6520, W6522. */
function emitScan(
  trace: Trace,
  group: Group,
  what: string,
  given: Given,
  before: readonly Value[],
  region: () => OpenRegion,
): unknown {
  const operands = { values: given.values, first: before };
  const parts = () => ({ types: given.values.map((v) => v.type), regions: [region()] });
  if (group === "warpgroup") {
    const id = warpgroupBarrier(trace, `\`${what}\``);
    return likeGiven(given, trace.emit("warpgroup.scan", { ...operands, id }, {}, parts()).results);
  }
  checkGroup(trace, group, what);
  return likeGiven(given, trace.emit(scanOps[group], operands, {}, parts()).results);
}

/** A number: what cannot be added or compared is refused. W2006, W2010, W2014. */
function numberOf(x: unknown, what: string): Given {
  const given = givenOf(x, `the value of \`${what}\``);
  const [value, ...more] = given.values;
  const isNumber = value && more.length === 0 && (isStagedScalar(x) || typeof x !== "object");
  if (!isNumber)
    return failHere("W2010", {
      what: `the value of \`${what}\``,
      wanted: "a number",
      got: describe(x),
      fix: "call it for each of its numbers, or use `reduce` with a function that combines two",
    });
  if (value.type === "pred") failHere("W2006", { op: what, what: describe(x) });
  if (!isOpen(value) && (value.type === "e4m3" || value.type === "e5m2")) failHere("W2014", { op: what, what: describe(x) });
  return given;
}

/** Floats of 16 bits are summed as f32, and the sum is rounded once. */
function summed(given: Given): { readonly given: Given; readonly back: ScalarType | undefined } {
  const [value] = given.values;
  if (!value || isOpen(value) || (value.type !== "f16" && value.type !== "bf16")) return { given, back: undefined };
  const wide = widen(value, "f32");
  return { given: { whole: scalar(wide), values: [wide] }, back: value.type };
}

/** What the threads of a group have together. Every thread of it calls these, and gets the result. */
export class Collective extends OwnObject {
  readonly #group: Group;

  constructor(group: Group) {
    super();
    this.#group = group;
  }

  /** One op on two numbers. */
  #of(what: string, name: "add" | "min" | "max", given: Given): unknown {
    const trace = currentTrace(what);
    return emitReduce(trace, this.#group, what, given, () =>
      regionOf(trace, given, ([a], [b]) => {
        const result = emitOne(name, { a: a as Value, b: b as Value });
        joinType(result, a as Value);
        return [result];
      }),
    );
  }

  /**
   * The sum over the threads of the group, of numbers of any type but fp8. Floats are added in a fixed order: neighbours two by two, then
   * these sums two by two, and so on; f16 and bf16 as f32, rounded once. Sums of integers wrap, with `debug`, too. In a warp, i32 and u32
   * take one instruction: `redux.sync` (PTX ISA 9.7.13.12). W2048, W2006, W2010, W2014, W6520.
   */
  sum<T extends number | bigint>(value: T): Shuffled<T> {
    const what = `${this.#group}.sum`;
    currentTrace(what);
    const { given, back } = summed(numberOf(value, what));
    const sum = this.#of(what, "add", given);
    return (back ? convertTo(back, sum) : sum) as Shuffled<T>;
  }

  /** The greatest of the threads' numbers, as `Math.max`: NaN wins, 0 is greater than -0. Types and errors as for `sum`. */
  max<T extends number | bigint>(value: T): Shuffled<T> {
    const what = `${this.#group}.max`;
    currentTrace(what);
    return this.#of(what, "max", numberOf(value, what)) as Shuffled<T>;
  }

  /** The least of the threads' numbers, as `Math.min`: NaN wins, -0 is less than 0. Types and errors as for `sum`. */
  min<T extends number | bigint>(value: T): Shuffled<T> {
    const what = `${this.#group}.min`;
    currentTrace(what);
    return this.#of(what, "min", numberOf(value, what)) as Shuffled<T>;
  }

  /**
   * The threads' values made one by `combine`, which is given what comes first in the order of the threads and what comes after it: numbers,
   * truth values, or objects and arrays of such. It need not commute, but must be associative: (ab)c is a(bc). The order is that of `sum`.
   * `combine` only computes: it may change nothing outside of itself, and calls nothing that threads do together. W2048, W2010, W6520, W6521, W6523, W6524.
   */
  reduce<T>(value: T, combine: (a: T, b: T) => T): T {
    const what = `${this.#group}.reduce`;
    const trace = currentTrace(what);
    const given = givenOf(value, `the value of \`${what}\``);
    return emitReduce(trace, this.#group, what, given, () => combineRegion(trace, given, combine, what)) as T;
  }

  /**
   * For each thread, the values of the threads up to it and its own made one by `combine`, as for `reduce`; with `exclusive`, those before it.
   * The order is fixed: within a warp by distances of 1, 2, 4, 8 and 16 lanes, then warp by warp, then block by block.
   * W2048, W2010, W2601, W6520, W6521, W6523, W6524.
   */
  scan<T>(value: T, combine: (a: T, b: T) => T, options: ScanOptions<T> = {}): T {
    const group = this.#group;
    const what = `${group}.scan`;
    const trace = currentTrace(what);
    checkOptionsHere(options, { ...scanOptions, of: `${what}()` });
    const given = givenOf(value, `the value of \`${what}\``);
    const before = options.exclusive === undefined ? [] : valuesLike(given, options.exclusive, what, "`exclusive`");
    return emitScan(trace, group, what, given, before, () => combineRegion(trace, given, combine, what)) as T;
  }
}
ownMethods(Collective);

/** The methods of a group that computes together. */
export type CollectiveMethod = "sum" | "max" | "min" | "reduce" | "scan";

/**
 * All threads of the block, together: through shuffles and shared memory. They meet at `syncThreads` once, in a loop of the GPU twice.
 *
 * @example
 * ```ts
 * const total = kernel({ block: 256, grid: 1 }, (x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) => {
 *   const sum = block.sum(x[threadIdx.x]!);
 *   if (threadIdx.x === 0) y[0] = sum;
 * });
 *
 * await using gpu = await openDevice();
 * const y = gpu.zeros("f32", [1]);
 * total.launch({}, gpu.tensor("f32", [256], new Float32Array(256).fill(2)), y);
 * console.log((await y.read())[0]); // 512
 * ```
 */
export const block: Pick<Collective, CollectiveMethod> = new Collective("block");
