/**
 * What instructions are tried with: tuples of four operands of 16, of 32 and of 64 bits. Half of them are every edge with every
 * edge; the others come from a seed: any bits, floats that lie near each other, sums that almost cancel, small numbers.
 */
import { createPrng } from "../../src/tools/testing/randn.ts";
import { bytesOfBits, edgesOf, floatShapes } from "../cases/ptx/float-edges.ts";

export const tupleCount = 8192;
/** The first so many are some of every kind. */
export const fewTuples = 512;
export const slots = 4;
const edgeCount = 64;

export const widths = [16, 32, 64] as const;
export type Width = (typeof widths)[number];

/** Where the tuples of a width begin; those of all widths follow each other. */
export const tableOffset: Readonly<Record<Width, number>> = {
  16: 0,
  32: tupleCount * slots * 2,
  64: tupleCount * slots * 6,
};

const some = (edges: readonly bigint[], count: number): readonly bigint[] =>
  Array.from({ length: count }, (_, i) => edges[Math.floor((i * edges.length) / count)] ?? 0n);

const integers = (bits: number): readonly bigint[] => {
  const top = 1n << BigInt(bits - 1);
  return [0n, 1n, 2n, 7n, 15n, 16n, 31n, 32n, 33n, 63n, 64n, 65n, top - 1n, top, top + 1n, 2n * top - 1n];
};
const twice = (edges: readonly bigint[]): readonly bigint[] =>
  edges.map((x, i) => (x << 16n) | (edges[(5 * i + 3) % edges.length] ?? 0n));

function edgesFor(width: Width): readonly bigint[] {
  const [f16, bf16] = [edgesOf(floatShapes.f16), edgesOf(floatShapes.bf16)];
  if (width === 16) return [...some(f16, 29), ...some(bf16, 19), ...integers(16)];
  if (width === 32)
    return [...some(edgesOf(floatShapes.f32), 28), ...some(twice(f16), 10), ...some(twice(bf16), 10), ...integers(32)];
  return [...some(edgesOf(floatShapes.f64), 48), ...integers(64)];
}

const view = new DataView(new ArrayBuffer(8));
const bitsOf32 = (x: number): bigint => {
  view.setFloat32(0, x);
  return BigInt(view.getUint32(0));
};
const bitsOf64 = (x: number): bigint => {
  view.setFloat64(0, x);
  return view.getBigUint64(0);
};

type Next = () => number;
const word = (next: Next): bigint => BigInt(Math.floor(next() * 2 ** 32));
const anyBits = (width: Width, next: Next): bigint => ((word(next) << 32n) | word(next)) & ((1n << BigInt(width)) - 1n);
/** Of about the same size as one. */
const near = (next: Next): number => (next() < 0.5 ? -1 : 1) * (1 + next()) * 2 ** Math.floor(next() * 5 - 2);

/** A small float of 16 bits by sign, exponent and fraction: either of f16 or of bf16. */
const nearHalf = (next: Next): bigint => {
  const base = next() < 0.5 ? 0x3400 : 0x3f00;
  return BigInt((next() < 0.5 ? 0x8000 : 0) | (base + Math.floor(next() * (base === 0x3400 ? 0x1000 : 0x100))));
};

function nearBits(width: Width, next: Next): bigint {
  if (width === 16) return nearHalf(next);
  if (width === 64) return bitsOf64(near(next));
  return next() < 0.5 ? bitsOf32(near(next)) : (nearHalf(next) << 16n) | nearHalf(next);
}

/** The third almost cancels the product of the first two; the fourth is their quotient. */
function cancelling(width: Width, next: Next): readonly bigint[] {
  if (width === 16) return [nearHalf(next), nearHalf(next), nearHalf(next), nearHalf(next)];
  const [round, bits] = width === 32 ? [Math.fround, bitsOf32] : [(x: number) => x, bitsOf64];
  const [a, b] = [round(near(next)), round(near(next))];
  const off = BigInt(Math.floor(next() * 5) - 2);
  return [bits(a), bits(b), bits(-round(a * b)) + off, bits(round(a / b))];
}

function randomTuple(width: Width, i: number, next: Next): readonly bigint[] {
  const four = (make: () => bigint): readonly bigint[] => [make(), make(), make(), make()];
  const kind = i % 5;
  if (kind === 0) return four(() => anyBits(width, next));
  if (kind === 1) return four(() => nearBits(width, next));
  if (kind === 2) return cancelling(width, next);
  if (kind === 3) return [anyBits(width, next), ...four(() => BigInt(Math.floor(next() * 72))).slice(1)];
  return four(() => (anyBits(width, next) >> BigInt(Math.floor(next() * width))) & ((1n << BigInt(width)) - 1n));
}

function tuplesOf(width: Width): readonly (readonly bigint[])[] {
  const [edges, next] = [edgesFor(width), createPrng(width)];
  return Array.from({ length: tupleCount }, (_, i) => {
    if (i >= edgeCount * edgeCount) return randomTuple(width, i, next);
    const at = (n: number): bigint => edges[n % edgeCount] ?? 0n;
    return [at(i), at(Math.floor(i / edgeCount)), at(7 * i + 11), at(Math.floor(next() * edgeCount))];
  });
}

/** Shuffles them, so that the first ones are some of every kind. */
const shuffled = <T>(tuples: readonly T[]): readonly T[] =>
  tuples.map((tuple, i) => tuples[(i * 5003 + 77) % tuples.length] ?? tuple);

const tables = new Map<Width, readonly bigint[]>();

/** The operands of a width, four for each tuple. */
export function operandsOf(width: Width): readonly bigint[] {
  const known = tables.get(width) ?? shuffled(tuplesOf(width)).flat();
  tables.set(width, known);
  return known;
}

/** All tables, as the kernels read them. */
export const tupleBytes = (): Uint8Array => {
  const bytes = new Uint8Array(tupleCount * slots * 14);
  for (const width of widths) bytes.set(bytesOfBits(operandsOf(width), width), tableOffset[width]);
  return bytes;
};
