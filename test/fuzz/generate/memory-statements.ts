/** Random loads, stores and atomics: free of races because a thread writes its own elements only, or by operations that commute. */
import {
  type AtomicOp,
  type Expr,
  type IntType,
  isIntType,
  isNarrowType,
  type Memory,
  type Place,
  product,
  type Stmt,
  type Type,
} from "../program.ts";
import { digests } from "./digest.ts";
import { condition, indexBelow, load, placeIn } from "./expressions.ts";
import { fit } from "./integers.ts";
import {
  deeper,
  fullRange,
  interval,
  type Made,
  type Maker,
  op,
  type Readable,
  type Scope,
  stagedWhole,
  text,
  type Variable,
  whole,
  withVariables,
} from "./maker.ts";

const threadsOf = (m: Maker): number => product(m.threads) * product(m.grid);

/** An element of an output that belongs to this thread alone. */
function ownPlace(m: Maker, scope: Scope, output: Memory, form: Place["form"]): Place {
  const own = text("i", "i32", true, interval(0, threadsOf(m) - 1));
  const index = output.shape.map((extent) => (extent === threadsOf(m) ? own : indexBelow(m, scope, extent, 2)));
  return { memory: output.name, index, form };
}

const outputs = (m: Maker, type?: Type): readonly Memory[] =>
  m.memories.filter((x) => x.kind === "output" && x.name !== digests && (type === undefined || x.type === type));

const signs = { add: "+", sub: "-", mul: "*", div: "/", and: "&", or: "|", xor: "^" } as const;

/** `x[i] += v` and its kin, where the operation's result is of the element's type. */
function update(m: Maker, scope: Scope, place: Place, type: Type): Stmt | undefined {
  const old: Expr = { kind: "load", place, type, sure: true, range: op("convert", type, []).range };
  const floats = ["add", "sub", "mul", "div"] as const;
  const bits = ["and", "or", "xor"] as const;
  if (type === "i32") {
    const name = m.random.pick(bits);
    return { kind: "storeUpdate", place, sign: signs[name], value: op(name, "i32", [old, m.make(scope, "i32", 1)]) };
  }
  if (type === "bool" || isIntType(type)) return undefined;
  const name = m.random.pick(floats);
  return { kind: "storeUpdate", place, sign: signs[name], value: op(name, type, [old, m.make(scope, type, 1)]) };
}

export function store(m: Maker, scope: Scope): Made {
  const output = m.random.pick(outputs(m));
  const place = ownPlace(m, scope, output, m.random.pick(["index", "index", "at", "row"]));
  const updated = m.random.chance(0.3) ? update(m, scope, { ...place, form: "index" }, output.type) : undefined;
  if (updated) return { statements: [updated], scope };
  const pred = m.random.chance(0.15) ? m.make(scope, "bool", 1) : undefined;
  return {
    statements: [{ kind: "store", place: pred ? { ...place, form: "at", pred } : place, value: m.make(scope, output.type, 3) }],
    scope,
  };
}

/** What this thread has stored, or what was there before. */
export function ownLoad(m: Maker, scope: Scope): Made {
  const output = m.random.pick(outputs(m));
  const place = ownPlace(m, scope, output, m.random.pick(["index", "at"]));
  const name = m.fresh("v");
  const loaded: Expr = { kind: "load", place, type: output.type, sure: true, range: op("convert", output.type, []).range };
  return {
    statements: [{ kind: "declare", name, constant: true, value: loaded }],
    scope: withVariables(scope, [{ name, type: output.type, sure: true, range: loaded.range, assignable: false }]),
  };
}

const bytesOf = (type: Type): number => (type === "bool" ? 1 : Number(type.replace(/^\D+/, "")) / 8);

/** Several neighbours in one instruction. */
export function vector(m: Maker, scope: Scope): Made | undefined {
  const fits = (x: { readonly type: Type; readonly shape: readonly number[] }, n: number): boolean =>
    (x.shape.at(-1) ?? 1) % n === 0 && n * bytesOf(x.type) <= 16;
  const n = m.random.pick([2, 2, 4, 4, 8, 16]);
  const sources = scope.readable.filter((r) => (r.kind === "input" || r.kind === "shared") && !r.dynamic && fits(r, n));
  if (sources.length === 0) return undefined;
  const from = m.random.pick(sources);
  const names = Array.from({ length: n }, () => m.fresh("v"));
  const place = placeIn(m, scope, from, 2);
  const blocks = fit(m, m.make(scope, "i32", 1), interval(0, (from.shape.at(-1) ?? n) / n - 1));
  const aligned = op("mul", "i32", [blocks, whole("i32", n)], interval(0, (from.shape.at(-1) ?? n) - n));
  const range = op("convert", from.type, []).range;
  return {
    statements: [{ kind: "vector", names, place: { ...place, index: [...place.index.slice(0, -1), aligned] } }],
    scope: withVariables(
      scope,
      names.map((name) => ({ name, type: from.type, sure: true, range, assignable: false })),
    ),
  };
}

