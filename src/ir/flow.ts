/**
 * What enters and leaves the regions of an op: the one place that knows which values become which.
 *
 * An op with regions declares in the table how control flows through it (`flow`, see RegionFlow). Values go along channels. Whatever a
 * sender of a channel sends, any receiver of it may receive, place by place: the senders are the op (the list `carried`) and
 * regions (what they yield); the receivers are regions (their parameters) and the op (its results). So an edge is a sender and a
 * receiver of one channel, and the values at one place of a channel are there together or not at all.
 *
 * A region that ends the thread yields nothing and has no edge out.
 */
import type { Op, OperandValue, Region, Value } from "./graph.ts";
import { withParts } from "./make-op.ts";
import type { RegionFlow } from "./ops/define-ops.ts";
import { opSpec } from "./ops/index.ts";

/** The op itself, or the number of one of its regions. */
type Point = "op" | number;

interface FlowShape {
  readonly channels: readonly { readonly from: readonly Point[]; readonly to: readonly Point[] }[];
  /** The first parameter of region 0 is an index, which the op counts from this operand on; it comes by no edge. */
  readonly countsFrom?: string;
  /** The region whose terminator decides where to go on. */
  readonly decidedIn?: number;
}

const shapes: Readonly<Record<RegionFlow, FlowShape>> = {
  branch: {
    channels: [
      { from: ["op"], to: [0, 1] },
      { from: [0, 1], to: ["op"] },
    ],
  },
  "counted loop": { channels: [{ from: ["op", 0], to: [0, "op"] }], countsFrom: "start" },
  loop: {
    channels: [
      { from: [0], to: [1, "op"] },
      { from: ["op", 1], to: [0] },
    ],
    decidedIn: 0,
  },
  // What goes in and out of it each time, the op knows alone.
  function: { channels: [] },
};

function shapeOf(op: Op): FlowShape | undefined {
  const { flow } = opSpec(op.name);
  return flow && shapes[flow];
}

const isBack = (from: Point, to: Point): boolean => from !== "op" && to !== "op" && from >= to;

/** One end of a channel: values that a region yields or has as parameters; without a region, what the op carries in or gives as results. */
export interface FlowEnd {
  readonly region: Region | undefined;
  readonly values: readonly Value[];
}

/** Values that go along together. All ends have as many. */
export interface Channel {
  /** The op, then regions that yield. */
  readonly senders: readonly FlowEnd[];
  /** Regions, then the op. */
  readonly receivers: readonly FlowEnd[];
}

/** One way that control takes, and what goes along it: `values` become `targets`, one by one. */
export interface FlowEdge {
  /** The region that ends; undefined: the op begins. */
  readonly from: Region | undefined;
  /** The region that begins; undefined: the op ends. */
  readonly to: Region | undefined;
  readonly values: readonly Value[];
  readonly targets: readonly Value[];
  /** It begins the next iteration of a loop. */
  readonly back: boolean;
}

function listOperand(op: Op | undefined, name: string): readonly Value[] {
  const value = (op?.operands as Readonly<Record<string, OperandValue>> | undefined)?.[name];
  return Array.isArray(value) ? (value as readonly Value[]) : [];
}

/** Does the region end by ending the thread? */
export function endsThread(region: Region | undefined): boolean {
  const last = region?.ops.at(-1);
  return last !== undefined && opSpec(last.name).terminator === "ends thread";
}

/** The values that a region gives to the op around it. */
export const yielded = (region: Region | undefined): readonly Value[] => listOperand(region?.ops.at(-1), "values");

/** The values that an op gives to its regions, or to its results where no region runs. */
export const carriedInto = (op: Op): readonly Value[] => listOperand(op, "carried");

/** May a region of the op run more than once? */
export const isLoop = (op: Op): boolean =>
  shapeOf(op)?.channels.some(({ from, to }) => from.some((f) => to.some((t) => isBack(f, t)))) ?? false;

/** What the index of a counted loop is in the first iteration; undefined where the op does not count. */
export function firstIndex(op: Op): Value | undefined {
  const name = shapeOf(op)?.countsFrom;
  const value = name === undefined ? undefined : (op.operands as Readonly<Record<string, OperandValue>>)[name];
  return value !== undefined && "type" in value ? value : undefined;
}

/** The region whose terminator decides whether its op goes on or ends; undefined where an operand of the op decides. */
export function decidingRegion(op: Op): Region | undefined {
  const at = shapeOf(op)?.decidedIn;
  return at === undefined ? undefined : op.regions[at];
}

