import { type Span, WarpsmithError } from "../../../src/base/diag/index.ts";
import { finishOpenTypes } from "../../../src/dsl/numbers/finish.ts";
import { Trace, withTrace } from "../../../src/dsl/trace/trace.ts";
import {
  type AccType,
  type AnyOp,
  accColumns,
  anyOp,
  bitsOf,
  isSigned,
  type Op,
  type ScalarType,
  type Value,
} from "../../../src/ir/index.ts";
import { withoutTileLevel } from "../../support/machine-level.ts";
import { programOptions } from "../../support/program-options.ts";

/** Records what `run` emits, and takes the tile level apart. */
export function record(run: (trace: Trace) => void, options: Parameters<typeof programOptions>[0] = {}): Trace {
  const trace = new Trace({ name: "test", ...programOptions({ block: [128, 1, 1], ...options }) });
  withTrace(trace, () => {
    run(trace);
    finishOpenTypes(trace);
  });
  const { region, shared, logs, ids } = trace;
  const graph = { ...trace.options, params: [], body: region, shared, logs };
  const { ops } = withoutTileLevel(graph, ids).body;
  region.ops.splice(0, region.ops.length, ...ops);
  return trace;
}

const written: Span = { file: "kernel.ts", line: 7, column: 3, length: 1 };

/**
 * The code of the error with which the tile level that `run` records cannot be taken apart; undefined where it can. The error stands where
 * `run` was written. What throws while it is recorded goes through.
 */
export function expansionError(run: (trace: Trace) => unknown, options: Partial<Trace["options"]> = {}): string | undefined {
  let recorded = false;
  const code = (error: unknown): string => {
    if (!recorded || !(error instanceof WarpsmithError) || error.spans[0] !== written) throw error;
    return error.code;
  };
  try {
    record((trace) => {
      trace.at(written, () => run(trace));
      recorded = true;
    }, options);
  } catch (error) {
    return code(error);
  }
  return undefined;
}

/** The names of the ops recorded, constants left out, those of regions behind their op. */
export const names = (trace: Trace): string[] => {
  const all = (ops: readonly Op[]): string[] => ops.flatMap((o) => [o.name, ...o.regions.flatMap((r) => all(r.ops))]);
  return all(trace.region.ops).filter((n) => n !== "const");
};
export const find = <K extends AnyOp["name"]>(trace: Trace, name: K): Op<K>[] => {
  const all = (ops: readonly Op[]): Op[] => ops.flatMap((o) => [o, ...o.regions.flatMap((r) => all(r.ops))]);
  return all(trace.region.ops).filter((o) => o.name === name) as unknown as Op<K>[];
};

/** Something a register holds: an integer, a truth, or pieces of a tile (element numbers, in order). */
export type Held = bigint | boolean | readonly number[];
export interface Access {
  readonly op: AnyOp;
  readonly address: number;
  readonly values: readonly Held[];
}
/** Where things lie: shared buffers every 2^22 bytes, tensors at 2^42. */
export const bufferBase = (id: number): number => (id + 1) * 2 ** 22;
export const tensorBase = 2 ** 42;

const cut = (type: ScalarType, x: bigint): bigint =>
  isSigned(type) ? BigInt.asIntN(bitsOf(type), x) : BigInt.asUintN(bitsOf(type), x);

