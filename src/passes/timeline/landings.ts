/** What it takes to see when copies land: a warp that has nothing else to do looks at the barriers that they complete on. */

import { observerWords } from "../../base/timeline-layout.ts";
import { type Graph, type Ids, makeOp, type Op, opSpec, type SharedBuffer, type Value, walkOps } from "../../ir/index.ts";
import type { Facts } from "../facts/index.ts";
import { operand } from "../rewrite/rewrite.ts";
import { type IdleWarp, idleWarp } from "./idle-warp.ts";

export interface Landings {
  readonly idle: IdleWarp;
  /** Shared memory that the observer and the other threads have in common, and the op that gives its address. */
  readonly buffer: SharedBuffer;
  readonly words: Op;
  /** At the beginning of the kernel. */
  readonly first: readonly Op[];
  /** Where the warp is idle. */
  readonly ops: (site: number) => readonly Op[];
}

const lanes = 32;
const barrierBytes = 8;

/** The buffer that an address lies in. */
function bufferOf(value: Value, { maker }: Facts): number | undefined {
  const op = maker(value);
  if (op?.name === "shared.buffer") return op.attrs.buffer;
  return op?.name === "ptr.add" ? bufferOf(op.operands.ptr, { maker } as Facts) : undefined;
}

/** Buffers of barriers that loads complete on; undefined where one of them is not known, or may become something else. */
function barriersOf(graph: Graph, facts: Facts): readonly SharedBuffer[] | undefined {
  const found = new Set<number | undefined>();
  let lives = true;
  walkOps(graph.body, (op) => {
    const bar = opSpec(op.name).timed?.as === "load" ? operand(op, "bar") : undefined;
    if (bar?.type === "ptr.shared") found.add(bufferOf(bar, facts));
    if (op.name === "mbarrier.inval") lives = false;
  });
  if (!lives || found.size === 0 || found.has(undefined)) return undefined;
  const buffers = graph.shared.filter(({ id }) => found.has(id));
  const count = buffers.reduce((n, { bytes }) => n + bytes / barrierBytes, 0);
  return Number.isInteger(count) && count <= lanes ? buffers : undefined;
}

/** Is every barrier initialised once? In a loop it may be again. */
function initialisedOnce(graph: Graph): boolean {
  let once = true;
  walkOps(graph.body, (op) => {
    if (op.regions.length === 0 || op.name === "if") return;
    for (const region of op.regions)
      walkOps(region, (inner) => {
        once &&= inner.name !== "mbarrier.init";
      });
  });
  return once;
}

/** Undefined where no copy is observed: there is no warp that is idle, or no room, or it is not known which barriers there are. */
export function landingsOf(graph: Graph, facts: Facts, ids: Ids): Landings | undefined {
  const buffers = barriersOf(graph, facts);
  const used = graph.shared.reduce((n, { bytes, align }) => Math.ceil(n / align) * align + bytes, graph.dynamicShared);
  if (!buffers || used + barrierBytes + observerWords.bytes > graph.target.limits.sharedBytes || !initialisedOnce(graph))
    return undefined;
  const idle = idleWarp(graph);
  if (!idle) return undefined;
  const spans = buffers[0]?.spans ?? [];
  const id = graph.shared.reduce((most, buffer) => Math.max(most, buffer.id), -1) + 1;
  const buffer: SharedBuffer = { id, name: "timeline", bytes: observerWords.bytes, align: 8, spans };
  const words = makeOp(ids, "shared.buffer", {}, { buffer: id }, { spans }) as Op;
  const warp = makeOp(ids, "warp.index", {}, {}, { spans }) as Op;
  const number = makeOp(ids, "const", {}, { value: idle.warp }, { types: ["i32"], spans }) as Op;
  const [address, index, own] = [words, warp, number].map((op) => op.results[0]);
  if (!address || !index || !own) return undefined;
  const isIt = makeOp(ids, "cmp", { a: index, b: own }, { is: "eq" }, { spans }) as Op;
  return {
    idle,
    buffer,
    words,
    first: [warp, number, isIt],
    ops: (site) => observing(ids, isIt, buffers, address, site),
  };
}

function observing(ids: Ids, isIt: Op, buffers: readonly SharedBuffer[], words: Value, site: number): readonly Op[] {
  const { spans } = isIt;
  const starts = buffers.map((buffer) => makeOp(ids, "shared.buffer", {}, { buffer: buffer.id }, { spans }) as Op);
  const bars = starts.flatMap(({ results }) => results);
  const counts = buffers.map(({ bytes }) => bytes / barrierBytes);
  const looks = makeOp(ids, "timeline.observe", { bars, words }, { site, counts }, { spans }) as Op;
  const ends = (): Op => makeOp(ids, "yield", { values: [] }, {}, { spans }) as Op;
  const [condition] = isIt.results;
  if (!condition) return [];
  const regions = [
    { params: [], ops: [...starts, looks, ends()] },
    { params: [], ops: [ends()] },
  ];
  return [makeOp(ids, "if", { condition }, {}, { types: [], regions, spans }) as Op];
}