const singles = (op: Op): readonly Value[] =>
  Object.values(op.operands as Readonly<Record<string, OperandValue>>).filter((v): v is Value => v !== undefined && "type" in v);

/** The values that decide which regions of an op run, and how often. */
export function deciders(op: Op): readonly Value[] {
  const last = decidingRegion(op)?.ops.at(-1);
  return last ? [...singles(op), ...singles(last)] : singles(op);
}

const hasIndex = (shape: FlowShape, at: Point): boolean => shape.countsFrom !== undefined && at === 0;

function sends(op: Op, at: Point): FlowEnd {
  if (at === "op") return { region: undefined, values: carriedInto(op) };
  const region = op.regions[at];
  return { region, values: yielded(region) };
}

function receives(op: Op, shape: FlowShape, at: Point): FlowEnd {
  if (at === "op") return { region: undefined, values: op.results };
  const region = op.regions[at];
  const params = region?.params ?? [];
  return { region, values: hasIndex(shape, at) ? params.slice(1) : params };
}

const found = new WeakMap<Op, readonly Channel[]>();

/** The channels of an op with regions. Regions that end the thread are no senders. */
export function channelsOf(op: Op): readonly Channel[] {
  let channels = found.get(op);
  if (!channels) {
    const shape = shapeOf(op);
    channels = (shape?.channels ?? []).map(({ from, to }) => ({
      senders: from.map((at) => sends(op, at)).filter(({ region }) => !endsThread(region)),
      receivers: to.map((at) => receives(op, shape as FlowShape, at)),
    }));
    found.set(op, channels);
  }
  return channels;
}

/** All edges of an op with regions. */
export function flowEdges(op: Op): readonly FlowEdge[] {
  const order = (region: Region): number => op.regions.indexOf(region);
  return channelsOf(op).flatMap(({ senders, receivers }) =>
    senders.flatMap(({ region: from, values }) =>
      receivers.map(({ region: to, values: targets }) => {
        const back = from !== undefined && to !== undefined && isBack(order(from), order(to));
        return { from, to, values, targets, back };
      }),
    ),
  );
}

/** The values that a result of an op, or a parameter of a region of it, may be. An index has none: the op counts it. */
export function sources(op: Op, value: Value): readonly Value[] {
  return channelsOf(op).flatMap(({ senders, receivers }) => {
    const at = receivers.map(({ values }) => values.indexOf(value)).find((i) => i >= 0) ?? -1;
    return senders.flatMap(({ values }) => values[at] ?? []);
  });
}

/** Per place of a channel: does it stay? */
type Kept = readonly boolean[] | undefined;
const only = <T>(list: readonly T[], kept: Kept): readonly T[] => (kept ? list.filter((_, i) => kept[i]) : list);

function trimRegion(region: Region, skip: number, received: Kept, sent: Kept): Region {
  const last = region.ops.at(-1);
  const params = [...region.params.slice(0, skip), ...only(region.params.slice(skip), received)];
  if (!last || !sent || endsThread(region)) return { params, ops: region.ops };
  const end = withParts(last, { operands: { ...last.operands, values: only(yielded(region), sent) } });
  return { params, ops: [...region.ops.slice(0, -1), end] };
}

/**
 * The op with fewer values going through it; the very same op where all stay. `keep` is asked of every place of a channel, with the
 * values that the receivers have there.
 */
export function keepFlow(op: Op, keep: (received: readonly Value[]) => boolean): Op {
  const shape = shapeOf(op);
  const kept = channelsOf(op).map(({ receivers }) =>
    (receivers[0]?.values ?? []).map((_, i) => keep(receivers.flatMap(({ values }) => values[i] ?? []))),
  );
  if (!shape || kept.every((places) => places.every(Boolean))) return op;
  const sent = (at: Point): Kept => kept[shape.channels.findIndex(({ from }) => from.includes(at))];
  const received = (at: Point): Kept => kept[shape.channels.findIndex(({ to }) => to.includes(at))];
  const regions = op.regions.map((region, at) => trimRegion(region, hasIndex(shape, at) ? 1 : 0, received(at), sent(at)));
  const carried = carriedInto(op);
  const operands = carried.length === 0 ? op.operands : { ...op.operands, carried: only(carried, sent("op")) };
  return withParts(op, { operands, results: only(op.results, received("op")), regions });
}
