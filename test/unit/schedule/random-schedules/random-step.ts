/** Random steps of a schedule, legal-looking ones: what they name is there, their factors are small. */

import type { Scope, ThreadTag } from "../../../../src/schedule/ir/types.ts";
import { loopsOf } from "../../../../src/schedule/ir/walk.ts";
import type { BlockRef, LoopRef, Schedule } from "../../../../src/schedule/schedule.ts";
import type { Random } from "../../../fuzz/random.ts";

const weights = {
  split: 8,
  fuse: 3,
  reorder: 5,
  bind: 2,
  vectorize: 1,
  unroll: 1,
  dropLoop: 1,
  annotate: 1,
  cacheRead: 4,
  cacheWrite: 3,
  computeAt: 6,
  reverseComputeAt: 5,
  blockize: 2,
  decomposeReduction: 3,
  computeInline: 3,
  reverseComputeInline: 3,
  rfactor: 4,
  pad: 2,
  storageAlign: 1,
  setScope: 2,
  packShared: 1,
  multiBuffer: 5,
  loopPartition: 2,
  peel: 2,
  pipeline: 6,
  swizzleBlocks: 2,
} as const;
export type Kind = keyof typeof weights;

const tags: readonly ThreadTag[] = ["blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.y"];
const scopes: readonly Scope[] = ["global", "shared", "local"];

/** What a step was, for the report of a failure. */
export interface Told {
  readonly kind: Kind;
  readonly args: string;
}

interface Chosen {
  readonly block: BlockRef;
  readonly loops: readonly LoopRef[];
}

/** Applies one random step; `told` hears of it before it is applied. */
export function randomStep(s: Schedule, random: Random, told: (t: Told) => void): void {
  const blocks = s.getBlocks();
  const kind = random.weighted(weights);
  const say = (...args: unknown[]): void => told({ kind, args: args.map(textOf).join(", ") });
  const one = (): Chosen => {
    const block = random.pick(blocks);
    return { block, loops: s.getLoops(block) };
  };
  const withLoops = (least: number): Chosen | undefined => {
    const all = blocks.map((block) => ({ block, loops: s.getLoops(block) })).filter((x) => x.loops.length >= least);
    return all.length > 0 ? random.pick(all) : undefined;
  };
  const own = s.program.buffers.map((b) => b.name);
  steps[kind]({ s, random, say, one, withLoops, own });
}

/** Steps that a good schedule begins with: loops split, and a copy of what a block reads under one of its loops. */
export function opening(s: Schedule, random: Random, told: (t: Told) => void): void {
  const block = random.pick(s.getBlocks());
  const say = (kind: Kind, ...args: unknown[]): void => told({ kind, args: args.map(textOf).join(", ") });
  const copies: BlockRef[] = [];
  for (const which of [0, 1].slice(0, random.between(1, 2))) {
    const scope = random.pick(scopes);
    say("cacheRead", block, which, scope);
    const copy = s.cacheRead(block, which, scope);
    copies.push(copy);
    if (random.chance(0.4)) {
      say("cacheRead", copy, 0, "local");
      copies.unshift(s.cacheRead(copy, 0, "local"));
    }
  }
  const last = s.getLoops(block).at(-1);
  if (!last) return;
  const by = random.pick([2, 3, 4]);
  say("split", last, [null, by]);
  const loop = random.chance(0.8) ? s.split(last, [null, by])[0] : random.pick(s.getLoops(block));
  if (!loop) return;
  for (const copy of copies.toReversed()) {
    say("computeAt", copy, loop);
    s.computeAt(copy, loop);
    if (random.chance(0.3)) {
      say("annotate", copy, { async: true });
      s.annotate(copy, { async: true });
    }
  }
}

interface Tools {
  readonly s: Schedule;
  readonly random: Random;
  readonly say: (...args: unknown[]) => void;
  readonly one: () => Chosen;
  readonly withLoops: (least: number) => Chosen | undefined;
  readonly own: readonly string[];
}

const textOf = (x: unknown): string =>
  Array.isArray(x)
    ? `[${x.map(textOf).join(", ")}]`
    : typeof x === "object" && x !== null && "name" in x
      ? String(x.name)
      : JSON.stringify(x);

const factor = (random: Random): number => random.pick([1, 2, 3, 4, 8]);
function factors(random: Random): (number | null)[] {
  const given: (number | null)[] = Array.from({ length: random.between(1, 2) }, () => factor(random));
  return given.toSpliced(random.between(0, given.length), 0, null);
}

