/** Software pipelining: iterations of a loop overlap, so that what later ones load is on its way while earlier ones compute. */

import { counted, optionsOf } from "../../base/diag/index.ts";
import { touches } from "../facts/depends.ts";
import { distanceOf, remainderOf, requiredDistance } from "../facts/distance.ts";
import { add, binary, int, intOf, seq, sub } from "../ir/build.ts";
import { copied, type Names } from "../ir/copied.ts";
import { knownIn } from "../ir/known.ts";
import { provably, simplify } from "../ir/simplify.ts";
import type { Buffer, Expr, For, Program, Stmt, Var } from "../ir/types.ts";
import { blocksOf, mentions, replaceStmt, statements, substitute } from "../ir/walk.ts";
import { type LoopAt, loopAt, refuse, type Step, tidied } from "./find.ts";
import { type Loops, onlyWhere } from "./loops.ts";
import { freshIn, livesIn, perIteration, versioned } from "./multi-buffer.ts";

/** What `pipeline` takes: a stage and a place in the order for each statement of the loop's body. */
export interface PipelineOptions {
  /** Statement s of iteration i runs at time i + stages[s]. */
  readonly stages: readonly number[];
  /** Which statement comes first, second, … of those at one time: `order[s]` is the place of statement s. Default: as they stand. */
  readonly order?: readonly number[];
  /** `"peeled"`: the last iterations stand behind the loop; `"predicated"`: the loop runs on and skips what has no iteration left. Default: `"peeled"`. */
  readonly epilogue?: "peeled" | "predicated";
}

export const pipelineOptions = optionsOf<PipelineOptions>("pipeline()", { stages: true, order: true, epilogue: true });

/** What stands behind the names of blocks before and behind the loop. */
const suffixes = { prologue: "_prologue", epilogue: "_epilogue" } as const;

/** The names of which that one may be the copy in a prologue or epilogue; none where it is none. */
export function originalNames(name: string, phase: keyof typeof suffixes): readonly string[] {
  const parts = name.split(suffixes[phase]);
  const isCopy = (end: string): boolean => /^(?:_\d+)?$/.test(end);
  return parts.length > 1 && isCopy(parts.at(-1) ?? "") ? [parts.slice(0, -1).join(suffixes[phase])] : [];
}

interface Plan {
  readonly loop: For;
  readonly body: readonly Stmt[];
  readonly stages: readonly number[];
  readonly order: readonly number[];
  readonly predicated: boolean;
  /** The greatest stage: so many iterations are on their way at once, besides the one that ends. */
  readonly last: number;
}

function planOf({ loop }: LoopAt, options: PipelineOptions, step: Step): Plan {
  const bad = (why: string): never => refuse(step, "W5544", { step: step.name, why }, loop.span);
  const name = loop.variable.name;
  if (loop.loop !== "serial")
    refuse(
      step,
      "W5527",
      { step: step.name, why: `'${name}' is not serial: its iterations do not come one after the other` },
      loop.span,
    );
  const body = loop.body.kind === "seq" ? loop.body.body : [loop.body];
  const { stages, epilogue = "peeled" } = options;
  const order = options.order ?? stages.map((_, i) => i);
  if (epilogue !== "peeled" && epilogue !== "predicated")
    bad(`an epilogue is "peeled" or "predicated", not "${String(epilogue)}"`);
  const effect = body.find((s) => [...statements(s)].some((x) => x.kind === "effect"));
  if (effect) bad("an effect in it orders statements that would change places");
  if (stages.length !== body.length)
    bad(
      `'${name}' has ${counted(body.length, "statement")}, and ${stages.length === 1 ? "1 stage is" : `${stages.length} stages are`} given`,
    );
  if (
    order.length !== body.length ||
    new Set(order).size < order.length ||
    order.some((o) => !Number.isInteger(o) || o < 0 || o >= body.length)
  )
    bad(`its order gives each of the ${body.length} statements another place from 0 to ${body.length - 1}`);
  const wrong = stages.find((s) => !Number.isSafeInteger(s) || s < 0);
  if (wrong !== undefined) bad(`a stage is a whole number from 0 on, not ${wrong}`);
  const last = Math.max(...stages);
  if (Math.min(...stages) > 0) bad("the first stage is 0");
  const plan: Plan = { loop, body, stages, order, predicated: epilogue === "predicated", last };
  body.forEach((_, i) => {
    if ((pendingBefore(plan, i, undefined) ?? 0) < 0)
      bad(
        "an asynchronous copy would be used at the time at which it begins, before its group is closed: give its reader a later stage",
      );
  });
  return plan;
}

