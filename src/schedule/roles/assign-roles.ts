/**
 * Requires: compacted buffers, conditions hoisted. Ensures: a program with a specialized loop is two parts, a block for the warpgroup that copies
 * and one for those that compute, both of which run the same loops and conditions; between them, effects of a pipeline of stages.
 */

import { defaultTarget, warpgroupSize } from "../../base/target.ts";
import { fail } from "../errors/index.ts";
import { isThreadTag, type Launch } from "../facts/launch.ts";
import { isSpecialized, specializationOf } from "../facts/specialization.ts";
import { intrinsicOf } from "../intrinsics/registry.ts";
import { int, isInt, seq, variable } from "../ir/build.ts";
import { copied } from "../ir/copied.ts";
import { sameRegion } from "../ir/regions.ts";
import type { Block, Buffer, For, Intrinsic, Program, Stmt } from "../ir/types.ts";
import { mentions, statements } from "../ir/walk.ts";
import { consumingLoop, effect, inStage } from "./consuming-loop.ts";
import { fillsOperand, isProduct } from "./products.ts";
import { Refusal } from "./refusal.ts";
import { type SpecializedLoop, takenApart } from "./specialized-loop.ts";
import { conditionTo, inTurn, orPass, takeTurns, withoutSingleThreads } from "./turns.ts";

/** The two parts of a specialized program. */
export interface Roles {
  readonly producer: Block;
  readonly consumers: Block;
  readonly stages: number;
  /** Warpgroups that take turns; 1: all that compute do so together. */
  readonly pingpong: number;
}

export const threadsOf = ({ block: [x, y, z] }: Launch): number => x * y * z;

/** The parts, where the program has them. */
export function rolesOf({ body }: Program): Roles | undefined {
  const [producer, consumers] = body.kind === "seq" ? body.body : [];
  if (producer?.kind !== "block" || consumers?.kind !== "block") return undefined;
  const { role, stages, pingpong } = producer.annotations;
  return role === "producer" && typeof stages === "number"
    ? { producer, consumers, stages, pingpong: typeof pingpong === "number" ? pingpong : 1 }
    : undefined;
}

/** A pass over what the consumers run, or over all where there are none. */
export function onConsumers(run: (program: Program) => Program): (program: Program) => Program {
  return (program) => {
    const roles = rolesOf(program);
    if (!roles) return run(program);
    const changed = run({ ...program, body: roles.consumers.body });
    return { ...changed, body: seq(roles.producer, { ...roles.consumers, body: changed.body }) };
  };
}

/** What the thread that copies runs: the loops and conditions on the way to the loop, and the copies. Loops of threads are others'. */
function producerOf(found: SpecializedLoop, staged: ReadonlyMap<Buffer, Buffer>): Stmt {
  const { loop, around, copies, bytes } = found;
  const stage = variable("stage");
  const body = seq(
    effect("acquireStage", loop, stage, int(bytes)),
    ...copies.map((s) => inStage(s, staged, stage)),
    effect("nextStage", loop),
  );
  const whole = around.reduceRight<Stmt>(
    (inner, s) => {
      if (s.kind === "for") return isThreadTag(s.loop) ? inner : { ...s, body: inner };
      return s.kind === "if" ? { ...s, condition: conditionTo(s, loop), yes: inner, no: undefined } : inner;
    },
    { ...loop, annotations: {}, body },
  );
  return copied(whole, new Set(), "");
}

/** An intrinsic that sets registers to 0. */
function isZeroing(s: Stmt): s is Intrinsic {
  if (s.kind !== "intrinsic" || s.args.length !== 1) return false;
  const stores = [...statements(intrinsicOf(s.name).description.body)].filter((x) => x.kind === "store");
  return stores.length === 1 && stores.every((x) => x.kind === "store" && isInt(x.value, 0));
}

/**
 * Whether the loop's one product adds to what the statement right before the loop sets to 0: then the first iteration need not add. What fills the
 * registers that the product takes A from may stand before it.
 */
function isFreshAfter(before: Stmt | undefined, { loop, others }: SpecializedLoop): boolean {
  const [product, ...more] = others.filter((s) => !fillsOperand(s));
  if (!before || !isZeroing(before) || !product || more.length > 0 || !isProduct(product)) return false;
  const [zeroed, sum] = [before.args[0], product.args.at(-1)];
  const stays = sum?.ranges.every((r) => !mentions(r.min, new Set([loop.variable])));
  return zeroed !== undefined && sum !== undefined && stays === true && sameRegion(zeroed, sum);
}

