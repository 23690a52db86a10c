import { withParametersOf } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import { bitsOf, isInteger, registerType, type ScalarType, type TileType, typeName, type Value } from "../../ir/index.ts";
import { isAuto } from "../../layout/index.ts";
import { fail } from "../errors/index.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { checkOpenHere, closedAs } from "../trace/open-tiles.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { isStagedTile, type StagedTile, tileOf } from "../trace/staged-tile.ts";
import { currentTrace, type OpenRegion, type Trace } from "../trace/trace.ts";
import { lift } from "./lift.ts";
import { isOpen, settle } from "./open-types.ts";
import { divisionAt, Unusable } from "./unusable.ts";

/** The type of elements that scalars of that type are. */
export const elementType = (type: ScalarType): DType => (type === "pred" ? "bool" : type);

/** A region whose parameters are elements, and what it yields. */
export interface Body {
  readonly region: OpenRegion;
  readonly types: readonly ScalarType[];
}

/**
 * Traces what is done with one element of each tile, and what is made of them. `results`: the types that it has to make; `number`: what a static
 * number becomes where none is given.
 */
export function traceBody(
  trace: Trace,
  types: readonly ScalarType[],
  what: string,
  run: (elements: readonly unknown[]) => unknown,
  { results, number = "f32" }: { results?: readonly ScalarType[]; number?: ScalarType },
): Body {
  const params = types.map((type) => trace.value(type));
  const { region, result } = trace.inRegion(params, () => {
    const made = run(params.map((param) => scalar(param)));
    const list = results ? (made as readonly unknown[]) : [made];
    const values = list.map((x, i) => {
      if (isStagedScalar(x) && isOpen(x.value)) settle(x.value, number);
      const wanted = results?.[i] ?? (isStagedScalar(x) ? x.type : typeof x === "boolean" ? "pred" : number);
      return lift(x, wanted, what);
    });
    trace.emit("yield", { values }, {});
    return values.map((v) => v.type as ScalarType);
  });
  return { region, types: result };
}

/** How the tile lies, in the author's words. */
const spread = ({ type: { shape, dtype, layout } }: StagedTile): string =>
  typeName({ kind: "tile", dtype, shape, layout }).replace(/^tile<"\S+ |">$/g, "");

const layoutOf = ({ type: { shape, layout } }: StagedTile): string =>
  typeName({ kind: "tile", dtype: "f32", shape: shape.map(() => 1), layout });

/** The tiles, those whose layout is open in that of the first one whose layout is not. W6204. */
function closed(trace: Trace, tiles: readonly StagedTile[]): readonly StagedTile[] {
  const like = tiles.find(({ type }) => !isAuto(type.layout))?.type;
  return tiles.map((tile) => {
    checkOpenHere(trace, tile.type);
    return like && like.shape.length === tile.type.shape.length ? closedAs(trace, tile, like.layout) : tile;
  });
}

/** The shape that tiles have together: dimensions of one element become as long as those of the others. W6201, W6202. */
function commonType(tiles: readonly StagedTile[], what: string): TileType {
  const [like, ...others] = tiles as readonly [StagedTile, ...StagedTile[]];
  for (const other of others) {
    if (other.type.shape.length !== like.type.shape.length) failHere("W6202", { what, a: like.what, b: other.what });
    if (layoutOf(other) !== layoutOf(like)) failHere("W6201", { what, a: spread(like), b: spread(other) });
  }
  const shape = like.type.shape.map((_, d) => {
    const extents = new Set(tiles.map(({ type }) => type.shape[d] ?? 1).filter((n) => n !== 1));
    const odd = tiles.find(({ type }) => type.shape[d] !== 1 && type.shape[d] !== [...extents][0]);
    if (odd) failHere("W6202", { what, a: like.what, b: odd === like ? (others[0]?.what ?? "") : odd.what });
    return [...extents][0] ?? 1;
  });
  return { ...like.type, shape };
}

/** The tile over a larger shape. */
export function broadcast(trace: Trace, { value, type }: StagedTile, shape: readonly number[]): Value {
  if (type.shape.every((n, d) => n === shape[d])) return value;
  return first(trace.emit("tile.broadcast", { tile: value }, {}, { types: [{ ...type, shape }] }));
}

/** `a / b` of integers, at least one of them a tile: an integer division once something says how to round. W2005. */
export class TileQuotient extends Unusable {
  readonly a: unknown;
  readonly b: unknown;
  readonly divide: (a: unknown, b: unknown) => unknown;
  readonly spans = spansHere();
  constructor(a: unknown, b: unknown, divide: (a: unknown, b: unknown) => unknown) {
    super();
    this.a = a;
    this.b = b;
    this.divide = divide;
  }
  refuse(): never {
    return fail("W2005", divisionAt(this.spans), this.spans);
  }
}

/** Is a quotient of them rounded by what is done with it? Those of 64 bits are, at once. */
export function dividesIntegers(a: unknown, b: unknown): boolean {
  const isWhole = (x: unknown): boolean => {
    if (typeof x === "number") return Number.isInteger(x);
    const type = isStagedTile(x) ? registerType(x.type.dtype) : isStagedScalar(x) && !isOpen(x.value) ? x.type : undefined;
    return type !== undefined && isInteger(type) && bitsOf(type) <= 32;
  };
  return isWhole(a) && isWhole(b);
}

/** Is it a tile, or the quotient of one? */
export const isTiled = (x: unknown): boolean => isStagedTile(x) || x instanceof TileQuotient;

/**
 * Applies a function of scalars to the elements of tiles, place by place; scalars among the arguments are the same at every place. `dtype`: of what
 * is made, where its type in a register does not say it.
 */
export function elementwise(
  args: readonly unknown[],
  what: string,
  f: (args: readonly unknown[]) => unknown,
  dtype?: DType,
): never {
  const trace = currentTrace(what);
  const inputs = args.flatMap((arg) => (arg instanceof TileQuotient ? [arg.a, arg.b] : [arg]));
  const tiles = closed(trace, inputs.filter(isStagedTile));
  const type = commonType(tiles, what);
  const values = tiles.map((tile) => broadcast(trace, tile, type.shape));
  const elements = tiles.map((tile) => registerType(tile.type.dtype));
  const numbers = args.filter((arg) => typeof arg === "number");
  const run = (own: readonly unknown[]): unknown => {
    const left = own.values();
    const element = (x: unknown): unknown => (isStagedTile(x) ? left.next().value : x);
    return f(args.map((arg) => (arg instanceof TileQuotient ? arg.divide(element(arg.a), element(arg.b)) : element(arg))));
  };
  const number = numbers.length > 0 && numbers.every(Number.isInteger) ? "i32" : "f32";
  const body = traceBody(trace, elements, `what ${what} makes of an element`, run, { number });
  const result = { ...type, dtype: dtype ?? elementType(body.types[0] ?? "f32") };
  const parts = { types: [result], regions: [body.region] };
  return tileOf(first(trace.emit("tile.map", { tiles: values }, { coordinates: false, warpgroups: undefined }, parts)), result);
}

/** The same function, which takes tiles too: element by element. */
export function overTiles<A extends readonly unknown[], R>(name: string, f: (...args: A) => R): (...args: A) => R {
  const made = (...args: A): R => (args.some(isTiled) ? elementwise(args, `\`${name}\``, (own) => f(...(own as A))) : f(...args));
  return withParametersOf(Object.defineProperty(made, "name", { value: name }), f);
}