/** Overlaps the iterations of a loop. Buffers that more than one iteration in flight needs are versioned. */
export function pipeline(p: Program, at: Var, options: PipelineOptions, step: Step): Loops {
  const first = planOf(loopAt(p, at, step), options, step);
  if (first.last === 0 && first.order.every((o, i) => o === i)) return { program: p, loops: [at] };
  const versionedProgram = withVersions(p, at, options, step);
  const found = loopAt(versionedProgram, at, step);
  const plan = planOf(found, options, step);
  checkDependences(versionedProgram, found, plan, step);
  const made = emitted(versionedProgram, found, plan);
  return { program: tidied({ ...versionedProgram, body: replaceStmt(versionedProgram.body, plan.loop, made) }), loops: [at] };
}

/** Buffers that an iteration fills and uses are made as small as that, so many times as the stages ask for. */
function withVersions(p: Program, at: Var, options: PipelineOptions, step: Step): Program {
  return p.buffers.reduce((all, b) => {
    const found = loopAt(all, at, step);
    const { loop, around } = found;
    const plan = planOf(found, options, step);
    if (!touches(loop.body, b) || !livesIn(all, b, loop) || !freshIn(all, b, loop, around)) return all;
    const depth = requiredDistance(plan, b);
    const region = perIteration(all, b, loop, around);
    const hasVersions = region && remainderOf(region.ranges[0]?.min ?? int(0), loop.variable) !== undefined;
    // The same place in each iteration: one is enough where what iterations do with it keeps its order.
    const hasOne = region?.ranges.every((r) => !mentions(r.min, new Set([loop.variable]))) ?? false;
    if ((b.scope === "global" || hasVersions || hasOne) && distancesFit(all, found, plan, b)) return all;
    return (region && versioned(all, b, region, loop, around, depth)?.program) ?? all;
  }, p);
}

const distancesFit = (p: Program, at: LoopAt, plan: Plan, b: Buffer): boolean => violated(p, at, plan, [b]) === undefined;

interface Violation {
  readonly buffer: Buffer;
  readonly earlier: number;
  readonly later: number;
  readonly distance: number;
}

/** Two statements that touch the same element of a buffer, one of them writing, and would change places. */
function violated(p: Program, { loop, around }: LoopAt, plan: Plan, buffers: readonly Buffer[]): Violation | undefined {
  const known = knownIn(p, [...around, loop]);
  const { body, stages, order } = plan;
  const time = (s: number): number => stages[s] ?? 0;
  for (const buffer of buffers)
    for (let i = 0; i < body.length; i++)
      for (let j = 0; j < body.length; j++) {
        const [a, b] = [body[i], body[j]];
        if (!a || !b || i === j) continue;
        const distance = distanceOf(a, b, buffer, loop.variable, known, i < j ? 0 : 1);
        if (distance === undefined) continue;
        const wait = distance + time(j) - time(i);
        if (wait < 0 || (wait === 0 && (order[i] ?? 0) > (order[j] ?? 0))) return { buffer, earlier: i, later: j, distance };
      }
  return undefined;
}

