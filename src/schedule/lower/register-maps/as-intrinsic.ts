/** A nest over registers as an intrinsic: what it means as a program, and the same with the objects of the language. */

import { elementBytes } from "../../../base/element-types.ts";
import type { SharedView, Tensor } from "../../../dsl/emit.ts";
import {
  type Accumulator,
  binary,
  currentTrace,
  mapTogether,
  SliceLayout,
  tile,
  WGMMALayout,
  WGMMAMatrix,
} from "../../../dsl/emit.ts";
import { describe, part } from "../../intrinsics/describe.ts";
import { type Deferred, ownIntrinsic, type RegisterTile, type Surroundings } from "../../intrinsics/registry.ts";
import { add, int, load, zero } from "../../ir/build.ts";
import { sameExpr } from "../../ir/linear.ts";
import { printProgram } from "../../ir/print.ts";
import type { Buffer, Expr, Intrinsic, Load, Program, Region, Store, Var } from "../../ir/types.ts";
import { mapExpr, statements, within } from "../../ir/walk.ts";
import { asType, evaluate } from "../expressions/evaluate.ts";
import { type Access, type Follows, inRegisters, type RegisterNest } from "./recognise.ts";

type View = SharedView | Tensor;
type Shape = readonly [number, number];

/**
 * How an argument is brought to the registers: it lies there; as a matrix, or as a vector that goes beside each row or each column, by all
 * threads together; or element by element.
 */
type Way = "registers" | "matrix" | "turned" | "rows" | "columns" | "elements";

/** One argument: what it is in the description, and where it lies in the program. */
interface Argument {
  readonly param: Buffer;
  readonly follows: readonly Follows[];
  readonly way: Way;
  readonly access: Access;
}

/** Loads that a condition decides about: they are left where they are. */
function conditional(e: Expr, decided: boolean, found: Set<Load>): Set<Load> {
  if (e.kind === "load" && decided) found.add(e);
  else if (e.kind === "select") {
    conditional(e.condition, decided, found);
    for (const side of [e.yes, e.no]) conditional(side, true, found);
  } else if (e.kind === "binary") {
    conditional(e.a, decided, found);
    conditional(e.b, decided || e.op === "&&" || e.op === "||", found);
  } else if (e.kind === "unary" || e.kind === "cast") conditional(e.a, decided, found);
  return found;
}

/** Dimensions that the description keeps: from the first that moves; of what stays where it is the last one. */
const keptFrom = (follows: readonly Follows[]): number => {
  const first = follows.findIndex((f) => f !== "none");
  return first < 0 ? follows.length - 1 : first;
};

