import { constant } from "../../../ir/arith.ts";
import type { Emitter, ScalarType, Value } from "../../../ir/index.ts";
import { registerType } from "../../../ir/types.ts";
import { elementBytes } from "../../../tensor-map.ts";
import type { DType } from "../../../types.ts";

const isHalf = (dtype: DType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";

/** One byte of a word as an element. */
function byteOf(e: Emitter, type: ScalarType, word: Value, i: number): Value {
  const moved = i === 0 ? word : e.once("shr", { a: word, by: constant(e, 8 * i, "i32") }, {});
  const low = e.once("convert", { a: moved }, {}, ["u8"]);
  return type === "u8" ? low : e.once("bitcast", { a: low }, {}, [type]);
}

/** The elements of words of 32 bits, the first of each word in its lowest bits. */
export function fromWords(e: Emitter, dtype: DType, words: readonly Value[]): readonly Value[] {
  const type = registerType(dtype);
  if (isHalf(dtype)) return words.flatMap((pair) => e.emit("pair.unpack", { pair }, {}, { types: [dtype, dtype] }).results);
  if (elementBytes[dtype] === 1) return words.flatMap((word) => [0, 1, 2, 3].map((i) => byteOf(e, type, word, i)));
  return words.map((a) => e.once("bitcast", { a }, {}, [type]));
}

/** A byte, or a u16, as a word whose other bits are 0. */
function asWord(e: Emitter, element: Value): Value {
  if (element.type === "u16") return e.once("convert", { a: element }, {}, ["u32"]);
  const byte = element.type === "u8" ? element : e.once("bitcast", { a: element }, {}, ["u8"]);
  return e.once("convert", { a: byte }, {}, ["u32"]);
}

/** Elements in words of 32 bits, the first of each word in its lowest bits. */
export function toWords(e: Emitter, dtype: DType, elements: readonly Value[]): readonly Value[] {
  const width = 4 / elementBytes[dtype];
  const words = Array.from({ length: elements.length / width }, (_, i) => elements.slice(i * width, (i + 1) * width));
  return words.map(([first, ...more]): Value => {
    if (!first) throw new TypeError("a word holds elements");
    if (isHalf(dtype)) return e.once("pair.pack", { low: first, high: more[0] ?? first }, { type: dtype });
    if (width === 1) return e.once("bitcast", { a: first }, {}, ["u32"]);
    const shifted = more.map((element, i) =>
      e.once("shl", { a: asWord(e, element), by: constant(e, (32 / width) * (i + 1), "i32") }, {}),
    );
    return shifted.reduce((word, part) => e.once("or", { a: word, b: part }, {}), asWord(e, first));
  });
}
