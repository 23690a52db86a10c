/** Errors about what has been read: where its instructions were written, and the refusal of those that are not known. */
import { registerSource, type Span, type Spans } from "../../base/diag/index.ts";
import type { Instruction, PtxFunction, PtxTree } from "./tree.ts";

/** A path of a `.file`, as seen from the PTX. */
const besides = (name: string, path: string): string =>
  /^([/\\]|[A-Za-z]:)/.test(path) ? path : name.replace(/[^/\\]*$/, "") + path;

/** The note of the place in the PTX where there is one in its source. */
export const inPtxAt = "in the PTX at";

const isHeader = (file: string): boolean => /\.(h|hh|hpp|hxx|cuh|inl|inc)$/i.test(file);
/** Those that come with the toolkit. */
const isOfToolkit = (file: string): boolean => /[/\\](cuda[^/\\]*|cccl|nvidia)[/\\](.*[/\\])?include[/\\]/i.test(file);

/** A wrapper in a header: its author knows the line that calls it. */
const isWrapper = ({ file }: Span, caller: Span): boolean =>
  isHeader(file) && (!isHeader(caller.file) || (isOfToolkit(file) && !isOfToolkit(caller.file)));

/**
 * Where an instruction was written, for errors: its line of the source by `.loc`, the place where that was inlined, and its
 * line of the PTX text last (alone, where it has no `.loc`). Of a wrapper in a header the place that calls it comes first.
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
  const [inner, caller] = source;
  if (!inner) return [ptx];
  const authors = caller && isWrapper(inner, caller) ? [caller, { ...inner, note: "inlined from" }] : source;
  return [...authors, { ...ptx, note: inPtxAt }];
}

/** Refuses functions that have an instruction which is not known. W9801. */
export function refuseUnknown({ name, text }: PtxTree, functions: readonly PtxFunction[]): void {
  for (const { body } of functions)
    for (const unknown of body?.unknown ?? []) {
      registerSource(name, text);
      unknown.refuse();
    }
}
