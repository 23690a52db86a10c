/**
 * Writes down where warps wait, in a kernel that is compiled with `watch`.
 *
 * Requires: the passes before it have put every op where it stays; shared buffers have offsets. Which ops wait, and which give what a loop
 * may wait for, is said in the op table.
 * Ensures: the graph has a table of its waits and the two parameters for what is recorded. A wait that can be asked (`mbarrier.wait`) records
 * itself where its first try fails; one that cannot has its record before it and the end of it behind. Looks in a loop that does
 * nothing but wait for what they find are recorded now and then. Warps say that they have begun before they may wait for the first time, and
 * that they end when they wait for nothing any more. No other value changes.
 */
import {
  type Graph,
  type Ids,
  makeOp,
  makeValue,
  type Op,
  opSpec,
  type Region,
  type WaitKind,
  type WaitSite,
  waitOf,
  watchNames,
  withParts,
} from "../../ir/index.ts";
import { freshIds, integerLiterals, operand } from "../rewrite/rewrite.ts";

interface Watching {
  readonly ids: Ids;
  readonly literals: ReadonlyMap<number, bigint>;
  readonly sites: WaitSite[];
}

const effectsThatGoOn: readonly string[] = ["write.global", "write.shared", "async", "io", "wgmma"];

/** A loop that may do nothing but look: no op in it waits by itself, none but a look writes, and no loop is inside. */
function spins(regions: readonly Region[]): boolean {
  return regions.every(({ ops }) =>
    ops.every((op) => {
      const { effects, flow } = opSpec(op.name);
      const { until, looks } = waitOf(op) ?? {};
      if (until !== undefined || flow === "loop" || flow === "counted loop") return false;
      if (looks === undefined && effects.some((effect) => effectsThatGoOn.includes(effect))) return false;
      return spins(op.regions);
    }),
  );
}

function addSite(w: Watching, op: Op, waits: WaitKind): number {
  const id = operand(op, "id");
  const literal = id && w.literals.get(id.id);
  const { count, mask } = op.attrs as { readonly count?: unknown; readonly mask?: unknown };
  const number = typeof count === "number" ? count : typeof mask === "number" ? mask >>> 0 : undefined;
  const of = waits === "registers" ? undefined : number;
  w.sites.push({
    waits,
    op: op.name,
    ...(literal === undefined ? {} : { id: Number(literal) }),
    ...(of === undefined ? {} : { count: of }),
    spans: op.spans,
  });
  return w.sites.length - 1;
}

function aroundWait(w: Watching, op: Op, waits: WaitKind): readonly Op[] {
  const site = addSite(w, op, waits);
  const { spans } = op;
  if (waits === "mbarrier") {
    const { bar, parity } = (op as Op<"mbarrier.wait">).operands;
    return [makeOp(w.ids, "watch.mbarrier.wait", { bar, parity }, { site }, { spans }) as Op];
  }
  const id = operand(op, "id");
  const before = makeOp(w.ids, "watch.wait", { id: id?.type === "i32" ? id : undefined }, { site }, { spans });
  return [before as Op, op, makeOp(w.ids, "watch.leave", {}, { site }, { spans }) as Op];
}

/** Behind a look of a loop that spins; `sites` gets its number. */
function behindLook(w: Watching, op: Op, looks: "mbarrier" | "memory", sites: number[]): readonly Op[] {
  const ptr = operand(op, looks === "mbarrier" ? "bar" : "ptr");
  if (!ptr) return [op];
  const site = addSite(w, op, looks);
  sites.push(site);
  const { offset = 0 } = op.attrs as { readonly offset?: number };
  const parity = operand(op, "parity");
  const [found] = op.results;
  const value = looks === "memory" ? found : undefined;
  return [op, makeOp(w.ids, "watch.look", { ptr, value, parity }, { site, offset }, { spans: op.spans }) as Op];
}

/** `sites`: those of looks in the loop around these ops, where that is one that spins. */
function watched(w: Watching, ops: readonly Op[], sites: number[] | undefined): readonly Op[] {
  const last = ops.at(-1);
  if (last?.name === "exit") {
    const end = makeOp(w.ids, "watch.end", {}, {}, { spans: last.spans }) as Op;
    return [...withEnd(end, watched(w, ops.slice(0, -1), sites)), last];
  }
  return ops.flatMap((op): readonly Op[] => {
    const { flow } = opSpec(op.name);
    const { until, looks } = waitOf(op) ?? {};
    if (until !== undefined) return aroundWait(w, op, until);
    if (looks !== undefined && sites) return behindLook(w, op, looks, sites);
    if (op.regions.length === 0) return [op];
    const isLoop = flow === "loop" || flow === "counted loop";
    const own = flow === "loop" && spins(op.regions) ? [] : undefined;
    const inside = isLoop ? own : sites;
    const regions = op.regions.map((region): Region => ({ params: region.params, ops: watched(w, region.ops, inside) }));
    const left = (own ?? []).map((site) => makeOp(w.ids, "watch.left", {}, { site }, { spans: op.spans }) as Op);
    return [withParts(op, { regions }), ...left];
  });
}

/** Computes and reads memory, and needs no other thread. */
function onlyReads({ name, regions }: Op): boolean {
  const { effects, participants } = opSpec(name);
  return regions.length === 0 && participants === undefined && effects.every((effect) => effect.startsWith("read."));
}

/** Computes, reads and writes memory, in loops that end, too, and needs no other thread. */
function waitsForNothing({ name, regions }: Op): boolean {
  const { effects, participants, flow, terminator } = opSpec(name);
  if (terminator === "yields") return true;
  if (flow !== undefined)
    return (flow === "counted loop" || flow === "branch") && regions.every(({ ops }) => ops.every(waitsForNothing));
  const quiet = effects.every((effect) => effect.startsWith("read.") || effect.startsWith("write."));
  return quiet && participants === undefined;
}

/** Ops of the kernel's beginning that wait for nobody go before the record of it: what they load is under way meanwhile. */
function withBegin(begin: Op, ops: readonly Op[]): readonly Op[] {
  const first = ops.findIndex((op) => !onlyReads(op));
  return first < 0 ? [...ops, begin] : [...ops.slice(0, first), begin, ...ops.slice(first)];
}

/** What a thread only computes and writes before it ends goes behind the record of that: registers are free for it again. */
function withEnd(end: Op, before: readonly Op[]): readonly Op[] {
  const last = before.findLastIndex((op) => !waitsForNothing(op));
  return [...before.slice(0, last + 1), end, ...before.slice(last + 1)];
}

export function watchWaits(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  if (!graph.watch || graph.waits) return graph;
  const w: Watching = { ids, literals: integerLiterals(graph), sites: [] };
  const spans = graph.body.ops[0]?.spans ?? [];
  const ops = withBegin(makeOp(ids, "watch.begin", {}, {}, { spans }) as Op, watched(w, graph.body.ops, undefined));
  const [records, launch] = [makeValue(ids, "ptr.global", "watch"), makeValue(ids, "u32", "launch")];
  const params = [
    ...graph.params,
    { name: watchNames[0], kind: "watch" as const, value: records },
    { name: watchNames[1], kind: "watch" as const, value: launch },
  ];
  return { ...graph, params, body: { params: [...graph.body.params, records, launch], ops }, waits: w.sites };
}
