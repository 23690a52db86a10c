/** Finds a warp that has nothing to do while the others work, so that it can observe when copies land. */

import { warpSize } from "../../base/target.ts";
import {
  type Graph,
  type Literal,
  type Op,
  type OpName,
  operandList,
  opNames,
  opSpec,
  type Region,
  waitOf,
  walkOps,
} from "../../ir/index.ts";
import { evaluate } from "../evaluate/evaluate.ts";

/** Where the warp has done all that it does: before op `index` of the region. */
export interface IdleWarp {
  readonly warp: number;
  readonly region: Region;
  readonly index: number;
}

/** Ops that end regions, or only give results. */
const isSilent = ({ name }: Op): boolean => {
  const { effects, terminator } = opSpec(name);
  return effects.length === 0 || terminator !== undefined;
};

/** Do threads take part in the op without being named: all of the block, or of the cluster? */
function needsAll(op: Op): boolean {
  const { participants } = opSpec(op.name);
  if (participants === "block") return (op as Op<"bar.sync">).attrs.count === 0;
  // A wait for the cluster needs the others' arrivals, which are ops of their own.
  if (participants === "cluster") return waitOf(op) === undefined;
  return participants === "whole block" || participants === "whole cluster";
}

const written: ReadonlySet<OpName> = new Set(opNames.filter((name) => name.startsWith("ptx")));

/** Values of one thread, as far as they follow from its number alone. */
class Thread {
  readonly #known = new Map<number, Literal | undefined>();
  readonly #makers: ReadonlyMap<number, Op>;
  readonly #place: Readonly<Record<string, number>>;

  constructor(graph: Graph, makers: ReadonlyMap<number, Op>, thread: number) {
    const [nx, ny] = graph.launch.block;
    this.#makers = makers;
    this.#place = {
      "tid.x": thread % nx,
      "tid.y": Math.floor(thread / nx) % ny,
      "tid.z": Math.floor(thread / (nx * ny)),
      laneid: thread % warpSize,
      warp: Math.floor(thread / warpSize),
    };
  }

  value(id: number): Literal | undefined {
    if (this.#known.has(id)) return this.#known.get(id);
    const op = this.#makers.get(id);
    const value = op && this.#result(op);
    this.#known.set(id, value);
    return value;
  }

  #result(op: Op): Literal | undefined {
    if (op.name === "const") return (op as Op<"const">).attrs.value;
    if (op.name === "sreg") return this.#place[(op as Op<"sreg">).attrs.reg];
    if (op.name === "warp.index") return this.#place.warp;
    if (op.results.length !== 1 || op.regions.length > 0) return undefined;
    const literals = operandList(op).map((v) => this.value(v.id));
    return literals.includes(undefined) ? undefined : evaluate(op, literals as readonly Literal[]);
  }
}

class Search {
  readonly #graph: Graph;
  readonly #makers = new Map<number, Op>();
  readonly #all: readonly Op[];

  constructor(graph: Graph) {
    this.#graph = graph;
    const all: Op[] = [];
    walkOps(graph.body, (op) => {
      for (const result of op.results) this.#makers.set(result.id, op);
      if (needsAll(op)) all.push(op);
    });
    this.#all = all;
  }

  /** Which region of an `if` all lanes of the warp take; undefined where that is not known, or differs. */
  #taken(op: Op, lanes: readonly Thread[]): Region | undefined {
    if (op.name !== "if") return undefined;
    const { condition } = (op as Op<"if">).operands;
    const [first, ...more] = lanes.map((lane) => lane.value(condition.id));
    if (typeof first !== "boolean" || more.some((other) => other !== first)) return undefined;
    return op.regions[first ? 0 : 1];
  }

  #acts(op: Op): boolean {
    if (op.regions.length === 0) return !isSilent(op);
    return op.regions.some((region) => region.ops.some((inner) => this.#acts(inner)));
  }

  /** Of a region that the warp takes: behind the last thing that it does there. Undefined: it does nothing. */
  #behind(region: Region, lanes: readonly Thread[], path: Op[]): Omit<IdleWarp, "warp"> | undefined {
    let found: Omit<IdleWarp, "warp"> | undefined;
    for (const [i, op] of region.ops.entries()) {
      if (!this.#acts(op)) continue;
      const taken = this.#taken(op, lanes);
      if (!taken) {
        path.push(op);
        found = { region, index: i + 1 };
        continue;
      }
      const within = this.#behind(taken, lanes, path);
      // Nothing more is done around it: the place may lie inside.
      if (within) found = within;
    }
    return found;
  }

  /** Undefined where the warp works, or where others would wait for it. */
  of(warp: number): IdleWarp | undefined {
    const lanes = Array.from({ length: warpSize }, (_, lane) => new Thread(this.#graph, this.#makers, warp * warpSize + lane));
    const path: Op[] = [];
    const found = this.#behind(this.#graph.body, lanes, path);
    const works = path.some((op) => op.regions.length > 0 || waitOf(op)?.until === "mbarrier" || written.has(op.name));
    if (works || this.#all.some((op) => !path.includes(op))) return undefined;
    return { warp, ...(found ?? { region: this.#graph.body, index: 0 }) };
  }
}

/** The first warp that is idle. None in a block whose last warp is not whole. */
export function idleWarp(graph: Graph): IdleWarp | undefined {
  const threads = graph.launch.block.reduce((n, extent) => n * extent, 1);
  let writes = false;
  walkOps(graph.body, ({ name }) => {
    writes ||= written.has(name) && opSpec(name).effects.length > 0;
  });
  if (writes || threads % warpSize !== 0) return undefined;
  const search = new Search(graph);
  for (let warp = 0; warp < threads / warpSize; warp++) {
    const found = search.of(warp);
    if (found) return found;
  }
  return undefined;
}
