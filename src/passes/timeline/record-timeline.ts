/**
 * Records what a timeline shows, in a kernel that is compiled for one.
 *
 * Requires: the machine level, nothing left to move: what is put in stays where it stands. Shared memory is not yet laid out.
 * Ensures: a hidden parameter of the kind `timeline`; a record behind each op that the table calls `timed`: of a wait with the time before it and
 * the time behind it; of each mark. Without the option the graph stays as it is.
 *
 * A warp writes its records one after the other, at a place that every lane keeps for itself, and all lanes that are there write the same. So the lanes
 * have to agree on it. Where lanes part for a while and the records are known in number, these have places of their own, and all lanes go on behind them; where a
 * loop of one side has records, the lanes that come back take over the place from those that were away; where both sides have such
 * loops, those of the second side are not recorded: a site of `timeline.join` says so.
 */
import type { Span } from "../../base/diag/index.ts";
import { timelineLayout } from "../../base/timeline-layout.ts";
import {
  type Graph,
  type GraphParam,
  type Ids,
  makeOp,
  makeValue,
  type Op,
  opSpec,
  type Region,
  timelineName,
  type Value,
} from "../../ir/index.ts";
import { factsOf } from "../facts/index.ts";
import { freshIds, operand, operandsOf, withRegions } from "../rewrite/rewrite.ts";
import { landingsOf } from "./landings.ts";
import { asWarpgroups, endsWithGroups, type Putting, recordsIn, recordsOf, together } from "./regions.ts";

type What = Op<"timeline.record">["attrs"]["what"];
type Named = Pick<Op<"timeline.record">["attrs"], "name" | "group" | "map" | "pending" | "commits" | "by">;

/** How records of a region find their places: one after the other, or so many places ahead, which the op around it has counted. */
interface Places {
  /** Undefined: records move the warp's next place when they are written. */
  ahead: number | undefined;
}

const nothingCarried = { site: undefined, name: "", group: "", pending: undefined, commits: undefined, by: "warp" } as const;

/** The predicate of lanes of the first warp of a warpgroup. */
function firstOf(p: Putting): Value | undefined {
  p.asksForFirst = true;
  return p.first.results[0];
}

/** Records the wait of the round before. */
function carried(p: Putting, wait: Op): Op {
  const pred = opSpec(wait.name).timed?.group === "wgmma" ? firstOf(p) : undefined;
  return makeOp(p.ids, "timeline.carried", { pred }, { ahead: 0 }, { spans: wait.spans }) as Op;
}

/** A region that nothing is recorded of has no marks. */
const unmarked = ({ params, ops }: Region): Region => ({
  params,
  ops: ops.flatMap((op) => (op.name === "mark" ? [] : [withRegions(op, op.regions.map(unmarked))])),
});

/** Puts ops around the ops of one region. */
class RegionWriter {
  readonly ops: Op[] = [];
  /** The region is the body of a loop that carries a record from its end to the next round, where it is not yet written. */
  #carried = false;
  /** Records that are still to be written: while the warp waits there is time for it. Between a wait and the products behind it there is none. */
  #later: Op[] = [];
  readonly #p: Putting;
  readonly #places: Places;
  /** Waits for mbarriers are those of a whole warpgroup. */
  readonly #asWarpgroups: boolean;
  #started = false;
  /** The name of a commit whose record is that of the wait behind it. */
  #commits: string | undefined;

  constructor(p: Putting, places: Places, together = false) {
    this.#p = p;
    this.#places = places;
    this.#asWarpgroups = together;
  }

