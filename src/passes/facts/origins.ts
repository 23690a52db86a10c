import { type AnyOp, anyOp, channelsOf, firstIndex, type Op, type Region, type Value, walkOps } from "../../ir/index.ts";

/** Where a value comes from. */
export interface Origin {
  /** The op that has it as a result, or as a parameter of one of its regions; undefined for what stands for another value. */
  readonly op: AnyOp | undefined;
  /** It is the index that the op counts. */
  readonly index?: true;
  /** What control flow brings together in it: it is one of these each time. */
  readonly sources?: readonly Value[];
  /** It is what is left after the op: who decides how the op goes on decides which of the sources it is. */
  readonly after?: true;
}

/** Where all values come from. Written down where somebody first asks for one that nobody has told of. */
export interface Origins {
  readonly get: (value: Value) => Origin | undefined;
  /** Tells of an op, and of the ops in it. `told` sees the values that they define. */
  readonly define: (op: Op, told: (value: Value) => void) => void;
}

/** What comes along the channels of an op, and its index. */
function traceFlow(op: AnyOp, put: (value: Value, origin: Origin) => void): void {
  for (const { senders, receivers } of channelsOf(op as Op))
    for (const { region, values } of receivers)
      values.forEach((value, i) => {
        const sources = senders.flatMap((sender) => sender.values[i] ?? []);
        put(value, region ? { op, sources } : { op, sources, after: true });
      });
  const index = firstIndex(op as Op) && op.regions[0]?.params[0];
  if (index) put(index, { op, index: true });
}

export function originsOf(body: Region): Origins {
  const known = new Map<number, Origin>();
  let all = false;
  const trace = (raw: Op, put: (value: Value, origin: Origin) => void): void => {
    const op = anyOp(raw);
    if (op.regions.length > 0) traceFlow(op, put);
    else for (const value of op.results) put(value, { op });
  };
  const addNew = (value: Value, origin: Origin): void => {
    if (!known.has(value.id)) known.set(value.id, origin);
  };
  return {
    get: (value) => {
      const origin = known.get(value.id);
      if (origin || all) return origin;
      all = true;
      for (const param of body.params) addNew(param, { op: undefined });
      walkOps(body, (op) => trace(op, addNew));
      return known.get(value.id);
    },
    define: (op, told) => {
      const tell = (value: Value, origin: Origin): void => {
        known.set(value.id, origin);
        told(value);
      };
      trace(op, tell);
      for (const region of op.regions) walkOps(region, (inner) => trace(inner, tell));
    },
  };
}

/** The same, but what stands in `first` is that value alone: parameters of loops as they are in the first iteration. */
export const standingIn = (origins: Origins, first: (value: Value) => Value | undefined): Origins => ({
  define: origins.define,
  get: (value) => {
    const instead = first(value);
    return instead ? { op: undefined, sources: [instead] } : origins.get(value);
  },
});
