import { fail, optionsOf } from "../../diag/index.ts";
import { constant, first } from "../../ir/arith.ts";
import type { ScalarType, Value } from "../../ir/index.ts";
import type { DType } from "../../types.ts";
import { checkOptionsHere } from "../check-options-here.ts";
import { lift, liftCondition, liftPred } from "../numbers/lift.ts";
import { scalar } from "../scalar.ts";
import { OwnObject } from "../staged.ts";
import { currentTrace, type Trace } from "../trace.ts";
import { checkAtomic, floatExtreme, type PtxScope, scopeOf } from "./atomics.ts";
import { type Bound, expectInside } from "./bounds.ts";
import { elementBytes, fromMemory, memoryType, registerType, toMemory } from "./dtype.ts";
import type { AtomicOp, AtomicOptions, LoadOptions, Scope, StoreOptions, SwapOptions } from "./types.ts";

export interface Address {
  readonly ptr: Value;
  /** Bytes, static. */
  readonly offset: number;
}

/** Where one element lies. */
export interface Location {
  readonly space: "global" | "shared" | "cluster";
  readonly dtype: DType;
  /** In the author's words: "a Tensor<f32> [256, 32]". */
  readonly what: string;
  address(trace: Trace): Address;
  /** The byte offset from the beginning of the memory, where it is static. */
  readonly exact: number | undefined;
  /** Elements from this one on that are sure to lie side by side. */
  readonly run: number;
  /** What `debug` checks before the element is touched. */
  readonly bounds?: readonly Bound[];
}

type VectorOptions = LoadOptions & { vector?: number };
const loadOptions = optionsOf<VectorOptions>("load()", { pred: true, other: true, cache: true, vector: true });
const storeOptions = optionsOf<StoreOptions>("store()", { pred: true, cache: true });
const swapOptions = optionsOf<SwapOptions>("compareAndSwap()", { scope: true, order: true });
const atomicOptions = optionsOf<AtomicOptions>("atomic()", { scope: true, order: true, pred: true });

const loadCaches = ["ca", "cg", "cs", "lu", "cv", "nc"] as const;
const storeCaches = ["wb", "cg", "cs", "wt"] as const;

/** Refuses a vector that no instruction moves. */
function checkVector(trace: Trace, at: Location, count: number): void {
  const bytes = elementBytes[at.dtype];
  if (![1, 2, 4, 8, 16].includes(count) || count * bytes > 16)
    fail("W3004", { vector: String(count), dtype: at.dtype, most: 16 / bytes }, trace.spans());
  if (count > at.run) fail("W3006", { vector: count, what: at.what }, trace.spans());
  if (at.exact !== undefined && at.exact % (count * bytes) !== 0)
    fail("W3005", { bytes: count * bytes, offset: at.exact }, trace.spans());
}

function checkCache<C extends string>(trace: Trace, at: Location, cache: C | undefined, allowed: readonly C[]): C | "" {
  if (cache === undefined) return "";
  if (at.space !== "global" || !allowed.includes(cache)) fail("W3022", { cache, allowed: allowed.join(", ") }, trace.spans());
  return cache;
}

/** A value of the element's type, as memory holds it. */
function element(trace: Trace, dtype: DType, value: unknown, what: string): Value {
  return toMemory(trace, dtype, dtype === "bool" ? liftPred(value, what) : lift(value, registerType(dtype), what));
}

/** Emits a load and gives the elements as registers hold them. */
export function emitLoad(
  trace: Trace,
  at: Location,
  count: number,
  options: { pred?: unknown; other?: unknown; cache?: LoadOptions["cache"] },
): Value[] {
  const types: ScalarType[] = Array.from({ length: count }, () => memoryType(at.dtype));
  const pred = liftCondition(options.pred, "`pred`");
  const cache = checkCache(trace, at, options.cache, loadCaches);
  const other = pred && options.other !== undefined ? element(trace, at.dtype, options.other, "`other`") : undefined;
  expectInside(trace, at.bounds, count, pred);
  const { ptr, offset } = at.address(trace);
  const op =
    at.space === "global"
      ? trace.emit("ld.global", { ptr, pred, other }, { offset, cache }, { types })
      : trace.emit("ld.shared", { ptr, pred, other }, { offset }, { types });
  return op.results.map((v) => fromMemory(trace, at.dtype, v));
}

/** Emits a store of registers as memory holds them. */
export function emitStore(
  trace: Trace,
  at: Location,
  values: readonly Value[],
  pred?: Value,
  cache: "" | "wb" | "cg" | "cs" | "wt" = "",
): void {
  expectInside(trace, at.bounds, values.length, pred);
  const { ptr, offset } = at.address(trace);
  if (at.space === "global") trace.emit("st.global", { ptr, values, pred }, { offset, cache });
  else trace.emit("st.shared", { ptr, values, pred }, { offset });
}

/** One element's place in memory: see `Place`. */
export class PlaceObject extends OwnObject {
  readonly #at: Location;

