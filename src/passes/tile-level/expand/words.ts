import { elementBytes } from "../../../base/element-types.ts";
import type { DType } from "../../../base/types.ts";
import { compare, constant } from "../../../ir/arith.ts";
import type { Emitter, ScalarType, Value } from "../../../ir/index.ts";
import { registerType } from "../../../ir/index.ts";

const isHalf = (dtype: DType): dtype is "f16" | "bf16" => dtype === "f16" || dtype === "bf16";

/** One part of a word, of 8 or 16 bits, as an element. */
function partOf(e: Emitter, type: ScalarType, word: Value, { bits, i }: { bits: 8 | 16; i: number }): Value {
  const moved = i === 0 ? word : e.once("shr", { a: word, by: constant(e, bits * i, "i32") }, {});
  const whole = bits === 8 ? "u8" : "u16";
  const low = e.once("convert", { a: moved }, {}, [whole]);
  if (type === "pred") return compare(e, "ne", e.once("convert", { a: low }, {}, ["u32"]), 0);
  return type === whole ? low : e.once("bitcast", { a: low }, {}, [type]);
}

/** The elements of words of 32 bits, the first of each word in its lowest bits. */
export function fromWords(e: Emitter, dtype: DType, words: readonly Value[]): readonly Value[] {
  const type = registerType(dtype);
  if (isHalf(dtype)) return words.flatMap((pair) => e.emit("pair.unpack", { pair }, {}, { types: [dtype, dtype] }).results);
  if (elementBytes[dtype] === 1) return words.flatMap((word) => [0, 1, 2, 3].map((i) => partOf(e, type, word, { bits: 8, i })));
  if (elementBytes[dtype] === 2) return words.flatMap((word) => [0, 1].map((i) => partOf(e, type, word, { bits: 16, i })));
  return words.map((a) => e.once("bitcast", { a }, {}, [type]));
}

/** A byte, or a u16, as a word whose other bits are 0. */
function asWord(e: Emitter, element: Value): Value {
  if (element.type === "pred") return e.once("convert", { a: element }, {}, ["u32"]);
  if (element.type === "i16") return asWord(e, e.once("bitcast", { a: element }, {}, ["u16"]));
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
