import {
  isMmaInput,
  isMmaSum,
  type MmaDepth,
  type MmaInput,
  mmaDepth,
  mmaSumRegisters,
  mmaWidth,
  type TileType,
  type Value,
} from "../../../ir/index.ts";
import { elementPlaces } from "../../../layout/index.ts";
import { type Expand, type Expansion, standFor, tileOf } from "./expansion.ts";
import type { TileParts } from "./parts.ts";
import { allWords, elementsOf, wordsIn } from "./tiles.ts";

/** Finds the register of a side of the products whose first element is so far, along rows and columns, from the thread's first one. */
type RegisterAt = (row: number, col: number) => Value;

function inputOf({ dtype }: TileType): MmaInput {
  if (!isMmaInput(dtype)) throw new TypeError(`no product takes ${dtype}`);
  return dtype;
}

/** The registers of a side: words of as many neighbours along K as they hold, or f64. */
function registersOf(x: Expansion, tile: TileParts): RegisterAt {
  const { type } = tile;
  const input = inputOf(type);
  const width = mmaWidth(input);
  const register = input === "f64" ? pick(elementsOf(x.w, tile)) : wordsIn(x.w, tile);
  const at = new Map(elementPlaces(type).flatMap((place, i) => (i % width === 0 ? [[place.join(), register(i / width)]] : [])));
  return (row, col) => at.get(`${row},${col}`) ?? missing();
}

const pick =
  (values: readonly Value[]) =>
  (i: number): Value =>
    values[i] as Value;

const missing = (): never => {
  throw new TypeError("the thread does not hold what its warp multiplies");
};

/** The registers of A of one instruction: eight rows and the next eight, of each half of K. PTX ISA 9.7.14.5. */
function fragmentA(at: RegisterAt, row: number, k: number, depth: MmaDepth, width: number): readonly Value[] {
  const found: Value[] = [];
  for (let step = k; step < k + depth; step += 4 * width) for (const r of [row, row + 8]) found.push(at(r, step));
  return found;
}

function fragmentB(at: RegisterAt, k: number, col: number, depth: MmaDepth, width: number): readonly Value[] {
  const found: Value[] = [];
  for (let step = k; step < k + depth; step += 4 * width) found.push(at(step, col));
  return found;
}

/** Every four elements of an accumulator are C and D of one instruction for each K. */
const dots: Expand<"tile.dot"> = (x, op) => {
  const { w } = x;
  const [acc, a, b] = [op.operands.acc, op.operands.a, op.operands.b].map((t) => tileOf(x, t)) as [
    TileParts,
    TileParts,
    TileParts,
  ];
  const [aType, bType, sum] = [inputOf(a.type), inputOf(b.type), acc.type.dtype];
  const [, k = 0] = a.type.shape;
  const depth = mmaDepth(aType, k);
  if (!isMmaSum(sum) || !depth) throw new TypeError("the tracer refuses other products");
  const [atA, atB] = [registersOf(x, a), registersOf(x, b)];
  const width = mmaWidth(aType);
  const own = sum === "f16" ? allWords(w, acc) : elementsOf(w, acc);
  const each = mmaSumRegisters(sum).length;
  const results = elementPlaces(acc.type).flatMap(([row = 0, col = 0], i): readonly Value[] => {
    if (i % 4 !== 0) return [];
    let c: readonly Value[] = own.slice((i / 4) * each, (i / 4 + 1) * each);
    for (let step = 0; step < k; step += depth) {
      const operands = { a: fragmentA(atA, row, step, depth, width), b: fragmentB(atB, step, col, depth, width), c };
      c = w.emit("mma.sync", operands, { k: depth, aType, bType, sum }, { types: [...mmaSumRegisters(sum)] }).results;
    }
    return c;
  });
  const kind = sum === "f16" ? "words" : "elements";
  standFor(x, op, { kind: "tile", type: acc.type, contents: { kind, values: results } });
};

/** Products of single warps: instructions over the registers that each thread holds. */
export const dotRules = { "tile.dot": dots } as const;