  constructor(at: Location) {
    super();
    this.#at = at;
  }

  get value(): unknown {
    return this.load();
  }
  set value(value: unknown) {
    this.#put([value], {});
  }

  load(options: VectorOptions = {}): unknown {
    const trace = currentTrace("load");
    checkOptionsHere(options, loadOptions);
    const at = this.#at;
    const count = options.vector ?? 1;
    checkVector(trace, at, count);
    const values = options.pred === false ? this.#others(trace, count, options.other) : emitLoad(trace, at, count, options);
    const scalars = values.map((v) => scalar(v));
    return options.vector === undefined ? scalars[0] : scalars;
  }

  #others(trace: Trace, count: number, other: unknown): Value[] {
    const { dtype } = this.#at;
    const value =
      other === undefined ? constant(trace, zeroOf(dtype), memoryType(dtype)) : element(trace, dtype, other, "`other`");
    return Array.from({ length: count }, () => fromMemory(trace, dtype, value));
  }

  store(value: unknown, options: StoreOptions = {}): void {
    checkOptionsHere(options, storeOptions);
    this.#put(Array.isArray(value) ? value : [value], options);
  }

  #put(given: readonly unknown[], options: StoreOptions): void {
    const trace = currentTrace("store");
    const at = this.#at;
    if (![1, 2, 4, 8, 16].includes(given.length)) fail("W3007", { given: given.length, wanted: 1 }, trace.spans());
    checkVector(trace, at, given.length);
    const cache = checkCache(trace, at, options.cache, storeCaches);
    const values = given.map((v) => element(trace, at.dtype, v, `an element of ${at.what}`));
    if (options.pred !== false) emitStore(trace, at, values, liftCondition(options.pred, "`pred`"), cache);
  }

  atomic(op: AtomicOp, value: unknown, options: AtomicOptions = {}): unknown {
    const trace = currentTrace("atomic");
    checkOptionsHere(options, atomicOptions);
    const at = this.#at;
    checkAtomic(trace, op, at.dtype);
    const order = options.order ?? "relaxed";
    const operand = element(trace, at.dtype, value, `an element of ${at.what}`);
    const pred = liftCondition(options.pred, "`pred`");
    expectInside(trace, at.bounds, 1, pred);
    const { ptr, offset } = at.address(trace);
    const scope = this.#scope(trace, options.scope);
    const atom = (of: AtomicOp, value: Value, where: Value | undefined): Value =>
      first(trace.emit("atom", { ptr, value, pred: where }, { op: of, offset, scope, order }));
    const float = at.dtype === "f32" || at.dtype === "f64";
    if (float && (op === "min" || op === "max")) return scalar(floatExtreme(trace, op, operand, pred, atom));
    return scalar(atom(op, operand, pred));
  }

  compareAndSwap(expected: unknown, value: unknown, options: SwapOptions = {}): unknown {
    const trace = currentTrace("compareAndSwap");
    checkOptionsHere(options, swapOptions);
    const at = this.#at;
    checkAtomic(trace, "exch", at.dtype, "compareAndSwap");
    const what = `an element of ${at.what}`;
    const operands = { expected: element(trace, at.dtype, expected, what), value: element(trace, at.dtype, value, what) };
    expectInside(trace, at.bounds, 1, undefined);
    const { ptr, offset } = at.address(trace);
    return scalar(
      first(
        trace.emit(
          "atom.cas",
          { ptr, ...operands },
          { offset, scope: this.#scope(trace, options.scope), order: options.order ?? "relaxed" },
        ),
      ),
    );
  }

  loadAcquire(scope?: Scope): unknown {
    const trace = currentTrace("loadAcquire");
    const { dtype, bounds } = this.#at;
    expectInside(trace, bounds, 1, undefined);
    const { ptr, offset } = this.#at.address(trace);
    const value = first(
      trace.emit("ld.acquire", { ptr }, { offset, scope: this.#scope(trace, scope) }, { types: [memoryType(dtype)] }),
    );
    return scalar(fromMemory(trace, dtype, value));
  }

  storeRelease(value: unknown, scope?: Scope): void {
    const trace = currentTrace("storeRelease");
    const { dtype, what, bounds } = this.#at;
    const values = [element(trace, dtype, value, `an element of ${what}`)];
    expectInside(trace, bounds, 1, undefined);
    const { ptr, offset } = this.#at.address(trace);
    trace.emit("st.release", { ptr, values }, { offset, scope: this.#scope(trace, scope) });
  }

  #scope(trace: Trace, scope: Scope | undefined): PtxScope {
    return scopeOf(trace, scope ?? usualScope[this.#at.space]);
  }
}

/** Who else can reach it. */
const usualScope = { global: "gpu", shared: "block", cluster: "cluster" } as const;

const zeroOf = (dtype: DType): number | bigint => (dtype === "i64" || dtype === "u64" ? 0n : 0);