export function storeVector(m: Maker, scope: Scope): Made | undefined {
  const fitting = outputs(m).filter(
    (x) => x.shape.length === 2 && x.shape[1] === 4 && x.shape[0] === threadsOf(m) && bytesOf(x.type) <= 4,
  );
  if (fitting.length === 0) return undefined;
  const output = m.random.pick(fitting);
  const own = ownPlace(m, scope, { ...output, shape: [threadsOf(m)] }, "at");
  const values = Array.from({ length: 4 }, () => m.make(scope, output.type, 1));
  return { statements: [{ kind: "storeVector", place: { ...own, index: [...own.index, whole("i32", 0)] }, values }], scope };
}

/** A part of a matrix, from a staged place on, as it is or transposed. */
export function subview(m: Maker, scope: Scope): Made | undefined {
  const sources = scope.readable.filter((r) => r.shape.length === 2 && !r.dynamic && !r.swizzle);
  if (sources.length === 0) return undefined;
  const from = m.random.pick(sources);
  const shape = from.shape.map((extent) => m.random.between(1, Math.max(1, extent - 1)));
  const offset = from.shape.map((extent, d) => indexBelow(m, scope, extent - (shape[d] ?? 1) + 1, 2));
  const name = m.fresh("part");
  const transpose = m.random.chance(0.3);
  // A part is not loaded from in vectors: where it begins need not be aligned.
  const part: Readable = { name, type: from.type, shape: transpose ? shape.toReversed() : shape, kind: "output" };
  return {
    statements: [{ kind: "view", name, of: from.name, offset, shape, transpose }],
    scope: { ...scope, readable: [...scope.readable, part] },
  };
}

/** Every thread may take part: the order does not show, because the memory is written by one operation that commutes. */
export function atomic(m: Maker, scope: Scope): Made | undefined {
  const cells = m.memories.filter((x) => x.kind === "atomic");
  if (cells.length === 0) return undefined;
  const memory = m.random.pick(cells);
  const place: Place = { memory: memory.name, index: memory.shape.map((extent) => indexBelow(m, scope, extent, 2)), form: "at" };
  return { statements: [{ kind: "atomic", op: memory.op ?? "add", place, value: m.make(scope, memory.type, 2) }], scope };
}

const commuting: readonly AtomicOp[] = ["add", "min", "max", "and", "or", "xor", "exch"];

/** On an element of this thread, so that what was there before is known. */
export function ownAtomic(m: Maker, scope: Scope): Made | undefined {
  const fitting = outputs(m).filter((x) => isIntType(x.type) && !isNarrowType(x.type));
  if (fitting.length === 0) return undefined;
  const output = m.random.pick(fitting);
  const place = ownPlace(m, scope, output, "at");
  const name = m.fresh("old");
  const type = output.type as IntType;
  const made = m.make(scope, type, 2);
  const variable: Variable = { name, type, sure: true, range: fullRange(type), assignable: false };
  const statement: Stmt = m.random.chance(0.2)
    ? { kind: "swapIf", place, expected: m.make(scope, type, 1), value: made, result: name }
    : { kind: "atomic", op: m.random.pick(commuting), place, value: made, result: name };
  return { statements: [statement], scope: withVariables(scope, [variable]) };
}

/** `t`: the thread's number in its block. */
const inBlock = (m: Maker): Expr => text("t", "i32", true, interval(0, product(m.threads) - 1));

/** A buffer that each thread has written its element of; everybody may read it. */
export function newShared(m: Maker, scope: Scope): Made {
  const name = m.fresh("shared");
  const type = m.random.pick(m.types);
  const threads = product(m.threads);
  const shape = m.random.chance(0.3) ? [2, threads] : [threads];
  const swizzles = ([32, 64, 128] as const).filter((bytes) => shape.length === 2 && (threads * bytesOf(type)) % bytes === 0);
  const swizzle = swizzles.length > 0 && m.random.chance(0.6) ? { swizzle: `${m.random.pick(swizzles)}B` as const } : {};
  const memory: Memory = { name, type, shape, kind: "shared", ...swizzle };
  m.memories.push(memory);
  const rows = shape.length === 2 ? [whole("i32", 0), whole("i32", 1)] : [undefined];
  const stores = rows.map((row): Stmt => {
    const index = row ? [row, inBlock(m)] : [inBlock(m)];
    return { kind: "store", place: { memory: name, index, form: m.random.pick(["index", "at"]) }, value: m.make(scope, type, 2) };
  });
  return { statements: [...stores, { kind: "sync" }], scope: { ...scope, readable: [...scope.readable, memory] } };
}

