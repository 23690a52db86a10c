import { elementBytes } from "../../../base/element-types.ts";
import type { DType } from "../../../base/types.ts";
import { add, both, constant, first } from "../../../ir/arith.ts";
import {
  type AccType,
  accColumns,
  isMatrix,
  isTile,
  type Op,
  registerType,
  type TileType,
  typeName,
  type Value,
} from "../../../ir/index.ts";
import { elementPlaces, elementsPerThread, rowsEach } from "../../../layout/index.ts";
import { type Accessed, accessed, placed } from "./accessed.ts";
import { combine, type Location, store, toMemory } from "./accesses.ts";
import { type Expand, type Expansion, giveResults, standFor, tileOf } from "./expansion.ts";
import { isFirstHolder, originOf } from "./fragment.ts";
import type { Contents, TensorParts, TileParts } from "./parts.ts";
import { matrixPlaces, type PlacedView, sharedRuns } from "./shared-places.ts";
import { tensorRuns } from "./tensor-runs.ts";
import { fromWords, toWords } from "./words.ts";
import type { Writer } from "./writer.ts";

type AccumulatorType = AccType["dtype"];
const isAccumulatorType = (dtype: DType): dtype is AccumulatorType => dtype === "f32" || dtype === "f16" || dtype === "i32";

/** Can an accumulator of the hardware hold the tile? */
export const isAccumulated = (type: TileType): boolean => isMatrix(type) && isAccumulatorType(type.dtype);

function accType(type: TileType): AccType {
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
  if (contents.kind === "words") return fromWords(w, type.dtype, contents.values);
  return contents.values.map((a) => w.once("convert", { a }, {}, [element]));
}

/** Two elements as 16 bits each in one register, the first in the low half; f32 are rounded. */
const packPair = (w: Writer, type: "f16" | "bf16", low: Value, high: Value): Value =>
  w.once("pair.pack", { low, high }, { type });

/** The thread's elements in pairs of 16 bits, 2i and 2i + 1 in the word of that number. */
function pairsOf(w: Writer, tile: TileParts, type: "f16" | "bf16"): (i: number) => Value {
  const values = tile.contents.kind === "unrounded" ? tile.contents.values : elementsOf(w, tile);
  return (i) => packPair(w, type, values[2 * i] as Value, values[2 * i + 1] as Value);
}

/** The thread's elements of up to 32 bits in words of 32. */
export function wordsIn(w: Writer, tile: TileParts): (i: number) => Value {
  const { type, contents } = tile;
  if (contents.kind !== "words" && (type.dtype === "f16" || type.dtype === "bf16")) return pairsOf(w, tile, type.dtype);
  const words = contents.kind === "words" ? contents.values : toWords(w, type.dtype, elementsOf(w, tile));
  return (i) => words[i] as Value;
}

/** Do products of warps take and give the tile in words of several elements? */
export const isInWords = ({ dtype, layout }: TileType): boolean =>
  layout.kind === "mma operand" ? elementBytes[dtype] * layout.width === 4 : layout.kind === "mma" && dtype === "f16";

/** All words of a tile that `isInWords`. */
export function allWords(w: Writer, tile: TileParts): readonly Value[] {
  const word = wordsIn(w, tile);
  return Array.from({ length: (elementsPerThread(tile.type) * elementBytes[tile.type.dtype]) / 4 }, (_, i) => word(i));
}

/**
 * The thread's elements, to be used one by one: what has to be rounded is rounded in pairs. Where sums of a product that was left
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

const pick = (values: readonly Value[], elements: readonly number[]): readonly Value[] =>
  elements.map((number) => values[number] as Value);

type Put = (at: Location, values: readonly Value[], pred: Value | undefined) => void;

/** Gives each run of elements that this thread has of a tile in shared memory to `put`. */
function eachSharedRun(x: Expansion, tile: TileParts, view: PlacedView, { vector, running }: Accessed, put: Put): void {
  const { w } = x;
  const runs = sharedRuns(x, tile.type, view, running, vector);
  const values = elementsOf(w, tile).map((v) => toMemory(w, tile.type.dtype, v));
  const holder = isFirstHolder(x, tile.type, running);
  for (const { at, elements } of runs) put(at, pick(values, elements), holder);
}