function checkDependences(p: Program, at: LoopAt, plan: Plan, step: Step): void {
  const found = violated(p, at, plan, [...p.params, ...p.buffers]);
  if (!found) return;
  const { buffer, earlier, later, distance } = found;
  const name = (i: number): string => {
    const s = plan.body[i];
    const block = s && [...statements(s)].find((x) => x.kind === "block");
    return block?.kind === "block" ? `'${block.name}'` : `statement ${i}`;
  };
  const span = (i: number): Stmt | undefined => [...statements(plan.body[i] ?? plan.loop)].find((x) => "span" in x && x.span);
  const [a, b] = [span(earlier), span(later)];
  refuse(
    step,
    "W5524",
    {
      step: step.name,
      why: `${name(later)} in stage ${plan.stages[later]} would touch ${buffer.name} before ${name(earlier)} in stage ${plan.stages[earlier]} has${distance === 0 ? "" : `, ${distance} iteration${distance === 1 ? "" : "s"} before it`}`,
    },
    plan.loop.span,
    a && "span" in a ? a.span : undefined,
    b && "span" in b ? b.span : undefined,
  );
}

const isAsync = (s: Stmt): boolean => [...statements(s)].some((x) => x.kind === "block" && x.annotations.async === true);

/** Statements of one time: their iteration, and the condition under which there is one. */
interface Slot {
  readonly which: number;
  readonly iteration: Expr;
  readonly condition?: Expr | undefined;
}

/** Which groups of asynchronous copies must be complete before a statement runs: none, or all but the last so many. */
function pendingBefore(plan: Plan, which: number, afterEnd: number | undefined): number | undefined {
  const { body, stages, order } = plan;
  const makers = body.flatMap((s, i) => (isAsync(s) && i !== which && shares(s, body[which]) ? [i] : []));
  if (makers.length === 0) return undefined;
  const copies = body.flatMap((s, i) => (isAsync(s) ? [i] : []));
  const newest = Math.max(...makers.map((m) => stages[m] ?? 0));
  // Times count from the first copies' stage on; a group is closed after the last copy of each time.
  const closed = Math.max(...copies.map((c) => order[c] ?? 0)) < (order[which] ?? 0);
  const own = (stages[which] ?? 0) - newest;
  const committed = closed ? 0 : -1;
  const lastStage = Math.max(...copies.map((c) => stages[c] ?? 0));
  const newestTime = afterEnd === undefined ? committed : Math.min(committed, lastStage - 1 - afterEnd);
  return newestTime + own;
}

/** Whether one statement writes a buffer by asynchronous copies that the other touches. */
function shares(copy: Stmt, user: Stmt | undefined): boolean {
  if (!user) return false;
  const written = [...statements(copy)].flatMap((s) =>
    s.kind === "block" && s.annotations.async === true ? [...statements(s)] : [],
  );
  return written.some((s) => s.kind === "store" && touches(user, s.buffer));
}

interface Time {
  readonly slots: readonly Slot[];
  /** How many times after the last iteration began, in an epilogue. */
  readonly afterEnd?: number;
  /** So many groups of copies at most are unfinished before it. */
  readonly waited: number;
}
/** What runs at one time, and how many groups of copies are unfinished at most behind it. */
interface Timed {
  readonly statements: readonly Stmt[];
  readonly waited: number;
}

