import { type AnyOp, anyOp, channelsOf, firstIndex, flowEdges, type Op, type Region, type Value } from "../../ir/index.ts";

/** Where a value comes from. */
export interface Origin {
  /** The op that has it as a result, or as a parameter of one of its regions; undefined for what stands for another value. */
  readonly op: AnyOp | undefined;
  /** It is the index that the op counts. */
  readonly index?: true;
  /** What control flow brings together in it: it is one of these each time. */
  readonly sources?: readonly Value[];
  /** What a parameter of a region is the first time that the region runs. */
  readonly first?: Value | undefined;
  /** It is what is left after the op: who decides how the op goes on decides which of the sources it is. */
  readonly after?: true;
}

/** Where all values come from. Written down where somebody first asks for one that nobody has told of. */
export interface Origins {
  readonly get: (value: Value) => Origin | undefined;
  /** The op that has the value as a result; undefined for parameters of regions. */
  readonly maker: (value: Value) => AnyOp | undefined;
  /** Tells of an op, and of the ops in it. `told` sees the values that they define. */
  readonly define: (op: Op, told: (value: Value) => void) => void;
}

/** What comes into regions the first time that they run. */
function firstValues(op: Op): ReadonlyMap<Value, Value> {
  const first = new Map<Value, Value>();
  for (const { to, back, values, targets } of flowEdges(op))
    if (to && !back)
      targets.forEach((target, i) => {
        const value = values[i];
        if (value) first.set(target, value);
      });
  return first;
}

/** What comes along the channels of an op, and its index. */
function traceFlow(op: AnyOp, put: (value: Value, origin: Origin) => void): void {
  const first = firstValues(op as Op);
  for (const { senders, receivers } of channelsOf(op as Op))
    for (const { region, values } of receivers)
      values.forEach((value, i) => {
        const sources = senders.flatMap((sender) => sender.values[i] ?? []);
        put(value, region ? { op, sources, first: first.get(value) } : { op, sources, after: true });
      });
  const start = firstIndex(op as Op);
  const index = start && op.regions[0]?.params[0];
  if (index) put(index, { op, index: true, first: start });
}

/** To the engine a list with a gap of more than about a thousand places is a slow table: a gap this long, between ids, is filled. */
const filled = 2 ** 16;

function putAt<T>(list: (T | undefined)[], at: number, item: T | undefined): void {
  if (at < list.length + filled) while (list.length < at) list.push(undefined);
  list[at] = item;
}

/** Where values come from is looked up by their ids. What goes through regions is looked at once somebody asks for it. */
export function originsOf(body: Region): Origins {
  /** The op that has a value as a result, or as a parameter of one of its regions. */
  const owners: (AnyOp | undefined)[] = [];
  const asked: (Origin | undefined)[] = [];
  let all = false;
  const own = (values: readonly Value[], op: AnyOp): void => {
    for (let i = 0; i < values.length; i++) {
      const { id } = values[i] as Value;
      if (owners[id] === undefined) putAt(owners, id, op);
    }
  };
  const findIn = (region: Region): void =>
    region.ops.forEach((raw) => {
      const op = anyOp(raw);
      own(op.results, op);
      if (op.regions.length === 0) return;
      op.regions.forEach((inner) => {
        own(inner.params, op);
        findIn(inner);
      });
    });
  const findAll = (): void => {
    all = true;
    findIn(body);
  };
  const redefine = (values: readonly Value[], op: AnyOp, told: (value: Value) => void): void => {
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as Value;
      if (owners[value.id] === op) continue;
      putAt(owners, value.id, op);
      if (asked[value.id] !== undefined) asked[value.id] = undefined;
      told(value);
    }
  };
  const define = (raw: Op, told: (value: Value) => void): void => {
    const op = anyOp(raw);
    redefine(op.results, op, told);
    if (op.regions.length === 0) return;
    op.regions.forEach((region) => {
      redefine(region.params, op, told);
      region.ops.forEach((inner) => {
        define(inner, told);
      });
    });
  };
  const ownerOf = (id: number): AnyOp | undefined => {
    if (!all && owners[id] === undefined) findAll();
    return owners[id];
  };
  const find = (id: number): Origin | undefined => {
    const op = ownerOf(id);
    if (!op) return body.params.some((param) => param.id === id) ? { op: undefined } : undefined;
    if (op.regions.length === 0) return { op };
    traceFlow(op, (value, origin) => {
      if (owners[value.id] === op) putAt(asked, value.id, origin);
    });
    return asked[id];
  };
  return {
    get: ({ id }) => {
      const known = asked[id];
      if (known) return known;
      const origin = find(id);
      putAt(asked, id, origin);
      return origin;
    },
    maker: ({ id }) => {
      const op = ownerOf(id);
      return op && (op.regions.length === 0 || op.results.some((result) => result.id === id)) ? op : undefined;
    },
    define,
  };
}

/** The same in the first iteration of a loop, or of every loop where none is named: what comes in is all that parameters may be. */
export const firstIterationOf = (origins: Origins, loop: Op | undefined): Origins => ({
  define: origins.define,
  maker: origins.maker,
  get: (value) => {
    const origin = origins.get(value);
    const applies = origin?.first && (loop === undefined || origin.op === loop);
    return applies ? { op: undefined, sources: [origin.first] } : origin;
  },
});

/** Through how many ends of regions a value is followed: code that never runs may go in circles. */
const furthest = 100;

/** What a value is, seen through what control flow only hands on. It may be defined where the value itself is used no more. */
export function seenThrough(origins: Origins, value: Value): Value {
  let at = value;
  for (let steps = 0; steps < furthest; steps++) {
    const [source, ...more] = origins.get(at)?.sources ?? [];
    if (!source || more.length > 0) return at;
    at = source;
  }
  return value;
}
