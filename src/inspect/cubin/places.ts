/** Where an instruction of a machine program stands in what it was made of. */
import { type Section, sectionsOf } from "./elf.ts";
import { type LineRow, lineTable, rowAt } from "./lines.ts";

export interface CodePlace {
  /** The function's name. */
  readonly entry: string;
  /** As `.loc` says it; left out where the program was assembled without lines. */
  readonly line?: { readonly file: string; readonly line: number };
  /** The line of the PTX, from 1; left out where the assembler did not write it down. */
  readonly ptxLine?: number;
}

const code = ".text.";

const holds = ({ address, bytes }: Section, at: number): boolean => at >= address && at < address + bytes.byteLength;

/** The row that counts at an address, of the sequence of that function: of a program that has been loaded, its rows have the addresses of the device. */
function rowIn(sections: readonly Section[], table: string, text: Section, at: number): LineRow | undefined {
  const lines = sections.find(({ name }) => name === table)?.bytes;
  const rows = lines && lineTable(lines).find(([first]) => first !== undefined && holds(text, first.address));
  return rows && rowAt(rows, at);
}

function find(image: Uint8Array, at: number): CodePlace | undefined {
  const sections = sectionsOf(image);
  const text = sections.find((section) => section.address > 0 && section.name.startsWith(code) && holds(section, at));
  if (!text) return undefined;
  const line = rowIn(sections, ".debug_line", text, at);
  const inPtx = rowIn(sections, ".nv_debug_line_sass", text, at);
  return {
    entry: text.name.slice(code.length),
    ...(line && line.file !== "" && { line: { file: line.file, line: line.line } }),
    ...(inPtx && { ptxLine: inPtx.line }),
  };
}

/** What stands at an address of the device, of a program that was loaded there. Undefined where it has no code there, or is damaged. */
export function placeAt(image: Uint8Array, at: number): CodePlace | undefined {
  try {
    return find(image, at);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