function emitted(p: Program, { loop, around }: LoopAt, plan: Plan): Stmt {
  const { body, stages, last, predicated } = plan;
  const extent = intOf(loop.extent);
  const known = knownIn(p, around);
  const names: Names = new Set(blocksOf(p).map((b) => b.name));
  const before: Stmt[] = [];
  // How many groups of copies are unfinished at most, as what stands before has waited for the others.
  let waited = Infinity;
  const lengthLess = (e: Expr): Expr | undefined => simplify(binary("<", e, loop.extent), known);
  for (let t = 0; t < last; t++) {
    const slots = body.flatMap((_, s): Slot[] => {
      const iteration = t - (stages[s] ?? 0);
      if (iteration < 0 || (extent !== undefined && iteration >= extent)) return [];
      return [{ which: s, iteration: int(iteration), condition: lengthLess(int(iteration)) }];
    });
    const time = timeOf(plan, { slots, waited }, (s) => copied(s, names, suffixes.prologue));
    waited = time.waited;
    for (const s of time.statements) before.push(s);
  }
  const steadyExtent = predicated
    ? loop.extent
    : simplify(
        extent === undefined ? binary("max", sub(loop.extent, int(last)), int(0)) : int(Math.max(0, extent - last)),
        known,
      );
  const inside = new Map([...known, [loop.variable, { min: int(0), max: simplify(sub(steadyExtent, int(1)), known) }] as const]);
  const steady = body.map((_, s): Slot => {
    const iteration = simplify(add(loop.variable, int(last - (stages[s] ?? 0))), inside);
    const test = binary("<", iteration, loop.extent);
    return { which: s, iteration, condition: provably(test, inside) ? undefined : simplify(test, inside) };
  });
  const runs = intOf(steadyExtent) !== 0;
  const inTurn = timeOf(plan, { slots: steady, waited }, (s) => s);
  // What an iteration finds is what came before the loop, or what the iteration before it has left.
  const found = Math.max(waited, inTurn.waited);
  const each = found === waited ? inTurn : timeOf(plan, { slots: steady, waited: found }, (s) => s);
  const main: readonly Stmt[] = runs ? [{ ...loop, extent: steadyExtent, body: seq(...each.statements) }] : [];
  if (runs) waited = Math.max(waited, each.waited);
  const after: Stmt[] = [];
  if (!predicated)
    for (let e = 0; e < last; e++) {
      if (extent !== undefined && extent + e < last) continue;
      const slots = body.flatMap((_, s): Slot[] => {
        const back = (stages[s] ?? 0) - e;
        if (back <= 0 || (extent !== undefined && back > extent)) return [];
        const begun = extent === undefined ? binary(">=", loop.extent, int(last - e)) : undefined;
        return [{ which: s, iteration: simplify(sub(loop.extent, int(back)), known), condition: begun }];
      });
      const time = timeOf(plan, { slots, afterEnd: e, waited }, (s) => copied(s, names, suffixes.epilogue));
      waited = time.waited;
      for (const s of time.statements) after.push(s);
    }
  return seq(...before, ...main, ...after);
}

/** The statements of one time in their order, with what commits and awaits asynchronous copies. */
function timeOf(plan: Plan, time: Time, copy: (s: Stmt) => Stmt): Timed {
  const { body, order, loop } = plan;
  const hasAsync = body.some(isAsync);
  const sorted = time.slots.toSorted((a, b) => (order[a.which] ?? 0) - (order[b.which] ?? 0));
  const lastCopy = Math.max(-1, ...body.flatMap((s, i) => (isAsync(s) ? [order[i] ?? 0] : [])));
  const commits = hasAsync && (time.afterEnd === undefined || time.slots.some((s) => isAsync(body[s.which] ?? loop)));
  const out: Stmt[] = [];
  let committed = !commits;
  let { waited } = time;
  const commit = (): void => {
    out.push({ kind: "effect", op: "asyncCommit", args: [], span: loop.span });
    committed = true;
    waited += 1;
  };
  for (const slot of sorted) {
    const s = body[slot.which];
    if (!s) continue;
    if (!committed && (order[slot.which] ?? 0) > lastCopy) commit();
    const pending = pendingBefore(plan, slot.which, time.afterEnd);
    if (pending !== undefined && pending < waited) {
      out.push({ kind: "effect", op: "asyncWait", args: [int(Math.max(0, pending))], span: loop.span });
      waited = pending;
    }
    const shifted = substitute(s, new Map([[loop.variable, slot.iteration]]));
    const own = copy(shifted);
    const { condition } = slot;
    const always = !condition || (condition.kind === "const" && condition.value === true);
    out.push(always ? own : onlyWhere(own, condition));
  }
  if (!committed) commit();
  return { statements: out, waited };
}