function storeShared(x: Expansion, tile: TileParts, view: PlacedView, to: Accessed): void {
  const { w } = x;
  const { dtype } = tile.type;
  const { access, running } = to;
  if (access !== "matrices") {
    eachSharedRun(x, tile, view, to, (at, values, pred) => store(w, at, values, pred));
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

/** Gives each run of elements that this thread has of a tile in a tensor to `put`. */
function eachRun(
  x: Expansion,
  tile: TileParts,
  tensor: TensorParts,
  { known, unmasked, vector, running }: Accessed,
  put: Put,
): void {
  const { w } = x;
  const runs = [...tensorRuns(x, tile.type, { tensor, known, unmasked }, running, vector)];
  const own = vector.count === 1 ? singlesOf(w, tile) : elementsOf(w, tile);
  const values = own.map((v) => toMemory(w, tile.type.dtype, v));
  const holder = isFirstHolder(x, tile.type, running);
  for (const { at, elements, pred } of runs) put(at, pick(values, elements), both(w, holder, pred));
}

const stores: Expand<"tile.store"> = (x, op) => {
  const tile = tileOf(x, op.operands.tile);
  const to = accessed(x, op, tile.type);
  const { view, known } = to;
  if (view.kind === "global") eachRun(x, tile, view, to, (at, values, pred) => store(x.w, at, values, pred));
  else storeShared(x, tile, placed(view, known), to);
};

const combinations: Expand<"tile.combine"> = (x, raw) => {
  const tile = tileOf(x, raw.operands.tile);
  const to = accessed(x, raw, tile.type);
  const { op, scope } = raw.attrs;
  const put: Put = (at, values, pred) => combine(x.w, at, values, { op, scope, order: "relaxed" }, pred);
  if (to.view.kind === "global") eachRun(x, tile, to.view, to, put);
  else eachSharedRun(x, tile, placed(to.view, to.known), to, put);
};

const converts: Expand<"tile.convert"> = (x, op) => {
  const values = elementsOf(x.w, tileOf(x, op.operands.tile));
  standFor(x, op, { kind: "tile", type: tileType(op as Op), contents: { kind: "unrounded", values } });
};

/** Some of the columns: of the hardware's accumulator no others are read. */
function contentsIn(w: Writer, { type, contents }: TileParts, start: number, count: number): Contents {
  const wanted = accColumns({ rows: rowsEach(type), cols: type.shape[1] ?? 1 }, start, count);
  if (contents.kind === "words") return { kind: "elements", values: pick(fromWords(w, type.dtype, contents.values), wanted) };
  if (contents.kind !== "acc") return { ...contents, values: pick(contents.values, wanted) };
  const types = wanted.map(() => registerType(type.dtype));
  const { results } = w.emit("acc.unpack", { acc: contents.value }, { columns: [start, count] }, { types });
  return { kind: "elements", values: results };
}

const columns: Expand<"tile.columns"> = (x, op) => {
  const type = tileType(op as Op);
  const contents = contentsIn(x.w, tileOf(x, op.operands.tile), op.attrs.start, type.shape[1] ?? 1);
  standFor(x, op, { kind: "tile", type, contents });
};

const elements: Expand<"tile.elements"> = (x, op) => giveResults(x, op, singlesOf(x.w, tileOf(x, op.operands.tile)));

const from: Expand<"tile.from"> = (x, op) => {
  const contents = { kind: "elements", values: op.operands.values } as const;
  standFor(x, op, { kind: "tile", type: tileType(op as Op), contents });
};

/** The coordinates of a thread's elements along one axis. */
const coordinates: Expand<"tile.coordinates"> = (x, op) => {
  const { type } = op.operands.tile;
  if (!isTile(type)) throw new TypeError("no tile has coordinates");
  const { axis, warpgroups } = op.attrs;
  const from = originOf(x, type, warpgroups)[axis];
  if (!from) throw new TypeError("the tile has no such axis");
  const places = elementPlaces(type).map((place) => place[axis] ?? 0);
  const each = new Map([...new Set(places)].map((n) => [n, add(x.w, from, n)]));
  giveResults(
    x,
    op,
    places.flatMap((n) => each.get(n) ?? []),
  );
};

/** Tiles become the registers of a thread, as wgmma spreads its accumulators. */
export const tileRules = {
  "tile.zero": zero,
  "tile.store": stores,
  "tile.combine": combinations,
  "tile.convert": converts,
  "tile.columns": columns,
  "tile.elements": elements,
  "tile.from": from,
  "tile.coordinates": coordinates,
} as const;
