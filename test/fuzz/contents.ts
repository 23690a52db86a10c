/** What the tensors of a program hold before it runs: small numbers, edges of the type and random ones, by seed and name. */
import { edgeFloats, edgeInts, limits, roundings } from "../cases/numbers.ts";
import type { Scalar } from "./arithmetic.ts";
import type { Contents } from "./oracle.ts";
import {
  type FloatType,
  type IntType,
  isFloatType,
  isWideType,
  type Memory,
  type Program,
  product,
  type Type,
} from "./program.ts";
import { createRandom, type Random, seedOf } from "./random.ts";

function randomInteger(random: Random, type: IntType): number | bigint {
  const [low, high] = limits[type];
  const clamp = (x: bigint): bigint => (x < low ? low : x > high ? high : x);
  const word = (): bigint => BigInt(random.below(2 ** 32));
  const value = {
    small: () => clamp(BigInt(random.between(-20, 40))),
    edge: () => random.pick(edgeInts(type)),
    any: () => low + (((word() << 32n) | word()) % (high - low + 1n)),
  }[random.weighted({ small: 5, edge: 2, any: 3 })]();
  return isWideType(type) ? value : Number(value);
}

function randomFloat(random: Random, type: FloatType): number {
  const value = {
    small: () => random.between(-64, 64) / 8,
    edge: () => random.pick(edgeFloats(type)),
    unit: () => (random.below(2 ** 32) / 2 ** 31 - 1) * 2 ** random.between(-3, 6),
    any: () => (random.below(2 ** 32) / 2 ** 31 - 1) * 2 ** random.between(-30, 30),
  }[random.weighted({ small: 5, edge: 2, unit: 4, any: 1 })]();
  return roundings[type](value);
}

export function randomScalar(random: Random, type: Type): Scalar {
  if (type === "bool") return random.chance(0.5);
  return isFloatType(type) ? randomFloat(random, type) : randomInteger(random, type);
}

const contentsOf = (seed: number, { name, type, shape }: Memory): readonly Scalar[] => {
  const random = createRandom(seedOf(seed, name));
  return Array.from({ length: product(shape) }, () => randomScalar(random, type));
};

export const contentsBefore = (program: Program): Contents =>
  Object.fromEntries(program.memories.filter((m) => m.kind !== "shared").map((m) => [m.name, contentsOf(program.seed, m)]));