/** Runs straight-line ops and branches for one thread, and gives every access to memory that it makes. Written from the op table. */
export function accesses(trace: Trace, thread: number, inputs: ReadonlyMap<Value, Held> = new Map()): Access[] {
  const held = new Map<Value, Held>(inputs);
  const out: Access[] = [];
  const get = (v: Value): Held => {
    const x = held.get(v) ?? (v.type === "ptr.global" ? BigInt(tensorBase) : undefined);
    if (x === undefined) throw new Error(`%${v.id} has no value`);
    return x;
  };
  const int = (v: Value): bigint => get(v) as bigint;
  const set = (op: AnyOp, x: Held): unknown => {
    const [result] = op.results;
    if (!result) throw new Error("no result");
    held.set(
      result,
      typeof x === "bigint" && result.type !== "ptr.global" && result.type !== "ptr.shared"
        ? cut(result.type as ScalarType, x)
        : x,
    );
    return undefined;
  };
  const on = (pred: Value | undefined): boolean => pred === undefined || get(pred) === true;
  const math: Record<string, (a: bigint, b: bigint) => bigint> = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b) => a / b,
    rem: (a, b) => a % b,
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    shl: (a, b) => a << b,
    shr: (a, b) => a >> b,
  };
  const compare: Record<string, (a: bigint, b: bigint) => boolean> = {
    eq: (a, b) => a === b,
    ne: (a, b) => a !== b,
    lt: (a, b) => a < b,
    le: (a, b) => a <= b,
    gt: (a, b) => a > b,
    ge: (a, b) => a >= b,
  };
  const step = (op: AnyOp): unknown => {
    switch (op.name) {
      case "const":
        return set(op, typeof op.attrs.value === "boolean" ? op.attrs.value : BigInt(op.attrs.value));
      case "sreg":
        return set(op, BigInt(op.attrs.reg === "laneid" ? thread % 32 : op.attrs.reg === "tid.x" ? thread : 0));
      case "warp.index":
        return set(op, BigInt(Math.floor(thread / 32)));
      case "elect.sync":
        return set(op, thread % 32 === 0);
      case "shared.buffer":
        return set(op, BigInt(bufferBase(op.attrs.buffer)));
      case "shared.dynamic":
        return set(op, BigInt(op.attrs.at));
      case "ptr.add":
        return set(op, int(op.operands.ptr) + int(op.operands.by));
      case "cmp":
        return set(op, (compare[op.attrs.is] as (a: bigint, b: bigint) => boolean)(int(op.operands.a), int(op.operands.b)));
      case "acc.unpack":
        accColumns(
          op.operands.acc.type as AccType,
          ...((op.attrs.columns ?? [0, (op.operands.acc.type as AccType).cols]) as [number, number]),
        ).forEach((e, i) => {
          const r = op.results[i];
          if (r) held.set(r, [e]);
        });
        return undefined;
      case "bitcast":
        return set(op, get(op.operands.a));
      case "pair.pack":
        return set(
          op,
          [op.operands.low, op.operands.high].flatMap((v) => get(v) as readonly number[]),
        );
      case "convert":
        return set(op, get(op.operands.a));
      case "shl":
      case "shr": {
        const a = get(op.operands.a);
        return set(
          op,
          Array.isArray(a) ? a : (math[op.name] as (a: bigint, b: bigint) => bigint)(a as bigint, int(op.operands.by)),
        );
      }
      case "add":
      case "sub":
      case "mul":
      case "div":
      case "rem":
      case "and":
      case "or":
      case "xor": {
        const [a, b] = [get(op.operands.a), get(op.operands.b)];
        if (typeof a === "boolean") return set(op, op.name === "and" ? a && (b as boolean) : a || (b as boolean));
        if (Array.isArray(a) && Array.isArray(b)) return set(op, [...a, ...b]);
        return set(op, (math[op.name] as (a: bigint, b: bigint) => bigint)(a as bigint, b as bigint));
      }
      case "st.shared":
      case "st.global":
      case "stmatrix":
        if (op.name !== "stmatrix" && !on(op.operands.pred)) return undefined;
        out.push({ op, address: Number(int(op.operands.ptr)) + op.attrs.offset, values: op.operands.values.map(get) });
        return undefined;
      case "ld.shared":
      case "ld.global":
        if (on(op.operands.pred)) out.push({ op, address: Number(int(op.operands.ptr)) + op.attrs.offset, values: [] });
        for (const r of op.results) held.set(r, 0n);
        return undefined;
      case "tma.load":
        if (on(op.operands.pred)) out.push({ op, address: Number(int(op.operands.dst)), values: op.operands.coords.map(get) });
        return undefined;
      case "if": {
        const region = op.regions[get(op.operands.condition) === true ? 0 : 1];
        for (const inner of region?.ops ?? []) step(anyOp(inner));
        return undefined;
      }
      default:
        return undefined;
    }
  };
  for (const op of trace.region.ops) step(anyOp(op));
  return out;
}
