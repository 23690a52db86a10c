import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import type { ScalarType, SharedViewType, Value } from "../../ir/index.ts";
import { registerType } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { lift, liftCondition, liftPred } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { scalar } from "../trace/scalar.ts";
import { addressIn, type HasAddress, OwnObject, ownMethods, standsForElement } from "../trace/staged.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { checkAtomic, checkCombined, checkReduction, type PtxScope, scopeOf, usualScope } from "./atomics.ts";
import { type Bound, expectInside } from "./bounds.ts";
import { readHint } from "./cache-hint.ts";
import type {
  AtomicOp,
  AtomicOptions,
  LoadOptions,
  PlaceReduceOp,
  PlaceReduceOptions,
  PrefetchOptions,
  Scope,
  StoreOptions,
  SwapOptions,
} from "./types.ts";

/** Where one element lies. */
export interface Location {
  /** A view without dimensions. */
  readonly value: Value;
  readonly space: "global" | "shared" | "cluster";
  readonly dtype: DType;
  /** In the author's words: "a Tensor<f32> [256, 32]". */
  readonly what: string;
  /** Elements from this one on that are sure to lie side by side. */
  readonly run: number;
  /** What `debug` checks before the element is touched. */
  readonly bounds?: readonly Bound[];
}

type VectorOptions = LoadOptions & { vector?: number };
const loadOptions = optionsOf<VectorOptions>("load()", {
  pred: true,
  other: true,
  cache: true,
  evict: true,
  cacheHint: true,
  l2: true,
  vector: true,
});
const storeOptions = optionsOf<StoreOptions>("store()", { pred: true, cache: true, evict: true, cacheHint: true });
const prefetchOptions = optionsOf<PrefetchOptions>("prefetch()", { level: true, evict: true, pred: true });
const reduceOptions = optionsOf<PlaceReduceOptions>("reduce()", { scope: true, order: true, pred: true });
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
}

function checkCache<C extends string>(trace: Trace, at: Location, cache: C | undefined, allowed: readonly C[]): C | "" {
  if (cache === undefined) return "";
  if (at.space !== "global" || !allowed.includes(cache)) fail("W3022", { cache, allowed: allowed.join(", ") }, trace.spans());
  return cache;
}

/** Where the first element of a view lies. */
export const emitAddress = (trace: Trace, view: Value, space: Location["space"]): Value =>
  first(trace.emit("view.address", { view }, {}, { types: [`ptr.${space}`] }));
const evictions: readonly unknown[] = ["first", "last", "normal", "unchanged", "noAllocate"];
const allowedEvictions = '"first", "last", "normal", "unchanged" or "noAllocate"';

/** How long the caches keep it, and what comes into the L2 cache with it. W3025, W3036. */
function readHints(at: Location, cache: string, { evict, l2, cacheHint }: Pick<LoadOptions, "evict" | "l2" | "cacheHint">) {
  const hint = readHint(cacheHint);
  const given = evict ?? l2 ?? (hint || undefined);
  if (given === undefined) return {};
  if (at.space !== "global") failHere("W3036", { given: String(given), why: "shared memory is behind no cache" });
  if (evict !== undefined && !evictions.includes(evict))
    failHere("W3025", { what: "`evict`", given: describe(evict), allowed: allowedEvictions });
  if (l2 !== undefined && l2 !== 64 && l2 !== 128 && l2 !== 256)
    failHere("W3036", { given: String(l2), why: "the L2 cache takes 64, 128 or 256 bytes" });
  if (evict !== undefined && cache !== "" && cache !== "nc")
    failHere("W3036", { given: evict, why: `\`cache: "${cache}"\` says already how it is kept` });
  return {
    ...(evict === undefined ? {} : { evict }),
    ...(hint === "" ? {} : { cacheHint: hint }),
    ...(l2 === undefined ? {} : { prefetch: l2 }),
  };
}

/** A value of the element's type. */
const element = (dtype: DType, value: unknown, what: string): Value =>
  dtype === "bool" ? liftPred(value, what) : lift(value, registerType(dtype), what);

