/** What blocks behind a product may be, so that they are computed of its sums where these are stored. */

import type { Spans } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { readBuffers, writtenBuffers } from "../facts/touches.ts";
import { exprText } from "../ir/print-expr.ts";
import type { Block, Buffer, Load, Program } from "../ir/types.ts";
import { blocksOf, expressions } from "../ir/walk.ts";
import type { Contraction } from "./contraction.ts";

const readsOf = (block: Block, b: Buffer): readonly Load[] =>
  expressions(block.body).filter((e): e is Load => e.kind === "load" && e.buffer === b);

/** Each takes what one other makes, alone, element by element, and that is no result of the program. W5626. */
export function checkAfter(program: Program, { block, c, after }: Contraction, at: Spans): void {
  const makers = new Map<Buffer, Block>([[c, block]]);
  for (const x of after) for (const b of writtenBuffers(x)) makers.set(b, makers.get(b) ?? x);
  for (const x of after) {
    const refuse = (why: string, instead: string, ...more: readonly Block[]): never => {
      const spans = [x, ...more].flatMap(({ span }) => (span ? [span] : []));
      return fail("W5626", { block: x.name, product: block.name, why, instead }, [...at, ...spans]);
    };
    for (const b of readBuffers(x)) {
      const maker = makers.get(b);
      if (!maker || maker === x) continue;
      if (program.params.includes(b))
        refuse(
          `it reads ${b.name}, which '${maker.name}' makes and which is a result of the program itself`,
          `let '${maker.name}' write to a buffer of the program's own, \`alloc("${b.dtype}", [...])\`, where nobody else needs ${b.name}; or compute '${x.name}' in a kernel after this one`,
        );
      const other = blocksOf(program).find((y) => y !== x && y !== maker && readBuffers(y).includes(b));
      if (other)
        refuse(
          `${b.name} is read by '${x.name}' and by '${other.name}', and one block takes it before it is stored`,
          `compute both in one block, or one of them in a kernel after this one`,
          other,
        );
      const axes = x.axes.map((a) => a.variable);
      const wrong = readsOf(x, b).find(
        ({ indices }) =>
          indices.some((i) => !axes.some((v) => v === i)) ||
          new Set(indices).size < indices.length ||
          indices.some((i, d) => readsOf(x, b)[0]?.indices[d] !== i),
      );
      if (wrong)
        refuse(
          `it reads ${exprText(wrong)}, and each element of ${b.name} is taken at one place, that of the block's own axes`,
          `read ${b.name} at its axes, \`${b.name}${axes
            .slice(0, wrong.indices.length)
            .map((v) => `[${v.name}]`)
            .join("")}\`, and write elsewhere in their place; or compute '${x.name}' in a kernel after this one`,
        );
    }
  }
}
