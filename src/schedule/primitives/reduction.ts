/** The init of a reduction in loops of its own. */

import { reads, writes, writtenBuffers } from "../facts/touches.ts";
import { int, seq, variable } from "../ir/build.ts";
import { allOf, termsOf } from "../ir/conditions.ts";
import { freshBlockName } from "../ir/fresh-names.ts";
import type { Axis, Block, Expr, For, Program, Stmt, Var } from "../ir/types.ts";
import { isFor, mentions, replaceStmt, statements, substitute, substituteIn } from "../ir/walk.ts";
import { type Blocks, blockAt, loopAt, refuse, type Step, tidied, wouldChange } from "./find.ts";

/** Runs the init of a block before a loop, in loops of its own over the spatial axes; the block itself only adds then. */
export function decomposeReduction(p: Program, name: string, loop: Var, step: Step): Blocks {
  const { block, around } = blockAt(p, name, step);
  const { loop: at, around: outside } = loopAt(p, loop, step);
  if (!block.init) return wouldChange(step, `'${name}' has no init`, block.span);
  if (!around.includes(at))
    return refuse(step, "W5523", { step: step.name, why: `'${loop.name}' is no loop around '${name}'` }, at.span);
  if (around.slice(around.indexOf(at)).some((s) => s.kind === "block"))
    return refuse(step, "W5523", { step: step.name, why: `another block stands between '${loop.name}' and '${name}'` }, at.span);
  checkReductionInside(block, outside, at, step);
  const loops = [at, ...around.slice(around.indexOf(at) + 1)].filter(isFor);
  const spatial = block.axes.flatMap((a, i): { axis: Axis; value: Expr }[] =>
    a.type === "spatial" ? [{ axis: a, value: block.values[i] ?? int(0) }] : [],
  );
  const used = loops.filter((l) => spatial.some(({ value }) => mentions(value, new Set([l.variable]))));
  const fresh = new Map<Var, Var>(used.map((l) => [l.variable, variable(`${l.variable.name}_init`)]));
  const axes = new Map<Var, Var>(spatial.map(({ axis }) => [axis.variable, variable(axis.variable.name)]));
  const left = new Set(loops.filter((l) => !used.includes(l)).map((l) => l.variable));
  const where = allOf(termsOf(block.where).filter((t) => !mentions(t, left)));
  const init: Block = {
    kind: "block",
    name: freshBlockName(p, `${name}_init`),
    axes: spatial.map(({ axis }) => ({ ...axis, variable: axes.get(axis.variable) ?? axis.variable })),
    values: spatial.map(({ value }) => substituteIn(value, fresh)),
    where: where && substituteIn(where, fresh),
    body: substitute(block.init, axes),
    annotations: {},
    span: block.span,
  };
  const nest = used.reduceRight<Stmt>(
    (body, l): For => ({ ...l, variable: fresh.get(l.variable) ?? l.variable, annotations: {}, body }),
    init,
  );
  const update: Block = { ...block, name: freshBlockName(p, `${name}_update`), init: undefined };
  const body = replaceStmt(p.body, at, seq(nest, replaceStmt(at, block, update)));
  return { program: tidied({ ...p, body }), blocks: [init.name, update.name] };
}

function checkReductionInside(block: Block, outside: readonly Stmt[], at: For, step: Step): void {
  const outer = new Set(outside.flatMap((s) => (s.kind === "for" ? [s.variable] : [])));
  const open = block.axes.find((a, i) => a.type === "reduce" && block.values[i] && mentions(block.values[i], outer));
  if (open)
    wouldChange(
      step,
      `the reduction axis '${open.variable.name}' of '${block.name}' also runs outside of '${at.variable.name}', so the init would come again`,
      block.span,
    );
  const spatial = block.axes.flatMap((a, i) => (a.type === "spatial" && block.values[i] ? [block.values[i]] : []));
  const chosen = [...outer].find(
    (v) => !spatial.some((e) => mentions(e, new Set([v]))) && termsOf(block.where).some((t) => mentions(t, new Set([v]))),
  );
  if (chosen)
    wouldChange(
      step,
      `'${block.name}' runs under a condition on '${chosen.name}', a loop around '${at.variable.name}' that is none of its spatial axes, so the init would come again`,
      block.span,
    );
  const made = writtenBuffers(block);
  const other = [...statements(at)].find(
    (s) =>
      s.kind === "block" &&
      s !== block &&
      ![...statements(s)].includes(block) &&
      ![...statements(block)].includes(s) &&
      made.some((b) => writes(s, b) || reads(s, b)),
  );
  if (other?.kind === "block")
    wouldChange(step, `'${other.name}' touches what '${block.name}' sums up, in '${at.variable.name}'`, other.span);
}