/** While some threads write, nobody reads shared memory. */
const betweenBarriers = (scope: Scope): Scope => ({ ...scope, readable: scope.readable.filter((r) => r.kind === "input") });

/** A barrier of the threads that are left, which orders nothing for those that have ended. */
const barrierAlone = (scope: Scope): Made => ({ statements: [{ kind: "sync" }], scope });

/** Every thread writes its element anew, and reads what another wrote. Stands where every thread comes. */
export function exchange(m: Maker, scope: Scope): Made | undefined {
  const buffers = m.memories.filter((x) => x.kind === "shared" && !x.op && scope.readable.some((r) => r.name === x.name));
  if (buffers.length === 0) return undefined;
  if (m.ended) return barrierAlone(scope);
  const memory = m.random.pick(buffers);
  const writing = betweenBarriers(scope);
  const row = memory.shape.length === 2 ? [indexBelow(m, writing, 2, 2)] : [];
  const written = m.make(writing, memory.type, 3);
  const name = m.fresh("v");
  const read = load(m, scope, memory, 2);
  return {
    statements: [
      { kind: "sync" },
      { kind: "store", place: { memory: memory.name, index: [...row, inBlock(m)], form: "index" }, value: written },
      { kind: "sync" },
      { kind: "declare", name, constant: true, value: read },
    ],
    scope: withVariables(scope, [{ name, type: memory.type, sure: true, range: read.range, assignable: false }]),
  };
}

/** Cells of shared memory that the threads of a block count in. */
export function newCells(m: Maker, scope: Scope): Made | undefined {
  const types = m.types.filter((t) => isIntType(t) && !isNarrowType(t));
  if (types.length === 0) return undefined;
  const name = m.fresh("cells");
  const type = m.random.pick(types);
  const extent = m.random.between(1, Math.min(4, product(m.threads)));
  const memory: Memory = {
    name,
    type,
    shape: [extent],
    kind: "shared",
    op: m.random.pick(["add", "min", "max", "and", "or", "xor"]),
  };
  m.memories.push(memory);
  const initial = m.random.chance(0.5) ? stagedWhole(type as IntType, m.random.below(10)) : m.make(scope, type, 1);
  return {
    statements: [
      {
        kind: "if",
        condition: op("lt", "bool", [inBlock(m), whole("i32", extent)]),
        yes: [
          {
            kind: "store",
            place: { memory: name, index: [text("t", "i32", true, interval(0, extent - 1))], form: "index" },
            value: initial,
          },
        ],
      },
      { kind: "sync" },
    ],
    scope: { ...scope, readable: [...scope.readable, memory] },
  };
}

/** The threads count, between barriers. */
export function count(m: Maker, scope: Scope): Made | undefined {
  const cells = m.memories.filter((x) => x.kind === "shared" && x.op && scope.readable.some((r) => r.name === x.name));
  if (cells.length === 0) return undefined;
  if (m.ended) return barrierAlone(scope);
  const memory = m.random.pick(cells);
  const outside = betweenBarriers(scope);
  const place: Place = { memory: memory.name, index: [indexBelow(m, outside, memory.shape[0] ?? 1, 2)], form: "at" };
  const counted: Stmt = { kind: "atomic", op: memory.op ?? "add", place, value: m.make(outside, memory.type, 2) };
  const inside: Stmt = m.random.chance(0.4)
    ? { kind: "if", condition: condition(m, deeper(outside), 2), yes: [counted] }
    : counted;
  return { statements: [{ kind: "sync" }, inside, { kind: "sync" }], scope };
}

/** Which lanes of the warp say yes. Stands where every lane comes. */
export function ballot(m: Maker, scope: Scope): Made {
  const name = m.fresh("votes");
  return {
    statements: [{ kind: "ballot", name, condition: m.make(scope, "bool", 2) }],
    scope: withVariables(scope, [{ name, type: "u32", sure: true, range: fullRange("u32"), assignable: false }]),
  };
}
