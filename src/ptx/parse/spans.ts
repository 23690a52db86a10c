import { registerSource, type Span, type Spans } from "../../diag/index.ts";
import type { Instruction, PtxTree } from "./tree.ts";

/**
 * Where an instruction was written, for errors: its line of the source by `.loc`, each place where that was inlined, and its
 * line of the PTX text last (alone, where it has no `.loc`).
 */
export function spansOf(tree: PtxTree, i: Instruction): Spans {
  registerSource(tree.name, tree.text);
  const ptx: Span = { file: tree.name, line: i.line, column: i.column, length: i.opcode.text.length };
  const source = [i.loc, i.loc?.inlinedAt].flatMap((place): Span[] => {
    const file = tree.files.find((f) => f.number === place?.file);
    return place && file && place.line > 0
      ? [{ file: file.path, line: place.line, column: Math.max(1, place.column), length: 1 }]
      : [];
  });
  return source.length > 0 ? [...source, { ...ptx, note: "in the PTX at" }] : [ptx];
}
