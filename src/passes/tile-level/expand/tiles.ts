import { add, both, constant, first } from "../../../ir/arith.ts";
import { type AccType, accColumns, isMatrix, isTile, type Op, type TileType, typeName, type Value } from "../../../ir/index.ts";
import { registerType } from "../../../ir/types.ts";
import type { Dimension } from "../../../layout/modes.ts";
import { elementPlaces, elementsPerThread, extentsOf, rowsEach } from "../../../layout/tile-layout.ts";
import type { DType } from "../../../types.ts";
import type { ViewParts } from "../../facts/index.ts";
import { load, store, toMemory } from "./accesses.ts";
import { type Expand, type Expansion, giveResults, standFor, tileOf, viewOf } from "./expansion.ts";
import { isFirstHolder, originOf } from "./fragment.ts";
import { noOffset } from "./offset.ts";
import type { Contents, SharedParts, TensorParts, TileParts } from "./parts.ts";
import { matrixPlaces, type PlacedView, sharedRuns } from "./shared-places.ts";
import { type PlacedTensor, tensorRuns } from "./tensor-runs.ts";
import type { Writer } from "./writer.ts";

type AccumulatorType = AccType["dtype"];
export const isAccumulatorType = (dtype: DType): dtype is AccumulatorType =>
  dtype === "f32" || dtype === "f16" || dtype === "i32";

/** Can an accumulator of the hardware hold the tile? */
export const isAccumulated = (type: TileType): boolean => isMatrix(type) && isAccumulatorType(type.dtype);

export function accType(type: TileType): AccType {
  if (!isMatrix(type) || !isAccumulatorType(type.dtype)) throw new TypeError(`no accumulator holds ${typeName(type)}`);
  return { kind: "acc", dtype: type.dtype, rows: rowsEach(type), cols: type.shape[1] };
}

/** The type of the tile that an op gives. */
export function tileType(op: Op): TileType {
  const type = op.results[0]?.type;
  if (!type || !isTile(type)) throw new TypeError(`${op.name} gives no tile`);
  return type;
}

/** The hardware's accumulator. */
export function accumulatorOf(w: Writer, { type, contents }: TileParts): Value {
  if (contents.kind === "acc") return contents.value;
  return first(w.emit("acc.pack", { values: elementsOf(w, { kind: "tile", type, contents }) }, {}, { types: [accType(type)] }));
}

/** The thread's elements, in the order of `elementPlaces`. */
export function elementsOf(w: Writer, { type, contents }: TileParts): readonly Value[] {
  const element = registerType(type.dtype);
  if (contents.kind === "acc") {
    const types = Array.from({ length: elementsPerThread(type) }, () => element);
    return w.emit("acc.unpack", { acc: contents.value }, { columns: undefined }, { types }).results;
  }
  if (contents.kind === "elements") return contents.values;
  return contents.values.map((a) => w.once("convert", { a }, {}, [element]));
}

/** Two elements as 16 bits each in one register, the first in the low half; f32 are rounded. */
const packPair = (w: Writer, type: "f16" | "bf16", low: Value, high: Value): Value =>
  w.once("pair.pack", { low, high }, { type });

/** The thread's elements in pairs of 16 bits, 2i and 2i + 1 in the word of that number. */
export function pairsOf(w: Writer, tile: TileParts, type: "f16" | "bf16"): (i: number) => Value {
  const values = tile.contents.kind === "unrounded" ? tile.contents.values : elementsOf(w, tile);
  return (i) => packPair(w, type, values[2 * i] as Value, values[2 * i + 1] as Value);
}

/**
 * The thread's elements, to be stored one by one: what has to be rounded is rounded in pairs. Where sums of a product that was left
 * running are rounded singly, ptxas serialises all products (C7514).
 */
function singlesOf(w: Writer, tile: TileParts): readonly Value[] {
  const { type, contents } = tile;
  const { dtype } = type;
  if (contents.kind !== "unrounded" || (dtype !== "f16" && dtype !== "bf16")) return elementsOf(w, tile);
  const pair = pairsOf(w, tile, dtype);
  return Array.from({ length: contents.values.length / 2 }, (_, i) => i).flatMap(
    (i) => w.emit("pair.unpack", { pair: pair(i) }, {}, { types: [dtype, dtype] }).results,
  );
}

