/** A loop as several behind one another, each a part of its iterations. */
import { add, int, intOf, seq } from "../ir/build.ts";
import { copied } from "../ir/copied.ts";
import { simplify } from "../ir/simplify.ts";
import type { Expr, For, Program, Stmt, Var } from "../ir/types.ts";
import { blocksOf, replaceStmt, substitute } from "../ir/walk.ts";
import { loopAt, refuse, type Step, tidied } from "./find.ts";
import type { Loops } from "./loops.ts";
import { freshIn, livesIn, perIteration, versioned } from "./multi-buffer.ts";

/**
 * Makes the buffers that one iteration of a loop fills and uses as small as that: what is copied out of the loop must not ask for all of
 * them. Those in global memory, and those that iterations share, stay as they are.
 */
function compacted(p: Program, at: Var, step: Step): Program {
  return p.buffers.reduce((all, b) => {
    if (b.scope === "global") return all;
    const { loop, around } = loopAt(all, at, step);
    if (!livesIn(all, b, loop) || !freshIn(all, b, loop, around)) return all;
    const region = perIteration(all, b, loop, around);
    return (region && versioned(all, b, region, loop, around, 1)?.program) ?? all;
  }, p);
}

/** How many iterations each part has; one of them may be left open. */
function lengths(loop: For, given: readonly (number | null)[], step: Step): readonly number[] {
  const bad = (why: string): never => refuse(step, "W5525", { step: step.name, why }, loop.span);
  const name = loop.variable.name;
  const extent = intOf(loop.extent);
  if (extent === undefined) return bad(`only the launch knows how many iterations '${name}' has`);
  const wrong = given.find((n) => n !== null && (!Number.isSafeInteger(n) || n < 0));
  if (wrong !== undefined) bad(`a part has a whole number of iterations, not ${wrong}`);
  const open = given.filter((n) => n === null).length;
  const sum = given.reduce<number>((all, n) => all + (n ?? 0), 0);
  if (open > 1) bad("only one part may be left open");
  if (sum > extent || (open === 0 && sum < extent)) bad(`the parts have ${sum} iterations, and '${name}' has ${extent}`);
  return given.map((n) => n ?? extent - sum);
}

/** Splits off parts of a loop, in order; the longest one keeps the loop itself and the names of its blocks. Parts of no iteration are left out. */
export function loopPartition(p: Program, at: Var, parts: readonly (number | null)[], step: Step): Loops {
  const before = loopAt(p, at, step).loop;
  if (before.loop !== "serial" && before.loop !== "unroll")
    refuse(
      step,
      "W5527",
      { step: step.name, why: `'${at.name}' is bound to ${before.loop}, and its iterations do not come one after the other` },
      before.span,
    );
  const counts = lengths(before, parts, step);
  const main = counts.indexOf(Math.max(...counts));
  if (counts.filter((n) => n > 0).length < 2) return { program: p, loops: [at] };
  // Of a loop that is written out whole, none is left whose iterations would ask for all of a buffer.
  const small = counts.every((n) => n <= 1) ? p : compacted(p, at, step);
  const { loop } = loopAt(small, at, step);
  const names = new Set(blocksOf(small).map((b) => b.name));
  const loops: Var[] = [];
  let begin = 0;
  const made = counts.flatMap((count, i): Stmt[] => {
    if (count === 0) return [];
    const from = begin;
    begin += count;
    const shift = (v: Var): Expr => simplify(add(v, int(from)), new Map());
    const part: For = {
      ...loop,
      extent: int(count),
      body: from === 0 ? loop.body : substitute(loop.body, new Map([[at, shift(at)]])),
    };
    const own = i === main ? part : copied(part, names, i < main ? "_first" : "_last");
    if (own.kind === "for") loops.push(own.variable);
    return [own];
  });
  return { program: tidied({ ...small, body: replaceStmt(small.body, loop, seq(...made)) }), loops };
}

/** Splits off the first and the last iterations of a loop. */
export const peel = (p: Program, at: Var, first: number, last: number, step: Step): Loops =>
  loopPartition(p, at, [first, null, last], step);
