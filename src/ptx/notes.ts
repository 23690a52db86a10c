/**
 * What PTX tells whoever runs it and not the hardware: a comment on the line before an instruction. Assemblers drop comments, so it changes
 * nothing on a GPU, and wherever the text goes it goes along.
 */
import type { Comment } from "./module.ts";

/** Before a copy by TMA: its box may lie wholly outside of the tensor, by the author's word. */
export const outsideNote: Comment = { kind: "comment", text: "warpsmith: the box may lie outside of the tensor" };

/** The lines of a module's text, from 1, of what the note stands before. */
export function linesBehind({ text: note }: Comment, ptx: string): ReadonlySet<number> {
  const found = new Set<number>();
  const comment = `// ${note}`;
  if (!ptx.includes(comment)) return found;
  ptx.split("\n").forEach((line, i) => {
    if (line.trim() === comment) found.add(i + 2);
  });
  return found;
}