const steps: Record<Kind, (t: Tools) => void> = {
  split({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const [loop, by] = [random.pick(found.loops), factors(random)];
    say(loop, by);
    s.split(loop, by);
  },
  fuse({ s, random, say, withLoops }) {
    const found = withLoops(2);
    if (!found) return;
    const at = random.below(found.loops.length - 1);
    const loops = found.loops.slice(at, at + random.between(2, 3));
    say(...loops);
    s.fuse(...loops);
  },
  reorder({ s, random, say, withLoops }) {
    const found = withLoops(2);
    if (!found) return;
    const loops = found.loops.filter(() => random.chance(0.7)).toSorted(() => random.between(-1, 1));
    if (loops.length < 2) return;
    say(...loops);
    s.reorder(...loops);
  },
  bind({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const [loop, tag] = [random.pick(found.loops), random.pick(tags)];
    say(loop, tag);
    s.bind(loop, tag);
  },
  vectorize({ s, say, withLoops }) {
    const loop = withLoops(1)?.loops.at(-1);
    if (!loop) return;
    say(loop);
    s.vectorize(loop);
  },
  unroll({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const loop = random.pick(found.loops);
    say(loop);
    s.unroll(loop);
  },
  dropLoop({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const loop = random.pick(found.loops);
    say(loop);
    s.dropLoop(loop);
  },
  annotate({ s, random, say, one }) {
    const { block, loops } = one();
    const at = random.chance(0.6) || loops.length === 0 ? block : random.pick(loops);
    const note = at === block && random.chance(0.7) ? { async: true } : { note: random.below(9) };
    say(at, note);
    s.annotate(at, note);
  },
  cacheRead({ s, random, say, one }) {
    const { block } = one();
    const [which, scope] = [random.below(3), random.pick(scopes)];
    say(block, which, scope);
    s.cacheRead(block, which, scope);
  },
  cacheWrite({ s, random, say, one }) {
    const { block, loops } = one();
    const scope = random.pick(scopes);
    const at = loops.length > 0 && random.chance(0.5) ? [random.pick(loops)] : [];
    say(block, 0, scope, ...at);
    s.cacheWrite(block, 0, scope, ...at);
  },
  computeAt({ s, random, say, one, withLoops }) {
    const { block } = one();
    const consumers = s.getConsumers(block).flatMap((b) => s.getLoops(b));
    const loop = consumers.length > 0 ? random.pick(consumers) : withLoops(1)?.loops[0];
    if (!loop) return;
    say(block, loop);
    s.computeAt(block, loop);
  },
  reverseComputeAt({ s, random, say, one, withLoops }) {
    const { block } = one();
    const makers = s.getProducers(block).flatMap((b) => s.getLoops(b));
    const loop = makers.length > 0 ? random.pick(makers) : withLoops(1)?.loops[0];
    if (!loop) return;
    say(block, loop);
    s.reverseComputeAt(block, loop);
  },
  blockize({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const loop = random.pick(found.loops);
    say(loop);
    s.blockize(loop);
  },
  decomposeReduction({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const loop = random.pick(found.loops);
    say(found.block, loop);
    s.decomposeReduction(found.block, loop);
  },
  computeInline({ s, say, one }) {
    const { block } = one();
    say(block);
    s.computeInline(block);
  },
  reverseComputeInline({ s, say, one }) {
    const { block } = one();
    say(block);
    s.reverseComputeInline(block);
  },
  rfactor({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const loop = found.loops.at(-1 - random.below(Math.min(2, found.loops.length)));
    if (!loop) return;
    const dimension = random.below(3);
    say(loop, dimension);
    s.rfactor(loop, dimension);
  },
  pad({ s, random, say, one }) {
    const { block } = one();
    const axes = s.getLoops(block).map(() => random.pick([1, 4, 8, 16]));
    say(block, axes);
    s.pad(block, axes);
  },
  storageAlign({ s, random, say, own }) {
    if (own.length === 0) return;
    const [name, by] = [random.pick(own), random.pick([0, 4, 8])];
    say(name, by);
    s.storageAlign(name, by);
  },
  setScope({ s, random, say, own }) {
    if (own.length === 0) return;
    const [name, scope] = [random.pick(own), random.pick(scopes)];
    say(name, scope);
    s.setScope(name, scope);
  },
  packShared({ s, say }) {
    say();
    s.packShared();
  },
  multiBuffer({ s, random, say, own, withLoops }) {
    const found = withLoops(1);
    if (own.length === 0 || !found) return;
    const [name, loop, depth] = [random.pick(own), random.pick(found.loops), random.between(1, 4)];
    say(name, loop, depth);
    s.multiBuffer(name, loop, depth);
  },
  loopPartition({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const [loop, parts] = [random.pick(found.loops), factors(random)];
    say(loop, parts);
    s.loopPartition(loop, parts);
  },
  peel({ s, random, say, withLoops }) {
    const found = withLoops(1);
    if (!found) return;
    const [loop, ends] = [random.pick(found.loops), { first: random.below(3), last: random.below(3) }];
    say(loop, ends);
    s.peel(loop, ends);
  },
  pipeline({ s, random, say, withLoops }) {
    const withMany = loopsOf(s.program).filter((l) => l.body.kind === "seq" && l.body.body.length > 1);
    const chosen = withMany.length > 0 && random.chance(0.9) ? random.pick(withMany) : undefined;
    const found = chosen ? undefined : withLoops(1);
    const blockOf = (): LoopRef | undefined =>
      s
        .getBlocks()
        .flatMap((b) => s.getLoops(b))
        .find((l) => l.variable === chosen?.variable);
    const loop = chosen ? blockOf() : found && random.pick(found.loops);
    if (!loop) return;
    const count = chosen?.body.kind === "seq" ? chosen.body.body.length : 1;
    let stage = 0;
    const rising = Array.from({ length: count }, (_, i) => {
      if (i > 0 && random.chance(0.5)) stage += random.between(1, 2);
      return stage;
    });
    const stages = random.chance(0.85) ? rising : rising.map(() => random.below(3));
    const order = random.chance(0.6) ? {} : { order: rising.map((_, i) => i).toSorted(() => random.between(-1, 1)) };
    const options = { stages, ...order, epilogue: random.pick(["peeled", "predicated"] as const) };
    say(loop, options);
    s.pipeline(loop, options);
  },
  swizzleBlocks({ s, random, say, withLoops }) {
    const found = withLoops(2);
    if (!found) return;
    const at = random.below(found.loops.length - 1);
    const [rows, columns] = found.loops.slice(at, at + 2);
    if (!rows || !columns) return;
    const width = random.between(1, 5);
    const other = random.chance(0.7) ? columns : random.pick([1, 2, 3, 4, 8]);
    say(rows, other, width);
    s.swizzleBlocks(rows, other, width);
  },
};