/** Emits a load and gives the elements. */
function emitLoad(trace: Trace, at: Location, count: number, options: LoadOptions): readonly Value[] {
  const types: ScalarType[] = Array.from({ length: count }, () => registerType(at.dtype));
  const pred = liftCondition(options.pred, "`pred`");
  const cache = checkCache(trace, at, options.cache, loadCaches);
  const hints = readHints(at, cache, options);
  const other = pred && options.other !== undefined ? element(at.dtype, options.other, "`other`") : undefined;
  expectInside(trace, at.bounds, count, pred);
  return trace.emit("view.load", { view: at.value, pred, other }, { cache, ...hints }, { types }).results;
}

/** One element's place in memory: see `Place`. */
export class PlaceObject extends OwnObject implements HasAddress {
  readonly #at: Location;

  constructor(at: Location) {
    super();
    this.#at = at;
  }

  get [standsForElement](): true {
    return true;
  }
  get space(): Location["space"] {
    return this.#at.space;
  }
  get dtype(): DType {
    return this.#at.dtype;
  }
  /** In the author's words. */
  get what(): string {
    return `a place of ${this.#at.what}`;
  }

  /** The place for what moves so many neighbours from it on. W3004, W3006. */
  neighbours(trace: Trace, count: number, pred: Value | undefined): Value {
    checkVector(trace, this.#at, count);
    expectInside(trace, this.#at.bounds, count, pred);
    return this.#at.value;
  }

  /** The same place in block `rank` of the cluster, for what moves so many neighbours from it on. W3004, W3006. */
  neighboursAt(trace: Trace, rank: Value, count: number, pred: Value | undefined): Value {
    const view = this.neighbours(trace, count, pred);
    const type = { ...(view.type as SharedViewType), space: "cluster" as const };
    return first(trace.emit("view.peer", { view, rank }, {}, { types: [type] }));
  }

  /** Values of the author's as elements that are stored from this place on. */
  elements(given: readonly unknown[]): readonly Value[] {
    const { dtype, what, space } = this.#at;
    const tile = given.find(isStagedTile);
    if (tile) {
      const shape = tile.type.shape.join(", ");
      failHere("W2010", {
        what: `an element of ${what}`,
        wanted: "one number",
        got: `a tile [${shape}]`,
        fix:
          space === "global"
            ? "store the tile where it begins: `x.storeTile([i], t)`, with an index for each dimension"
            : `store it to a view of its shape: \`view.store(t)\`, with a view of [${shape}]`,
      });
    }
    return given.map((v) => element(dtype, v, `an element of ${what}`));
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
    const values = options.pred === false ? this.#others(count, options.other) : emitLoad(trace, at, count, options);
    const scalars = values.map((v) => scalar(v));
    return options.vector === undefined ? scalars[0] : scalars;
  }

  #others(count: number, other: unknown): readonly Value[] {
    const { dtype } = this.#at;
    const value = element(dtype, other ?? zeroOf(dtype), "`other`");
    return Array.from({ length: count }, () => value);
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
    const hints = readHints(at, cache, options);
    const values = this.elements(given);
    if (options.pred === false) return;
    const pred = liftCondition(options.pred, "`pred`");
    expectInside(trace, at.bounds, values.length, pred);
    trace.emit("view.store", { view: at.value, values, pred }, { cache, ...hints });
  }

  atomic(op: AtomicOp, value: unknown, options: AtomicOptions = {}): unknown {
    const trace = currentTrace("atomic");
    checkOptionsHere(options, atomicOptions);
    const at = this.#at;
    checkAtomic(trace, op, at.dtype);
    const order = readAtomicOrder(options.order);
    const operand = element(at.dtype, value, `an element of ${at.what}`);
    const pred = liftCondition(options.pred, "`pred`");
    expectInside(trace, at.bounds, 1, pred);
    const scope = this.#scope(trace, options.scope);
    return scalar(first(trace.emit("view.atom", { view: at.value, value: operand, pred }, { op, scope, order })));
  }

  reduce(op: PlaceReduceOp, value: unknown, options: PlaceReduceOptions = {}): void {
    const trace = currentTrace("reduce");
    checkOptionsHere(options, reduceOptions);
    const { space, dtype } = this.#at;
    const given = Array.isArray(value) ? value : [value];
    if (given.length === 1) checkReduction(trace, op, dtype);
    else checkCombined(op, dtype, given.length, space);
    const order = readOrder(options.order);
    const values = this.elements(given);
    const scope = this.#scope(trace, options.scope);
    if (options.pred === false) return;
    const pred = liftCondition(options.pred, "`pred`");
    trace.emit("view.reduce", { view: this.neighbours(trace, given.length, pred), values, pred }, { op, scope, order });
  }

  prefetch(options: PrefetchOptions = {}): void {
    const trace = currentTrace("prefetch");
    checkOptionsHere(options, prefetchOptions);
    const { level = "L2", evict } = options;
    const refuse = (why: string): never => failHere("W3036", { given: "prefetch", why });
    if (this.#at.space !== "global") refuse("shared memory is behind no cache");
    if (level !== "L1" && level !== "L2") refuse('there are the levels "L1" and "L2"');
    if (evict !== undefined && ((evict !== "last" && evict !== "normal") || level === "L1"))
      refuse('the L2 cache gives a prefetched line up "last" or as is "normal", and the L1 cache takes no priority');
    if (options.pred === false) return;
    const pred = liftCondition(options.pred, "`pred`");
    trace.emit("view.prefetch", { view: this.#at.value, pred }, { level, evict: evict ?? "" });
  }

  compareAndSwap(expected: unknown, value: unknown, options: SwapOptions = {}): unknown {
    const trace = currentTrace("compareAndSwap");
    checkOptionsHere(options, swapOptions);
    const at = this.#at;
    checkAtomic(trace, "exch", at.dtype, "compareAndSwap");
    const what = `an element of ${at.what}`;
    const operands = { expected: element(at.dtype, expected, what), value: element(at.dtype, value, what) };
    expectInside(trace, at.bounds, 1, undefined);
    const attrs = { scope: this.#scope(trace, options.scope), order: readAtomicOrder(options.order) } as const;
    return scalar(first(trace.emit("view.cas", { view: at.value, ...operands }, attrs)));
  }

  loadAcquire(scope?: Scope): unknown {
    const trace = currentTrace("loadAcquire");
    const { value: view, dtype, bounds } = this.#at;
    expectInside(trace, bounds, 1, undefined);
    const types = [registerType(dtype)];
    return scalar(first(trace.emit("view.acquire", { view }, { scope: this.#scope(trace, scope) }, { types })));
  }

  storeRelease(value: unknown, scope?: Scope): void {
    const trace = currentTrace("storeRelease");
    const { value: view, dtype, what, bounds } = this.#at;
    const given = element(dtype, value, `an element of ${what}`);
    expectInside(trace, bounds, 1, undefined);
    trace.emit("view.release", { view, value: given }, { scope: this.#scope(trace, scope) });
  }

  [addressIn](trace: Trace): Value {
    const { value, space, bounds } = this.#at;
    expectInside(trace, bounds, 1, undefined);
    return emitAddress(trace, value, space);
  }

  #scope(trace: Trace, scope: Scope | undefined): PtxScope {
    return scopeOf(trace, scope ?? usualScope[this.#at.space]);
  }
}
ownMethods(PlaceObject);

/** W3025. */
function readOrder(order: unknown = "relaxed"): "relaxed" | "release" {
  if (order === "relaxed" || order === "release") return order;
  return failHere("W3025", { what: "the order of a reduction", given: String(order), allowed: '"relaxed" or "release"' });
}

const orders = ["relaxed", "acquire", "release", "acq_rel"] as const;

/** W3025. */
function readAtomicOrder(order: unknown = "relaxed"): (typeof orders)[number] {
  const known = orders.find((name) => name === order);
  if (known) return known;
  const allowed = orders.map((name) => `"${name}"`).join(", ");
  return failHere("W3025", { what: "the order of an atomic", given: String(order), allowed });
}

const zeroOf = (dtype: DType): number | bigint | boolean =>
  dtype === "bool" ? false : dtype === "i64" || dtype === "u64" ? 0n : 0;
