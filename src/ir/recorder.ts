import type { Spans } from "../base/diag/index.ts";
import type { Emitter } from "./arith.ts";
import type { Attrs, Literal, Op, Operands, Value } from "./graph.ts";
import { type Ids, makeOp, makeValue, type OpParts } from "./make-op.ts";
import { type OpName, opSpec } from "./ops/index.ts";
import { type ScalarType, type Type, typeName } from "./types.ts";

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

/** Equal texts: the same computation. `for … in`: no object per element, see `walk.ts`. */
function keyOf(
  name: OpName,
  operands: Readonly<Record<string, Value | undefined>>,
  attrs: Readonly<Record<string, unknown>>,
  types: readonly Type[] | undefined,
): string {
  let key: string = name;
  for (const operand in operands) key += ` ${operands[operand]?.id}`;
  for (const attr in attrs) key += ` ${literalText(attrs[attr])}`;
  return types ? `${key} ${types.map(typeName).join()}` : key;
}

/** Whether something comes of the op where nobody takes its result. */
function doesMore(name: OpName): boolean {
  const { effects, result } = opSpec(name);
  return effects.some((effect) => result === undefined || (effect !== "sync" && effect !== "read.barrier"));
}

/** Appends ops to regions that are open, the innermost first. Where the ops come from, `spans` says. */
export abstract class Recorder implements Emitter {
  abstract readonly ids: Ids;
  /** The regions being filled, outermost first. */
  readonly regions: OpenRegion[] = [{ params: [], ops: [] }];
  /** By the id of the value. */
  private readonly makers: (Op | undefined)[] = [];
  /** Ops that stand for all that compute the same, by what they compute. */
  private readonly standing = new Map<string, Standing>();
  /** Ops asked for so far, those among them that stood already. */
  asked = 0;
  /** Ops so far that do something beside giving their result: what threads tell each other, or a barrier tells them, is that result. */
  effects = 0;
  /** Once somebody keeps it: by the id of its result, what `asked` was when an op that stood was last asked for. */
  foundAt: Map<number, number> | undefined;
  /** While somebody keeps it: all ops that are appended, and those that stood when they were asked for, in this order. */
  history: Op[] | undefined;

  /** Where what is appended now comes from, innermost first. */
  abstract spans(): Spans;

  get region(): OpenRegion {
    const region = this.regions.at(-1);
    if (!region) throw new Error("nothing is being recorded");
    return region;
  }

  /** How many regions the current one is inside: 0 in the kernel's own body. */
  get depth(): number {
    return this.regions.length - 1;
  }

  /** Appends an op to the current region. */
  emit<K extends OpName>(
    name: K,
    operands: Operands<K>,
    attrs: Attrs<K>,
    parts: Omit<OpParts, "spans"> & { spans?: Spans } = {},
  ): Op<K> {
    this.asked++;
    if (doesMore(name)) this.effects++;
    const { types, regions, spans = this.spans() } = parts;
    const op = makeOp(this.ids, name, operands, attrs, { types, regions, spans });
    this.append(op as Op);
    return op;
  }

  /** Appends an op that was made elsewhere to the current region. */
  append(op: Op): void {
    this.region.ops.push(op);
    if (!this.isMoved(op)) this.history?.push(op);
    op.results.forEach(({ id }) => {
      this.makers[id] = op;
    });
  }

  /** Was it appended before, to a region whose ops go into another one? */
  private isMoved(op: Op): boolean {
    const result = op.results[0];
    return result !== undefined && this.makers[result.id] === op;
  }

  /** The op that gave the value, as it was when it was appended; undefined for a parameter of a region. */
  makerOf(value: Value): Op | undefined {
    return this.makers[value.id];
  }

  once<K extends OpName>(name: K, operands: Operands<K>, attrs: Attrs<K>, types?: readonly Type[]): Value {
    return this.find(
      // Callers pass ops whose operands are single values: none has a list.
      keyOf(name, operands as Readonly<Record<string, Value | undefined>>, attrs, types),
      () => this.emit(name, operands, attrs, types ? { types } : {}) as Op,
    );
  }

  literal(value: Literal, type: ScalarType): Value {
    const key = `${type} ${literalText(value)}`;
    return this.find(key, () => this.emit("const", {}, { value }, { types: [type] }) as Op);
  }

  private find(key: string, make: () => Op): Value {
    this.asked++;
    const known = this.standing.get(key);
    const stood = known && this.stands(known) ? known.op : undefined;
    const op = stood ?? make();
    if (!stood) this.standing.set(key, { op, region: this.region, at: this.region.ops.length - 1 });
    const result = op.results[0];
    if (!result) throw new Error(`${op.name} gives nothing`);
    if (!stood) return result;
    this.foundAt?.set(result.id, this.asked);
    this.history?.push(op);
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
}
