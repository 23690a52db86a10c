/** The memory of a program on the side of plain JavaScript: arrays that check every index. */
import { limits } from "../cases/numbers.ts";
import { type Scalar, Undefined } from "./arithmetic.ts";
import { type AtomicOp, isIntType, isWideType, type Type } from "./program.ts";

export interface HostMemory {
  readonly type: Type;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  readonly data: Scalar[];
}

type Index = number | bigint;

/** Dense, row-major. */
export function hostMemory(type: Type, shape: readonly number[], data: Scalar[]): HostMemory {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((n, s) => n * s, 1));
  return { type, shape, strides, offset: 0, data };
}

function placeOf(memory: HostMemory, index: readonly Index[]): number {
  if (index.length !== memory.shape.length) throw new Undefined("another number of indices");
  let at = memory.offset;
  index.forEach((x, d) => {
    const i = Number(x);
    if (!(i >= 0 && i < (memory.shape[d] ?? 0))) throw new Undefined(`index ${i} of ${memory.shape[d]}`);
    at += i * (memory.strides[d] ?? 0);
  });
  return at;
}

function read(memory: HostMemory, at: number): Scalar {
  const x = memory.data[at];
  if (x === undefined) throw new Undefined("memory that nobody has written");
  return x;
}

const bits = (type: Type): number => (isWideType(type) ? 64 : 32);

function folded(type: Type, op: AtomicOp, old: Scalar, value: Scalar): Scalar {
  if (op === "exch") return value;
  if (!isIntType(type)) throw new Undefined("an atomic of floats");
  const [a, b] = [BigInt(old as number), BigInt(value as number)];
  const result = { add: a + b, min: a < b ? a : b, max: a > b ? a : b, and: a & b, or: a | b, xor: a ^ b }[op];
  const signed = limits[type][0] < 0n;
  const cut = signed ? BigInt.asIntN(bits(type), result) : BigInt.asUintN(bits(type), result);
  return isWideType(type) ? cut : Number(cut);
}

export const memoryAccess = {
  load: (memory: HostMemory, ...index: readonly Index[]): Scalar => read(memory, placeOf(memory, index)),

  /** `count` neighbours, of an aligned place. */
  loadVector: (memory: HostMemory, count: number, ...index: readonly Index[]): Scalar[] => {
    const last = Number(index.at(-1));
    return Array.from({ length: count }, (_, i) => read(memory, placeOf(memory, [...index.slice(0, -1), last + i])));
  },

  store: (memory: HostMemory, value: Scalar, ...index: readonly Index[]): void => {
    memory.data[placeOf(memory, index)] = value;
  },

  storeVector: (memory: HostMemory, values: readonly Scalar[], ...index: readonly Index[]): void => {
    const last = Number(index.at(-1));
    values.forEach((value, i) => {
      memory.data[placeOf(memory, [...index.slice(0, -1), last + i])] = value;
    });
  },

  /** Gives the value before. */
  atomic: (memory: HostMemory, op: AtomicOp, value: Scalar, ...index: readonly Index[]): Scalar => {
    const at = placeOf(memory, index);
    const old = read(memory, at);
    memory.data[at] = folded(memory.type, op, old, value);
    return old;
  },

  compareAndSwap: (memory: HostMemory, expected: Scalar, value: Scalar, ...index: readonly Index[]): Scalar => {
    const at = placeOf(memory, index);
    const old = read(memory, at);
    if (old === expected) memory.data[at] = value;
    return old;
  },

  subview: (memory: HostMemory, offset: readonly Index[], shape: readonly number[]): HostMemory => {
    const starts = offset.map(Number);
    starts.forEach((start, d) => {
      const end = start + (shape[d] ?? 0);
      if (start < 0 || end > (memory.shape[d] ?? 0)) throw new Undefined(`a part from ${start} to ${end} of ${memory.shape[d]}`);
    });
    const first = starts.reduce((sum, start, d) => sum + start * (memory.strides[d] ?? 0), memory.offset);
    return { ...memory, shape, offset: first };
  },

  transpose: (memory: HostMemory): HostMemory => ({
    ...memory,
    shape: memory.shape.toReversed(),
    strides: memory.strides.toReversed(),
  }),
};