function consumersOf(program: Program, found: SpecializedLoop, staged: ReadonlyMap<Buffer, Buffer>): Stmt {
  const { loop, tiles, pingpong } = found;
  const run = (isFresh: boolean): Stmt => {
    const { issue, complete } = consumingLoop(found, staged, isFresh);
    return seq(...(tiles ? inTurn(loop, ...issue) : issue), ...complete);
  };
  let inTiles = false;
  const put = (s: Stmt): Stmt => {
    if (s === loop) return run(false);
    switch (s.kind) {
      case "for": {
        inTiles ||= s === tiles;
        const body = put(s.body);
        if (s !== tiles) return { ...s, body };
        inTiles = false;
        return takeTurns({ tiles, loop, count: pingpong }, body);
      }
      case "block":
        return { ...s, body: put(s.body) };
      case "if": {
        const both = { ...s, yes: put(s.yes), no: s.no && put(s.no) };
        return inTiles ? orPass(s, both, loop) : both;
      }
      case "seq": {
        const at = s.body.indexOf(loop);
        if (at < 0) return seq(...s.body.map(put));
        return seq(...s.body.slice(0, at), run(isFreshAfter(s.body[at - 1], found)), ...s.body.slice(at + 1));
      }
      default:
        return s;
    }
  };
  const body = put(program.body);
  return tiles ? withoutSingleThreads(body) : body;
}

function checkThreads(program: Program, found: SpecializedLoop, launch: Launch): void {
  const { pingpong } = found;
  const threads = threadsOf(launch) * pingpong;
  const refuse = (why: string): never =>
    fail("W5576", { loop: found.loop.variable.name, why }, found.loop.span && [found.loop.span]);
  if (pingpong > 1 && (launch.block[0] !== warpgroupSize || threads !== pingpong * warpgroupSize))
    refuse(
      `its program is for ${threadsOf(launch)} threads, and where warpgroups take turns each has an iteration for itself, which then is for ${warpgroupSize}`,
    );
  if (threads % warpgroupSize !== 0) refuse(`${threads} threads of a block compute, and warpgroups have ${warpgroupSize} each`);
  const most = defaultTarget.limits.threads;
  if (threads + warpgroupSize > most)
    refuse(`${threads} threads of a block compute, and with the ${warpgroupSize} of those that copy it has at most ${most}`);
  for (const s of statements(program.body)) {
    const block = s.kind === "intrinsic" && intrinsicOf(s.name).participants === "block";
    if (block) refuse(`\`${s.name}\` is run by all threads of a block together, and those that copy are elsewhere`);
  }
}

/** Takes a program with a specialized loop apart. W5576. */
export function assignRoles(program: Program, launch: Launch): Program {
  const [loop, another] = [...statements(program.body)].filter(isSpecialized);
  if (!loop) return program;
  const spans = (at: { readonly span?: For["span"] }) => at.span && [at.span];
  if (another)
    fail(
      "W5576",
      { loop: another.variable.name, why: `'${loop.variable.name}' is specialized, too, and a kernel has one such loop` },
      spans(another),
    );
  const found = takenApart(program, loop);
  if (found instanceof Refusal)
    return fail(
      "W5576",
      { loop: loop.variable.name, why: found.why, instead: found.instead },
      found.span ? [found.span] : spans(loop),
    );
  checkThreads(program, found, launch);
  const { stages, pingpong } = specializationOf(loop);
  const staged = new Map(found.buffers.map((b): [Buffer, Buffer] => [b, { ...b, shape: [int(stages), ...b.shape] }]));
  const block = (name: string, body: Stmt): Block => ({
    kind: "block",
    name,
    axes: [],
    values: [],
    annotations: { role: name, stages, ...(pingpong > 1 ? { pingpong } : {}) },
    body,
  });
  const parts = [block("producer", producerOf(found, staged)), block("consumers", consumersOf(program, found, staged))];
  return { ...program, buffers: program.buffers.map((b) => staged.get(b) ?? b), body: seq(...parts) };
}