  /** Who records something that each warp of a warpgroup does. */
  #by(what: What, group: string, bar: Value | undefined): Named["by"] {
    if (group === "wgmma") return "warpgroup";
    return this.#asWarpgroups && what === "wait" && bar ? "warpgroup" : "warp";
  }

  #clock({ spans }: Op): Value {
    const op = makeOp(this.#p.ids, "timeline.clock", {}, {}, { spans });
    this.ops.push(op as Op);
    return op.results[0] ?? makeValue(this.#p.ids, "u32");
  }

  #record(
    of: Op,
    what: What,
    named: Partial<Named>,
    parts: {
      time: Value;
      values?: readonly Value[];
      bar?: Value | undefined;
      parity?: Value | undefined;
      id?: Value | undefined;
      pred?: Value | undefined;
    },
  ): void {
    const { time, values = [], bar, parity, id, pred } = parts;
    const places = this.#places;
    const site = this.#p.sites++;
    const { name = "", group = "", map, pending, commits } = named;
    const ahead = places.ahead ?? this.#later.length;
    const by = this.#by(what, group, bar);
    const attrs = { site, what, name, group, map, pending, commits, by, ahead };
    const lanes = by === "warpgroup" ? firstOf(this.#p) : pred;
    this.#later.push(
      makeOp(this.#p.ids, "timeline.record", { time, values, bar, parity, id, pred: lanes }, attrs, { spans: of.spans }) as Op,
    );
    if (places.ahead !== undefined) places.ahead += 1;
    else if (this.#later.length === timelineLayout.slack) this.flush();
  }

  /** A mark of the author's: its values two by two. */
  mark(op: Op<"mark">): void {
    const time = this.#clock(op as Op);
    const { mark = "begin", parts = [] } = this.#p.graph.logs[op.attrs.site] ?? {};
    const { values } = op.operands;
    this.#record(op as Op, "mark", { name: `${mark} ${parts[0] ?? ""}` }, { time, values: values.slice(0, 2) });
    for (let i = 2; i < values.length; i += 2) this.#record(op as Op, "more", {}, { time, values: values.slice(i, i + 2) });
  }

  /** The record of the round before comes first: that of a wait for groups. */
  startRound(wait: Op): void {
    this.#carried = true;
    this.#later.push(carried(this.#p, wait));
  }

  /** The last record is left to the next round. */
  endRound(): void {
    const last = this.#later.at(-1);
    if (last?.name === "timeline.record") this.#later.pop();
    this.flush();
    if (last?.name !== "timeline.record") return;
    const { operands, attrs, spans } = last as Op<"timeline.record">;
    const { site, name, group, pending, commits, by } = attrs;
    const kept = { time: operands.time, end: operands.values[0] };
    this.ops.push(makeOp(this.#p.ids, "timeline.carry", kept, { site, name, group, pending, commits, by }, { spans }) as Op);
  }

  /** What is put off is written now: one look for room, and one move of the warp's next place for all of it. */
  flush(): void {
    const [first] = this.#later;
    if (!first) return;
    this.#carried = false;
    for (const op of this.#later) this.ops.push(op);
    if (this.#places.ahead === undefined) this.#advance(first, this.#later.length);
    this.#later = [];
  }

  /** `next`: the op behind it that does anything. A commit and the wait behind it have one record. */
  timed(op: Op, next: Op | undefined): void {
    const timed = opSpec(op.name).timed;
    if (!timed) return;
    const { as, shown, group = "" } = timed;
    const [bar, parity, pred] = [operand(op, "bar"), operand(op, "parity"), operand(op, "pred")];
    const pending = (op.attrs as { readonly pending?: number }).pending;
    if (as === "wait") {
      // At the beginning of a round the warp has no time for it.
      if (!this.#carried || this.#later.length > 1) this.flush();
      const from = this.#clock(op);
      this.ops.push(op);
      const time = this.#clock(op);
      const named: Partial<Named> = { name: shown, group, pending, commits: this.#commits };
      this.#commits = undefined;
      this.#record(op, as, named, { time: from, values: [time], bar, parity, id: operand(op, "id") });
      return;
    }
    if (as === "commit" && next && opSpec(next.name).timed?.as === "wait" && opSpec(next.name).timed?.group === group) {
      this.#commits = shown;
      this.ops.push(op);
      return;
    }
    if (as === "load" && this.#p.words && !this.#started) {
      this.#started = true;
      this.ops.push(makeOp(this.#p.ids, "timeline.start", { words: this.#p.words }, {}, { spans: op.spans }) as Op);
    }
    // Before it: what comes in between belongs to the issue.
    const time = this.#clock(op);
    this.ops.push(op);
    const map = operand(op, "map");
    const own = bar?.type === "ptr.shared" ? bar : undefined;
    const coords = operandsOf(op, "coords").slice(0, 2);
    const name = this.#p.graph.params.find((param) => param.value === map)?.name;
    const bytes = operand(op, "bytes");
    this.#record(op, as, { name: shown, group, map: name }, { time, values: bytes ? [bytes] : coords, bar: own, pred });
  }

  /** An op with regions in which something is recorded. */
  around(op: Op): void {
    this.flush();
    const p = this.#p;
    const places = this.#places;
    const [body] = op.regions;
    const last = places.ahead === undefined && op.name === "for" && body && together(p, op) ? endsWithGroups(body) : undefined;
    if (body && last) {
      const { spans } = op;
      this.ops.push(makeOp(p.ids, "timeline.carry", { time: undefined, end: undefined }, nothingCarried, { spans }) as Op);
      this.ops.push(withRegions(op, [putIn(p, body, places, op, last)]));
      this.#later.push(carried(p, last));
      return;
    }
    if (places.ahead !== undefined || together(p, op)) {
      this.ops.push(
        withRegions(
          op,
          op.regions.map((region) => putIn(p, region, places, op)),
        ),
      );
      return;
    }
    const count = recordsIn(p, op);
    if (count <= timelineLayout.slack) {
      const own: Places = { ahead: 0 };
      this.ops.push(
        withRegions(
          op,
          op.regions.map((region) => putIn(p, region, own, op)),
        ),
      );
      if (count > 0) this.#advance(op, count);
      return;
    }
    // One side moves the place; the other one, where it has records too, is left out.
    const sides = op.name === "if" ? op.regions.map((region) => recordsOf(p, region) > 0) : op.regions.map(() => true);
    const first = sides.indexOf(true);
    const moves = (i: number): boolean => op.name !== "if" || i === first;
    this.ops.push(
      withRegions(
        op,
        op.regions.map((region, i) => (moves(i) ? putIn(p, region, { ahead: undefined }, op) : unmarked(region))),
      ),
    );
    const leaves = op.name === "if" && sides.filter(Boolean).length > 1;
    this.ops.push(makeOp(p.ids, "timeline.join", {}, { leaves: leaves ? p.sites++ : undefined }, { spans: op.spans }) as Op);
  }

  #advance({ spans }: Op, places: number): void {
    this.ops.push(makeOp(this.#p.ids, "timeline.advance", {}, { places }, { spans }) as Op);
  }

  end({ spans }: Op): void {
    this.flush();
    this.ops.push(makeOp(this.#p.ids, "timeline.end", { words: this.#p.words }, {}, { spans }) as Op);
  }
}

/** A warp that has done all it does until then observes. */
function observe(p: Putting, writer: RegionWriter, region: Region, index: number): void {
  const { landings } = p;
  if (landings?.idle.region !== region || landings.idle.index !== index) return;
  writer.flush();
  for (const op of landings.ops(p.sites++)) writer.ops.push(op);
}

const nextActing = ({ ops }: Region, i: number): Op | undefined =>
  ops.find(({ name }, at) => at > i && opSpec(name).effects.length > 0);

/** `of`: the op that the region is of. `carries`: the wait whose record goes from the end of each round to the next one. */
function putIn(p: Putting, region: Region, places: Places, of?: Op, carries?: Op): Region {
  const writer = new RegionWriter(p, places, of !== undefined && asWarpgroups(p, of, region));
  if (carries) writer.startRound(carries);
  for (const [i, op] of region.ops.entries()) {
    observe(p, writer, region, i);
    if (op.name === "mark") writer.mark(op as Op<"mark">);
    else if (opSpec(op.name).timed) writer.timed(op, nextActing(region, i));
    else if (op.name === "exit") {
      writer.end(op);
      writer.ops.push(op);
    } else if (op.regions.length > 0) writer.around(op);
    else {
      if (opSpec(op.name).terminator) {
        if (carries) writer.endRound();
        else writer.flush();
      }
      writer.ops.push(op);
    }
  }
  writer.flush();
  return { params: region.params, ops: writer.ops };
}

const warpsOfGroup = 4;

/** Whether a warp is the first of its warpgroup, and what comes before that. */
function firstOfWarpgroup(ids: Ids, spans: readonly Span[]): readonly [before: readonly Op[], leads: Op] {
  const number = (value: number): Op => makeOp(ids, "const", {}, { value }, { types: ["i32"], spans }) as Op;
  const [warp, mask, none] = [makeOp(ids, "warp.index", {}, {}, { spans }) as Op, number(warpsOfGroup - 1), number(0)];
  const of = ({ results: [value] }: Op): Value => value ?? makeValue(ids, "i32");
  const within = makeOp(ids, "and", { a: of(warp), b: of(mask) }, {}, { spans }) as Op;
  const leads = makeOp(ids, "cmp", { a: of(within), b: of(none) }, { is: "eq" }, { spans }) as Op;
  return [[warp, mask, none, within], leads];
}

/** Marks were the host's to read; where nothing else is, nothing is left to tell it. */
function withoutMarks({ params, logs }: Graph): Pick<Graph, "params" | "logs"> {
  if (logs.some(({ kind }) => kind !== "mark")) return { params, logs };
  return { params: params.filter(({ kind }) => kind !== "log"), logs: [] };
}

export function recordTimeline(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  if (graph.profile !== "timeline") return graph;
  const facts = factsOf(graph);
  const landings = landingsOf(graph, facts, ids);
  const spans = graph.body.ops[0]?.spans ?? [];
  const [before, leads] = firstOfWarpgroup(ids, spans);
  const p: Putting = {
    ...{ graph, facts, ids, landings, words: landings?.words.results[0], first: leads, asksForFirst: false },
    ...{ sites: 0, sizes: new Map() },
  };
  const begin = makeOp(ids, "timeline.begin", { words: p.words }, {}, { spans }) as Op;
  const put = putIn(p, graph.body, { ahead: undefined });
  const first = [
    ...(landings ? [landings.words, begin, ...landings.first] : [begin]),
    ...(p.asksForFirst ? [...before, leads] : []),
  ];
  const param = makeValue(ids, "u64", "timeline");
  const { params, logs } = withoutMarks(graph);
  const all: readonly GraphParam[] = [...params, { name: timelineName, kind: "timeline", value: param }];
  const body: Region = { params: all.map(({ value }) => value), ops: [...first, ...put.ops] };
  const shared = landings ? [...graph.shared, landings.buffer] : graph.shared;
  return { ...graph, shared, logs, params: all, body };
}
