/** Where machine code keeps registers in local memory. */
import { type Section, sectionsOf } from "./elf.ts";
import { type LineRow, lineTable, rowAt } from "./lines.ts";

/** Bytes that one thread stores to local memory and loads from it, each instruction once, for one line. */
export interface LocalAccess {
  /** As the PTX names it. */
  readonly file: string;
  readonly line: number;
  readonly storeBytes: number;
  readonly loadBytes: number;
}

/** Of sm_90: instructions of 16 bytes, whose lowest 12 bits say what they do, and bits 73 to 75 how much they move. */
const instructionBytes = 16;
const storeLocal = 0x387;
const loadLocal = 0x983;
const sizes = [1, 1, 2, 2, 4, 8, 16] as const;

const bytesAt = (code: DataView, at: number): number => sizes[(code.getUint32(at + 8, true) >> 9) & 7] ?? 0;

function accessesOf(code: DataView, rows: readonly LineRow[]): readonly LocalAccess[] {
  const found = new Map<string, LocalAccess>();
  for (let at = 0; at + instructionBytes <= code.byteLength; at += instructionBytes) {
    const what = code.getUint32(at, true) & 0xfff;
    if (what !== storeLocal && what !== loadLocal) continue;
    const { file = "", line = 0 } = rowAt(rows, at) ?? {};
    const key = `${file}:${line}`;
    const before = found.get(key) ?? { file, line, storeBytes: 0, loadBytes: 0 };
    const bytes = bytesAt(code, at);
    const [stored, loaded] = what === storeLocal ? [bytes, 0] : [0, bytes];
    found.set(key, { ...before, storeBytes: before.storeBytes + stored, loadBytes: before.loadBytes + loaded });
  }
  return [...found.values()].sort((a, b) => b.storeBytes + b.loadBytes - a.storeBytes - a.loadBytes);
}

const named = (sections: readonly Section[], name: string): DataView | undefined =>
  sections.find((section) => section.name === name)?.bytes;

/**
 * The lines of a kernel whose instructions go to local memory, the most bytes first. Of a cubin with one function and line information
 * (`ptxas -lineinfo`); nothing is known of another.
 */
export function localAccesses(cubin: Uint8Array, entry: string): readonly LocalAccess[] {
  const sections = sectionsOf(cubin);
  const [code, table] = [named(sections, `.text.${entry}`), named(sections, ".debug_line")];
  const functions = sections.filter(({ name }) => name.startsWith(".text."));
  const [rows, ...others] = table ? lineTable(table) : [];
  return code && rows && functions.length === 1 && others.length === 0 ? accessesOf(code, rows) : [];
}