const zero: Expand<"tile.zero"> = (x, op) => {
  const type = tileType(op as Op);
  if (!isAccumulated(type)) {
    const wide = type.dtype === "i64" || type.dtype === "u64";
    const zeros = constant(x.w, type.dtype === "bool" ? false : wide ? 0n : 0, registerType(type.dtype));
    const values = Array.from({ length: elementsPerThread(type) }, () => zeros);
    standFor(x, op, { kind: "tile", type, contents: { kind: "elements", values } });
    return;
  }
  const value = first(x.w.emit("acc.zero", {}, {}, { types: [accType(type)] }));
  standFor(x, op, { kind: "tile", type, contents: { kind: "acc", value } });
};

type Running = Op<"tile.load">["attrs"]["warpgroups"];
type Access = Op<"tile.load">["attrs"]["access"];

/** A view, what is known of where it lies, and how its elements move. */
interface Accessed {
  readonly view: SharedParts | TensorParts;
  readonly known: ViewParts;
  readonly access: Access;
  readonly running: Running;
}

const oneColumn: Dimension = [{ extent: 1, stride: 0 }];

/** A view of one dimension as a matrix of one column, for what is left of each row of a tile. */
function asMatrix(view: SharedParts | TensorParts, tile: TileType): SharedParts | TensorParts {
  if (isMatrix(tile)) return view;
  if (tile.layout.axis === 0) throw new TypeError("all warps hold the same of each column");
  if (view.kind === "shared") return { ...view, type: { ...view.type, layout: [...view.type.layout, oneColumn] } };
  return { ...view, dims: [...view.dims, { extent: 1, stride: 0, begin: noOffset, limit: 1 }] };
}

function accessed(x: Expansion, op: Op<"tile.load"> | Op<"tile.store">): Accessed {
  const {
    operands: { view },
    attrs,
  } = op;
  if (attrs.access === "") throw new TypeError("no pass has chosen how the elements move");
  const type = op.name === "tile.store" ? op.operands.tile.type : tileType(op as Op);
  return {
    view: asMatrix(viewOf(x, view), type as TileType),
    known: x.facts.view(view),
    access: attrs.access,
    running: attrs.warpgroups,
  };
}

const placed = (view: SharedParts, known: ViewParts): PlacedView => ({ view, divisor: known[1]?.divisor ?? 1 });

/** The thread's elements of a shared view: the way that they are stored. */
function loadShared(x: Expansion, type: TileType, view: PlacedView, { access, running }: Accessed): readonly Value[] {
  const values: Value[] = [];
  const put = (at: number, elements: readonly Value[]): void => {
    for (const [i, value] of elements.entries()) values[at + i] = value;
  };
  if (access !== "matrices") {
    for (const run of sharedRuns(x, type, view, running, access === "pairs")) put(run.first, load(x.w, run.at, run.count));
    return values;
  }
  const half = type.dtype === "bf16" ? "bf16" : "f16";
  for (const { address, first: at, pairs } of matrixPlaces(x, type, view, running)) {
    const { ptr, offset } = address();
    const types = Array.from({ length: pairs }, () => "u32" as const);
    const words = x.w.emit("ldmatrix", { ptr }, { offset, trans: false }, { types }).results;
    words.forEach((pair, i) => {
      put(at + 2 * i, x.w.emit("pair.unpack", { pair }, {}, { types: [half, half] }).results);
    });
  }
  return values;
}

function loadTensor(x: Expansion, type: TileType, tensor: PlacedTensor, { access, running }: Accessed): readonly Value[] {
  const values: Value[] = [];
  for (const { at, first: from, count, pred } of tensorRuns(x, type, tensor, running, access === "pairs")) {
    for (const [i, value] of load(x.w, at, count, { pred }).entries()) values[from + i] = value;
  }
  return values;
}

const loads: Expand<"tile.load"> = (x, op) => {
  const type = tileType(op as Op);
  const from = accessed(x, op);
  const { view, known } = from;
  const values =
    view.kind === "global" ? loadTensor(x, type, { tensor: view, known }, from) : loadShared(x, type, placed(view, known), from);
  standFor(x, op, { kind: "tile", type, contents: { kind: "elements", values } });
};

