/** Where registers live: a row of 32 lanes each, in one buffer per warp. */
import type { PtxType, Register } from "../../../ptx/parse/index.ts";
import { dataType } from "../../../ptx/parse/index.ts";

/** `half`: 16 bits, zero above. `long`, `quad`: two and four words, low first. `pred`: 0 or 1. */
export type Storage = "pred" | "half" | "word" | "float" | "long" | "double" | "quad";

export function storageOf(type: PtxType): Storage | undefined {
  if (type === "pred") return "pred";
  if (type === "f32") return "float";
  if (type === "f64") return "double";
  const { bits } = dataType(type);
  if (bits === 128) return "quad";
  return bits === 64 ? "long" : bits === 32 ? "word" : bits <= 16 ? "half" : undefined;
}

export interface RegisterLayout {
  /** Index of a register's lane 0 in 32-bit words; a lane of 64 bits takes two. */
  place(register: Register): number;
  readonly words: number;
}

/** Whether a lane has two words. */
export const isWide = (type: PtxType): boolean => ["long", "double"].includes(storageOf(type) ?? "");

/** Words of one lane. */
export const laneWords = (type: PtxType): number => (storageOf(type) === "quad" ? 4 : isWide(type) ? 2 : 1);

/** `from`: index of the first word. */
export function layoutRegisters(registers: readonly Register[], from = 0): RegisterLayout {
  const places: number[] = [];
  let words = 0;
  for (const { id, type } of registers) {
    places[id] = from + words;
    words += 32 * laneWords(type);
  }
  return { place: ({ id }) => places[id] ?? 0, words };
}
