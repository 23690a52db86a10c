/** Fewer blocks than iterations: each block of the launch runs several iterations of a loop, one after the other. */

import { add, int, intOf, less, loop, mul, variable } from "../ir/build.ts";
import { knownIn } from "../ir/known.ts";
import { provably } from "../ir/simplify.ts";
import type { Program, Var } from "../ir/types.ts";
import { substitute } from "../ir/walk.ts";
import { loopAt, refuse, type Step, withStmt } from "./find.ts";
import { type Loops, onlyWhere } from "./loops.ts";

/**
 * A loop bound to a block index becomes one of `blocks` iterations, bound to the same index, around a serial one: block b runs iterations
 * b, b + blocks, b + 2 · blocks, … Iterations of blocks may run in any order, so that nothing else has to hold.
 */
export function persist(p: Program, at: Var, blocks: number, step: Step): Loops {
  const { loop: old, around } = loopAt(p, at, step);
  if (!old.loop.startsWith("blockIdx"))
    refuse(step, "W5527", { step: step.name, why: `'${at.name}' is not bound to a block index` }, old.span);
  const extent = intOf(old.extent);
  const bad = (why: string): never => refuse(step, "W5525", { step: step.name, why }, old.span);
  if (extent === undefined) return bad(`only the launch knows how many iterations '${at.name}' has`);
  if (!Number.isSafeInteger(blocks) || blocks < 1) bad(`a number of blocks is a whole number from 1 on, not ${blocks}`);
  if (blocks >= extent) return { program: p, loops: [at] };
  const [block, wave] = [variable(`${at.name}_block`), variable(`${at.name}_wave`)];
  const waves = int(Math.ceil(extent / blocks));
  const number = add(mul(wave, int(blocks)), block);
  const bounds = (n: number) => ({ min: int(0), max: int(n - 1) });
  const known = new Map([...knownIn(p, around), [block, bounds(blocks)], [wave, bounds(Math.ceil(extent / blocks))]]);
  const inside = less(number, old.extent);
  const run = substitute(old.body, new Map([[at, number]]));
  const body = provably(inside, known) ? run : onlyWhere(run, inside);
  const made = {
    ...old,
    variable: block,
    extent: int(blocks),
    body: loop(wave, waves, body, { annotations: { independent: true }, span: old.span }),
  };
  return { program: withStmt(p, old, made), loops: [block, wave] };
}
