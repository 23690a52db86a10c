import { fail, noSpans, type Span, type Spans } from "../diag/index.ts";
import {
  type Attrs,
  type Ids,
  type Literal,
  type LogSite,
  makeOp,
  makeValue,
  type Op,
  type Operands,
  type OpName,
  type OpParts,
  type ProgramOptions,
  type ScalarType,
  type SharedBuffer,
  type Type,
  type Value,
} from "../ir/index.ts";

/** What tracing knows of the kernel before it begins. */
export interface TraceOptions extends ProgramOptions {
  readonly name: string;
}

/** A region while it is being filled. */
export interface OpenRegion {
  readonly params: Value[];
  readonly ops: Op[];
}

/** An op, and where it stood when it was appended. */
interface Standing {
  readonly op: Op;
  readonly region: OpenRegion;
  readonly at: number;
}

const literalText = (x: unknown): string => (Object.is(x, -0) ? "-0" : String(x));

/** Equal texts: the same computation. `for … in`: no object per element, see `ir/walk.ts`. */
function keyOf(
  name: OpName,
  operands: Readonly<Record<string, Value | undefined>>,
  attrs: Readonly<Record<string, unknown>>,
  types: readonly Type[] | undefined,
): string {
  let key: string = name;
  for (const operand in operands) key += ` ${operands[operand]?.id}`;
  for (const attr in attrs) key += ` ${literalText(attrs[attr])}`;
  return types ? `${key} ${types.join()}` : key;
}

/**
 * One tracing of one kernel: the ops recorded so far and where the author's text stands. Everything the tracer knows hangs
 * here; rooms of the dsl that keep state of their own do so with `Trace.state`, so that nothing outlives the trace.
 */
export class Trace {
  readonly options: TraceOptions;
  readonly ids: Ids = { next: 0 };
  readonly shared: SharedBuffer[] = [];
  readonly logs: LogSite[] = [];
  /** The regions being filled, outermost first. */
  readonly regions: OpenRegion[] = [{ params: [], ops: [] }];
  /** Where the author's text stands: outermost first. */
  private readonly stack: Span[] = [];
  /** The same, innermost first; undefined where nobody has asked since the stack changed. */
  private place: Spans | undefined;
  private readonly states = new Map<object, unknown>();
  /** By the id of the value. */
  private readonly makers: (Op | undefined)[] = [];
  /** Ops that stand for all that compute the same, by what they compute. */
  private readonly standing = new Map<string, Standing>();
  /** The place that was entered last: where tracing stood when JavaScript's stack ended. */
  latest: Span | undefined;
  /** Ops asked for so far, those among them that stood already. */
  asked = 0;

  constructor(options: TraceOptions) {
    this.options = options;
  }

  get region(): OpenRegion {
    const region = this.regions.at(-1);
    if (!region) throw new Error("a trace without a region");
    return region;
  }

  /** How many regions the current one is inside: 0 in the kernel's own body. */
  get depth(): number {
    return this.regions.length - 1;
  }

  /** The current place, innermost first. */
  spans(): Spans {
    this.place ??= this.stack.length === 0 ? noSpans : this.stack.toReversed();
    return this.place;
  }

  /** Runs `run` at that place of the author's text. */
  at<T>(span: Span | undefined, run: () => T): T {
    if (!span) return run();
    const around = this.place;
    this.stack.push(span);
    this.latest = span;
    this.place = undefined;
    try {
      return run();
    } finally {
      this.stack.pop();
      this.place = around;
    }
  }

  /** Appends an op to the current region. */
  emit<K extends OpName>(
    name: K,
    operands: Operands<K>,
    attrs: Attrs<K>,
    parts: Omit<OpParts, "spans"> & { spans?: Spans } = {},
  ): Op<K> {
    this.asked++;
    const { types, regions, spans = this.spans() } = parts;
    const op = makeOp(this.ids, name, operands, attrs, { types, regions, spans });
    this.append(op as Op);
    return op;
  }

  /** Appends an op that was made elsewhere to the current region. */
  append(op: Op): void {
    this.region.ops.push(op);
    op.results.forEach(({ id }) => {
      this.makers[id] = op;
    });
  }

  /** The op that gave the value, as it was when it was appended; undefined for a parameter of a region. */
  makerOf(value: Value): Op | undefined {
    return this.makers[value.id];
  }

  /** The scalar or pointer of an op that does nothing else: one op for all its uses, in the region where it is first asked for and those inside. */
  once<K extends OpName>(name: K, operands: Operands<K>, attrs: Attrs<K>, types?: readonly Type[]): Value {
    return this.find(
      keyOf(name, operands as never, attrs as never, types),
      () => this.emit(name, operands, attrs, types ? { types } : {}) as Op,
    );
  }

  /** The literal as a value of exactly that type. */
  literal(value: Literal, type: ScalarType): Value {
    const key = `${type} ${literalText(value)}`;
    return this.find(key, () => this.emit("const", {}, { value }, { types: [type] }) as Op);
  }

  private find(key: string, make: () => Op): Value {
    this.asked++;
    const known = this.standing.get(key);
    const op = known && this.stands(known) ? known.op : make();
    if (op !== known?.op) this.standing.set(key, { op, region: this.region, at: this.region.ops.length - 1 });
    const result = op.results[0];
    if (!result) throw new Error(`${op.name} gives nothing`);
    return result;
  }

  /** Is its region still being filled? What a region held may have been moved into another one since. */
  private stands({ op, region, at }: Standing): boolean {
    return region.ops[at] === op && this.regions.includes(region);
  }

  value(type: Type, name?: string): Value {
    return makeValue(this.ids, type, name);
  }

  /** Fills a new region with what `run` emits. The region stack is restored even when `run` throws. */
  inRegion<T>(params: Value[], run: () => T): { region: OpenRegion; result: T } {
    const region: OpenRegion = { params, ops: [] };
    this.regions.push(region);
    try {
      return { region, result: run() };
    } finally {
      this.regions.pop();
    }
  }

  /** State of a room of the dsl in this trace, made on first use. `key`: any object that the room owns. */
  state<T>(key: { readonly make: () => T }): T {
    const known = this.states.get(key) as T | undefined;
    if (known !== undefined) return known;
    const made = key.make();
    this.states.set(key, made);
    return made;
  }
}

/** THE ambient slot of the project. */
let current: Trace | undefined;

/** The trace that runs now, if one does. */
export const activeTrace = (): Trace | undefined => current;

/** The trace that runs now; `what` names the author's call for the error outside one. */
export function currentTrace(what: string): Trace {
  if (!current) fail("W2001", { what });
  return current;
}

/** Runs `run` with `trace` as the current trace. Traces do not nest. */
export function withTrace<T>(trace: Trace, run: () => T): T {
  if (current) fail("W2053", { inner: trace.options.name, outer: current.options.name }, current.spans());
  current = trace;
  try {
    return run();
  } finally {
    current = undefined;
  }
}
