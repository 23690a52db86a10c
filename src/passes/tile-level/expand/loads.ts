import { elementBytes } from "../../../base/element-types.ts";
import type { Op, TileType, Value } from "../../../ir/index.ts";
import { matrixDimension } from "../../../layout/index.ts";
import { type Accessed, accessed, placed } from "./accessed.ts";
import { load } from "./accesses.ts";
import { type Expand, type Expansion, standFor } from "./expansion.ts";
import type { TensorParts } from "./parts.ts";
import { matrixPlaces, operandPlaces, type PlacedView, sharedRuns } from "./shared-places.ts";
import { tensorRuns } from "./tensor-runs.ts";
import { tileType } from "./tiles.ts";

/** Loaded elements by their numbers. */
function put(values: Value[], elements: readonly number[], loaded: readonly Value[]): void {
  elements.forEach((number, i) => {
    const value = loaded[i];
    if (value) values[number] = value;
  });
}

/** The thread's elements of a shared view: the way that they are stored. */
function loadShared(x: Expansion, type: TileType, view: PlacedView, { access, vector, running }: Accessed): readonly Value[] {
  const values: Value[] = [];
  if (access !== "matrices") {
    for (const { at, elements } of sharedRuns(x, type, view, running, vector))
      put(values, elements, load(x.w, at, elements.length));
    return values;
  }
  const half = type.dtype === "bf16" ? "bf16" : "f16";
  for (const { address, first: at, pairs } of matrixPlaces(x, type, view, running)) {
    const { ptr, offset } = address();
    const types = Array.from({ length: pairs }, () => "u32" as const);
    const words = x.w.emit("ldmatrix", { ptr }, { offset, trans: false }, { types }).results;
    words.forEach((pair, i) => {
      put(values, [at + 2 * i, at + 2 * i + 1], x.w.emit("pair.unpack", { pair }, {}, { types: [half, half] }).results);
    });
  }
  return values;
}

function loadTensor(
  x: Expansion,
  type: TileType,
  tensor: TensorParts,
  { known, unmasked, vector, running }: Accessed,
  other: Value | undefined,
): readonly Value[] {
  const values: Value[] = [];
  for (const { at, elements, pred } of tensorRuns(x, type, { tensor, known, unmasked }, running, vector))
    put(values, elements, load(x.w, at, elements.length, { pred, other: pred && other }));
  return values;
}

/** The words of an operand of products of warps. Where elements lie side by side across K, each matrix is transposed. */
function loadOperand(
  x: Expansion,
  type: TileType,
  view: PlacedView,
  { vector, running }: Accessed,
  side: number,
): readonly Value[] {
  const trans = vector.dim !== side;
  const how = { across: trans ? side : 1 - side, width: 4 / elementBytes[type.dtype] };
  return operandPlaces(x, type, view, running, how).flatMap(({ address, count }) => {
    const { ptr, offset } = address();
    const types = Array.from({ length: count }, () => "u32" as const);
    return x.w.emit("ldmatrix", { ptr }, { offset, trans }, { types }).results;
  });
}

/** The dimension along K of an operand whose elements of less than 32 bits lie in words of its thread. */
function wordsAlong({ layout, dtype }: TileType): number | undefined {
  if (layout.kind !== "mma operand" && layout.kind !== "operand") return undefined;
  const fits = elementBytes[dtype] < 4 && layout.width * elementBytes[dtype] === 4;
  return fits ? (layout.kind === "mma operand" && layout.operand === "B" ? 0 : 1) : undefined;
}

/** The words of an operand of which whole ones lie side by side along K; undefined for others. */
function loadWords(x: Expansion, type: TileType, from: Accessed): readonly Value[] | undefined {
  const { view, known, vector, running, unmasked, access } = from;
  const width = 4 / elementBytes[type.dtype];
  if (access === "matrices" || wordsAlong(type) !== vector.dim || vector.count % width !== 0) return undefined;
  const runs =
    view.kind === "global"
      ? tensorRuns(x, type, { tensor: view, known, unmasked }, running, vector)
      : sharedRuns(x, type, placed(view, known), running, vector);
  const words: Value[] = [];
  for (const run of runs) {
    const { at, elements } = run;
    const firsts = elements.filter((_, i) => i % width === 0).map((number) => number / width);
    const pred = "pred" in run ? (run.pred as Value | undefined) : undefined;
    put(words, firsts, load(x.w, { ...at, dtype: "u32" }, firsts.length, { pred }));
  }
  return words;
}

const loads: Expand<"tile.load"> = (x, op) => {
  const type = tileType(op as Op);
  const from = accessed(x, op, type);
  const { view, known } = from;
  const side = matrixDimension(type, elementBytes[type.dtype]);
  if (view.kind === "shared" && from.access === "matrices" && side !== undefined) {
    const values = loadOperand(x, type, placed(view, known), from, side);
    standFor(x, op, { kind: "tile", type, contents: { kind: "words", values } });
    return;
  }
  const words = op.operands.other ? undefined : loadWords(x, type, from);
  if (words) {
    standFor(x, op, { kind: "tile", type, contents: { kind: "words", values: words } });
    return;
  }
  const values =
    view.kind === "global" ? loadTensor(x, type, view, from, op.operands.other) : loadShared(x, type, placed(view, known), from);
  standFor(x, op, { kind: "tile", type, contents: { kind: "elements", values } });
};

/** Tiles from memory. */
export const loadRules = { "tile.load": loads } as const;
