import { compare, constant, first, mul } from "../../../ir/arith.ts";
import { bitsOf, type ScalarType, type Value } from "../../../ir/index.ts";
import type { Values } from "./combination.ts";
import type { Expansion } from "./expansion.ts";

/** What an instruction moves at most, in bytes; every list of a buffer begins at a multiple of it. */
const widest = 16;

const alignUp = (n: number): number => Math.ceil(n / widest) * widest;
/** Memory holds no predicates. */
const storedType = (value: Value): ScalarType => (value.type === "pred" ? "u32" : (value.type as ScalarType));
const bytesOf = (value: Value): number => bitsOf(storedType(value)) / 8;

/** A buffer with a list for each value, which has so many places. */
export interface Lists {
  readonly base: Value;
  readonly offsets: readonly number[];
}

export function newLists(x: Expansion, name: string, values: Values, places: number): Lists {
  let bytes = 0;
  const offsets = values.map((value) => {
    const at = bytes;
    bytes += alignUp(places * bytesOf(value));
    return at;
  });
  const id = x.shared.reduce((most, buffer) => Math.max(most, buffer.id + 1), 0);
  x.shared.push({ id, name, bytes, align: widest, spans: x.w.spans() });
  return { base: first(x.w.emit("shared.buffer", {}, { buffer: id })), offsets };
}

/** The address `places` further on in each list. */
const placed = ({ w }: Expansion, base: Value, place: Value | undefined, bytes: number): Value =>
  place ? w.once("ptr.add", { ptr: base, by: mul(w, place, bytes) }, {}) : base;

const stored = ({ w }: Expansion, value: Value): Value =>
  value.type === "pred" ? w.once("convert", { a: value }, {}, ["u32"]) : value;
const loaded = ({ w }: Expansion, value: Value, like: Value): Value =>
  like.type === "pred" ? compare(w, "ne", value, constant(w, 0, "u32")) : value;

/** Where `writes` is true, the values go to that place of each list. */
export function put(x: Expansion, { base, offsets }: Lists, place: Value | undefined, values: Values, writes: Value): void {
  values.forEach((value, i) => {
    const ptr = placed(x, base, place, bytesOf(value));
    x.w.emit("st.shared", { ptr, values: [stored(x, value)], pred: writes }, { offset: offsets[i] ?? 0 });
  });
}

/** So many neighbours of a list, as few instructions as there are. */
function neighbours(x: Expansion, ptr: Value, offset: number, count: number, like: Value): Values {
  const type = storedType(like);
  const bytes = bytesOf(like);
  const found: Value[] = [];
  while (found.length < count) {
    let n = widest / bytes;
    while (n > count - found.length || (found.length * bytes) % (n * bytes) !== 0) n /= 2;
    const types = Array.from({ length: n }, () => type);
    const op = x.w.emit(
      "ld.shared",
      { ptr, pred: undefined, other: undefined },
      { offset: offset + found.length * bytes },
      { types },
    );
    for (const value of op.results) found.push(loaded(x, value, like));
  }
  return found;
}

/** What stands at so many places of each list, from that one on: for each place its values. */
export function take(
  x: Expansion,
  { base, offsets }: Lists,
  from: Value | undefined,
  count: number,
  like: Values,
): readonly Values[] {
  const lists = like.map((value, i) => neighbours(x, placed(x, base, from, bytesOf(value)), offsets[i] ?? 0, count, value));
  return Array.from({ length: count }, (_, place) => lists.flatMap((list) => list[place] ?? []));
}