class Arguments {
  readonly all: Argument[] = [];
  readonly #shape: Shape;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  /** The argument that stands for an access. */
  of(access: Access, decided: boolean, clipped = false): Argument {
    const { buffer, mins, follows } = access;
    const moves = follows.slice(keptFrom(follows));
    const way = inRegisters(buffer) ? "registers" : decided ? "elements" : wayOf(moves);
    const known = this.all.find(
      (a) =>
        a.access.buffer === buffer &&
        a.way === way &&
        (a.param.clipped ?? false) === clipped &&
        String(a.access.follows) === String(follows) &&
        a.access.mins.every((e, d) => sameExpr(e, mins[d] ?? zero)),
    );
    if (known) return known;
    const shape = moves.map((f) => ({ row: this.#shape[0], col: this.#shape[1], none: 1 })[f]);
    const { swizzle, padding } = buffer;
    const param: Buffer = {
      ...part(`p${this.all.length}`, buffer.dtype, shape, buffer.scope),
      ...(swizzle && { swizzle }),
      ...(padding && { padding }),
      ...(clipped && { clipped }),
    };
    const made: Argument = { param, follows: moves, way, access };
    this.all.push(made);
    return made;
  }
}

const ways: Readonly<Record<string, Way>> = { "row,col": "matrix", "col,row": "turned", row: "rows", col: "columns" };
const wayOf = (moves: readonly Follows[]): Way => ways[String(moves)] ?? "elements";

/** A vector as a tile of one column (`axis` 1), or of one row, that lies as accumulators do. */
function besideOf(view: SharedView<"f32", 1> | Tensor<"f32", 1>, axis: 0 | 1): number {
  const layout = new SliceLayout(axis, new WGMMALayout());
  const [extent] = view.shape;
  const vector = "loadTile" in view ? view.loadTile([0], [extent ?? 0], layout) : view.load(layout);
  return tile.expand(vector, axis);
}

/** The element of an argument that belongs to a row and a column. */
const indicesOf = ({ follows }: Argument, i: Var, j: Var): readonly Expr[] =>
  follows.map((f) => ({ row: i, col: j, none: zero })[f]);

/** The value over the description's parameters, with the row and column of an element. */
const valueOver = (value: Expr, of: (l: Load) => Argument, i: Var, j: Var): Expr =>
  mapExpr(value, (x) => (x.kind === "load" ? load(of(x).param, indicesOf(of(x), i, j)) : x));

/** What is computed, and the type that it is converted to at the end, all of it at once. */
function converted(value: Expr): { readonly inner: Expr; readonly last: "f16" | "bf16" | undefined } {
  if (value.kind === "cast" && value.a.dtype === "f32" && (value.dtype === "f16" || value.dtype === "bf16"))
    return { inner: value.a, last: value.dtype };
  return { inner: value, last: undefined };
}

/** Some of the columns of an argument. */
function columnsOf(way: Way | undefined, view: View, rows: number, start: number, count: number): View {
  if (way === "turned") return view.subview([start, 0], [count, rows]);
  return way === "columns" ? view.subview([start], [count]) : view.subview([0, start], [rows, count]);
}

/** The code of a nest: `args` in the order of the parameters, the target first. */
function implementationOf(args: readonly Argument[], { value }: Store, [i, j]: readonly [Var, Var], shape: Shape) {
  const numbers = new Map(args.map((a, n) => [a.param, n]));
  const { inner, last } = converted(value);
  const numberOf = (l: Load): number => numbers.get(l.buffer) ?? -1;
  const isRead = new Set([...within(value)].flatMap((x) => (x.kind === "load" ? [numberOf(x)] : [])));
  const readBy = (...wanted: readonly Way[]): readonly number[] =>
    args.flatMap(({ way }, n) => (isRead.has(n) && wanted.includes(way) ? [n] : []));
  const matrices = readBy("registers", "matrix", "turned");
  const vectors = readBy("rows", "columns");

  /** Reads memory for some columns; what it gives computes them. */
  const begin = (given: readonly unknown[], start: number, count: number) => {
    const trace = currentTrace("a program");
    const isWhole = count === shape[1];
    const part = (n: number): View => {
      const view = given[n] as View;
      return isWhole || args[n]?.way === "rows" ? view : columnsOf(args[n]?.way, view, shape[0], start, count);
    };
    const matrixOf = (n: number): Accumulator => {
      const way = args[n]?.way;
      const held = way === "registers" ? ((given[n] as RegisterTile).value as Accumulator) : undefined;
      if (held) return isWhole ? held : held.columns(start, count);
      return WGMMAMatrix.load(way === "turned" ? part(n).transpose() : part(n));
    };
    const besides = vectors.map((n) => besideOf(part(n) as Tensor<"f32", 1>, args[n]?.way === "rows" ? 1 : 0));
    const [first, ...more] = matrices.map(matrixOf);
    const places = [...(first ? matrices : [-1]), ...vectors];
    const compute = (elements: readonly number[]): unknown => {
      const [row, col] = elements.slice(places.length);
      const variable = (v: Var): unknown => (v === i ? row : v === j ? binary("+", col, start) : undefined);
      const loaded = (l: Load): unknown => {
        const place = places.indexOf(numberOf(l));
        if (place >= 0) return elements[place];
        const at = l.indices.map((e) => evaluate(e, { trace, variable, load: loaded }) as number);
        return (given[numberOf(l)] as Tensor<"f32", 1>).at(...(at as [number])).load();
      };
      return asType(evaluate(inner, { trace, variable, load: loaded }), inner.dtype);
    };
    return (): Accumulator => {
      const base = first ?? WGMMAMatrix.accumulator("f32", [shape[0], count]);
      const isCopy = first !== undefined && inner.kind === "load";
      const made = isCopy ? first : mapTogether([base, ...more, ...besides], (...elements) => compute(elements));
      return last ? made.convert(last) : made;
    };
  };

  const held = matrices
    .filter((n) => args[n]?.way !== "registers")
    .reduce((sum, n) => sum + (shape[0] * 8 * elementBytes[args[n]?.param.dtype ?? "f32"]) / bytesOfGroup, 0);
  return (...all: readonly unknown[]): void => {
    const [given, { defer }] = [all.slice(0, args.length), all.at(-1) as Surroundings];
    const to = args[0]?.way === "registers" ? (given[0] as RegisterTile) : undefined;
    if (to && defer) to.value = { shape, held, begin: (start, count) => begin(given, start, count) } satisfies Deferred;
    else if (to) to.value = begin(given, 0, shape[1])();
    else begin(given, 0, shape[1])().store(given[0] as View);
  };
}

/** Bytes of one register in each thread of a warpgroup. */
const bytesOfGroup = 128 * 4;

/** The same extents, beginning so many rows and columns further on. */
function regionOf({ access, param }: Argument, row: number, col: number): Region {
  const { buffer, mins, follows } = access;
  const outer = follows.length - param.shape.length;
  const ranges = mins.map((min, d) => {
    const moved = { row, col, none: 0 }[follows[d] ?? "none"];
    return { min: add(min, int(moved)), extent: d < outer ? int(1) : (param.shape[d - outer] ?? int(1)) };
  });
  return { buffer, ranges };
}

/** The block of a description and its store. */
function bodyOf(description: Program): { readonly store: Store; readonly axes: readonly [Var, Var] } {
  for (const s of statements(description.body)) {
    const [i, j] = s.kind === "block" ? s.axes : [];
    if (s.kind === "block" && s.body.kind === "store" && i && j) return { store: s.body, axes: [i.variable, j.variable] };
  }
  throw new Error("a description of another form");
}

/** The nest as calls of an intrinsic that goes over `shape` elements at a time. */
export function asIntrinsics(nest: RegisterNest, shape: Shape): readonly Intrinsic[] {
  const { store, target, loads, clipped, rows, columns } = nest;
  const args = new Arguments(shape);
  const to = args.of(target, false);
  const decided = conditional(store.value, false, new Set());
  // What is clipped is read whatever is decided: where its buffer has no such element it is 0.
  const stays = (l: Load): boolean => decided.has(l) && !inRegisters(l.buffer) && !clipped.has(l);
  const ofLoad = new Map([...loads].map(([l, access]) => [l, args.of(access, stays(l), clipped.has(l))]));
  const params = args.all.map((a) => a.param);
  const dimensions = [
    { name: "i", extent: shape[0] },
    { name: "j", extent: shape[1] },
  ];
  const description = describe("register_map", params, dimensions, (...axes) => {
    const [i, j] = axes as readonly [Var, Var];
    const value = valueOver(store.value, (l) => ofLoad.get(l) ?? to, i, j);
    return { kind: "store", buffer: to.param, indices: indicesOf(to, i, j), value } satisfies Store;
  });
  const { store: body, axes } = bodyOf(description);
  const implementation = implementationOf(args.all, body, axes, shape);
  const scopes = params.map(({ scope, swizzle, padding, clipped: cut }) => `${scope} ${swizzle} ${padding} ${cut}`);
  const name = ownIntrinsic("register_map", `${printProgram(description)}\n${scopes.join("\n")}`, {
    description,
    implementation,
    participants: "warpgroup",
  });
  const calls: Intrinsic[] = [];
  for (let r = 0; r < rows; r += shape[0])
    for (let c = 0; c < columns; c += shape[1])
      calls.push({ kind: "intrinsic", name, args: args.all.map((a) => regionOf(a, r, c)), span: store.span });
  return calls;
}
