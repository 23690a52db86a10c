import { first } from "../../ir/arith.ts";
import { type ScalarType, type TileType, typeName, type Value } from "../../ir/index.ts";
import { registerType } from "../../ir/types.ts";
import type { DType } from "../../types.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { isStagedTile, type StagedTile, tileOf } from "../trace/staged-tile.ts";
import { currentTrace, type OpenRegion, type Trace } from "../trace/trace.ts";
import { lift } from "./lift.ts";
import { isOpen, settle } from "./open-types.ts";

/** The type of elements that scalars of that type are. */
export const elementType = (type: ScalarType): DType => (type === "pred" ? "bool" : type);

/** A region whose parameters are elements, and what it yields. */
export interface Body {
  readonly region: OpenRegion;
  readonly types: readonly ScalarType[];
}

/**
 * Traces what is done with one element of each tile, and what is made of them. `results`: the types that it has to make; a static number becomes
 * one of the first type where none is given.
 */
export function traceBody(
  trace: Trace,
  types: readonly ScalarType[],
  what: string,
  run: (elements: readonly unknown[]) => unknown,
  results?: readonly ScalarType[],
): Body {
  const params = types.map((type) => trace.value(type));
  const { region, result } = trace.inRegion(params, () => {
    const made = run(params.map((param) => scalar(param)));
    const list = results ? (made as readonly unknown[]) : [made];
    const values = list.map((x, i) => {
      if (isStagedScalar(x) && isOpen(x.value)) settle(x.value, types[0] ?? "f32");
      const wanted = results?.[i] ?? (isStagedScalar(x) ? x.type : typeof x === "boolean" ? "pred" : (types[0] ?? "f32"));
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

/** Applies a function of scalars to the elements of tiles, place by place; scalars among the arguments are the same at every place. */
export function elementwise(args: readonly unknown[], what: string, f: (args: readonly unknown[]) => unknown): never {
  const trace = currentTrace(what);
  const tiles = args.filter(isStagedTile);
  const type = commonType(tiles, what);
  const values = tiles.map((tile) => broadcast(trace, tile, type.shape));
  const elements = tiles.map((tile) => registerType(tile.type.dtype));
  const body = traceBody(trace, elements, `what ${what} makes of an element`, (own) => {
    const left = own.values();
    return f(args.map((arg) => (isStagedTile(arg) ? left.next().value : arg)));
  });
  const result = { ...type, dtype: elementType(body.types[0] ?? "f32") };
  const parts = { types: [result], regions: [body.region] };
  return tileOf(first(trace.emit("tile.map", { tiles: values }, { coordinates: false, warpgroups: undefined }, parts)), result);
}

/** The same function, which takes tiles too: element by element. */
export function overTiles<A extends readonly unknown[], R>(name: string, f: (...args: A) => R): (...args: A) => R {
  return (...args) =>
    args.some(isStagedTile) ? elementwise(args, `\`${name}\``, (own) => f(...(own as unknown as A))) : f(...args);
}