function storeShared(x: Expansion, tile: TileParts, view: PlacedView, { access, running }: Accessed): void {
  const { w } = x;
  const { dtype } = tile.type;
  if (access !== "matrices") {
    const runs = sharedRuns(x, tile.type, view, running, access === "pairs");
    const values = elementsOf(w, tile).map((v) => toMemory(w, dtype, v));
    const holder = isFirstHolder(x, tile.type);
    for (const { at, first: from, count } of runs) store(w, at, values.slice(from, from + count), holder);
    return;
  }
  const matrices = matrixPlaces(x, tile.type, view, running);
  const pair = pairsOf(w, tile, dtype === "bf16" ? "bf16" : "f16");
  for (const { address, first: from, pairs } of matrices) {
    const { ptr, offset } = address();
    const packed = Array.from({ length: pairs }, (_, i) => pair(from / 2 + i));
    w.emit("stmatrix", { ptr, values: packed }, { offset, trans: false });
  }
}

function storeTensor(x: Expansion, tile: TileParts, tensor: PlacedTensor, { access, running }: Accessed): void {
  const { w } = x;
  const runs = [...tensorRuns(x, tile.type, tensor, running, access === "pairs")];
  const elements = access === "elements" ? singlesOf(w, tile) : elementsOf(w, tile);
  const values = elements.map((v) => toMemory(w, tile.type.dtype, v));
  const holder = isFirstHolder(x, tile.type);
  for (const { at, first: from, count, pred } of runs) store(w, at, values.slice(from, from + count), both(w, holder, pred));
}

const stores: Expand<"tile.store"> = (x, op) => {
  const tile = tileOf(x, op.operands.tile);
  const to = accessed(x, op);
  const { view, known } = to;
  if (view.kind === "global") storeTensor(x, tile, { tensor: view, known }, to);
  else storeShared(x, tile, placed(view, known), to);
};

const converts: Expand<"tile.convert"> = (x, op) => {
  const values = elementsOf(x.w, tileOf(x, op.operands.tile));
  standFor(x, op, { kind: "tile", type: tileType(op as Op), contents: { kind: "unrounded", values } });
};

/** Some of the columns: of the hardware's accumulator no others are read. */
function contentsIn(w: Writer, { type, contents }: TileParts, start: number, count: number): Contents {
  const wanted = accColumns({ rows: rowsEach(type), cols: extentsOf(type)[1] }, start, count);
  if (contents.kind !== "acc") return { ...contents, values: wanted.map((e) => contents.values[e] as Value) };
  const types = wanted.map(() => registerType(type.dtype));
  const { results } = w.emit("acc.unpack", { acc: contents.value }, { columns: [start, count] }, { types });
  return { kind: "elements", values: results };
}

const columns: Expand<"tile.columns"> = (x, op) => {
  const type = tileType(op as Op);
  const contents = contentsIn(x.w, tileOf(x, op.operands.tile), op.attrs.start, extentsOf(type)[1]);
  standFor(x, op, { kind: "tile", type, contents });
};

const elements: Expand<"tile.elements"> = (x, op) => giveResults(x, op, elementsOf(x.w, tileOf(x, op.operands.tile)));

const from: Expand<"tile.from"> = (x, op) => {
  const contents = { kind: "elements", values: op.operands.values } as const;
  standFor(x, op, { kind: "tile", type: tileType(op as Op), contents });
};

/** The coordinates of a thread's elements along one axis. */
const coordinates: Expand<"tile.coordinates"> = (x, op) => {
  const { type } = op.operands.tile;
  if (!isTile(type)) throw new TypeError("no tile has coordinates");
  const { axis, warpgroups } = op.attrs;
  const origin = originOf(x, type, warpgroups);
  const places = elementPlaces(type);
  const each = new Map([...new Set(places.map((p) => p[axis]))].map((n) => [n, add(x.w, origin[axis], n)]));
  giveResults(
    x,
    op,
    places.flatMap((p) => each.get(p[axis]) ?? []),
  );
};

/** Tiles become the registers of a thread, as wgmma spreads its accumulators. */
export const tileRules = {
  "tile.zero": zero,
  "tile.load": loads,
  "tile.store": stores,
  "tile.convert": converts,
  "tile.columns": columns,
  "tile.elements": elements,
  "tile.from": from,
  "tile.coordinates": coordinates,
} as const;
