/** The elements of a matrix operand as f32: what tensor cores take from four bytes of a register. */
import { floatTable, type TableFloat } from "./floats.ts";
import type { WgmmaInput } from "./types.ts";

/** Bytes of one element. */
export const inputBytes: Readonly<Record<WgmmaInput, number>> = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, s8: 1, u8: 1 };

const integerTables = {
  s8: Float32Array.from({ length: 256 }, (_, i) => (i << 24) >> 24),
  u8: Float32Array.from({ length: 256 }, (_, i) => i),
} as const;

/** Every value of a type of one byte. */
export const byteTable = (type: WgmmaInput): Float32Array =>
  type === "s8" || type === "u8" ? integerTables[type] : floatTable(type as TableFloat);

/** Reads element e of a register's four bytes. */
export function registerReader(type: WgmmaInput, packed: Uint8Array): (element: number) => number {
  const halves = new Uint16Array(packed.buffer);
  const word = new Int32Array(packed.buffer);
  const single = new Float32Array(packed.buffer);
  if (type === "f16") {
    const table = floatTable("f16");
    return (e) => table[halves[e] ?? 0] ?? 0;
  }
  if (type === "bf16") {
    const wide = new Int32Array(1);
    const narrow = new Float32Array(wide.buffer);
    return (e) => {
      wide[0] = (halves[e] ?? 0) << 16;
      return narrow[0] ?? 0;
    };
  }
  if (type === "tf32") {
    return () => {
      word[0] = (word[0] ?? 0) & 0xffffe000;
      return single[0] ?? 0;
    };
  }
  const table = byteTable(type);
  return (e) => table[packed[e] ?? 0] ?? 0;
}
