/** Errors about what has been read: where its instructions were written, and the refusal of those that are not known. */
import { registerSource, type Span, type Spans } from "../../diag/index.ts";
import type { Instruction, PtxFunction, PtxTree } from "./tree.ts";

/** A path of a `.file`, as seen from the PTX. */
const besides = (name: string, path: string): string =>
  /^([/\\]|[A-Za-z]:)/.test(path) ? path : name.replace(/[^/\\]*$/, "") + path;

/** The note of the place in the PTX where there is one in its source. */
export const inPtxAt = "in the PTX at";

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
      ? [{ file: besides(tree.name, file.path), line: place.line, column: Math.max(1, place.column), length: 1 }]
      : [];
  });
  return source.length > 0 ? [...source, { ...ptx, note: inPtxAt }] : [ptx];
}

/** Refuses functions that have an instruction which is not known. W9801. */
export function refuseUnknown({ name, text }: PtxTree, functions: readonly PtxFunction[]): void {
  for (const { body } of functions)
    for (const unknown of body?.unknown ?? []) {
      registerSource(name, text);
      unknown.refuse();
    }
}
