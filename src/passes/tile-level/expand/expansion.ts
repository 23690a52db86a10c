import type { LaunchBounds, Op, SharedBuffer, TileOpName, Value } from "../../../ir/index.ts";
import { type ErrorCode, fail } from "../../errors.ts";
import type { Facts } from "../../facts/index.ts";
import type { IndexValue } from "./offset.ts";
import type { FragmentParts, Parts, RegisterOperand, SharedOperand, SharedParts, TensorParts, TileParts } from "./parts.ts";
import type { Scratch } from "./scratch.ts";
import type { Writer } from "./writer.ts";

/** A graph being taken apart. */
export interface Expansion {
  readonly w: Writer;
  /** What stands for each value of the tile level, by its id. */
  readonly parts: Map<number, Parts>;
  /** Values of the machine level that stand for results of ops of the tile level. */
  readonly names: Map<number, Value>;
  /** What is known of the values of the graph that is taken apart. */
  readonly facts: Facts;
  readonly launch: LaunchBounds;
  /** The buffers of the graph, and those that it needs from now on. */
  readonly shared: SharedBuffer[];
  /** Shared memory through which warps exchange elements of tiles. */
  readonly scratch: Scratch;
  /** Loops around what is being taken apart. */
  loops: number;
  /** Takes the ops of a region apart, into the region that is open. */
  readonly expandOps: (ops: readonly Op[]) => void;
}

/** Writes what stands for an op of the tile level. */
export type Expand<K extends TileOpName> = (x: Expansion, op: Op<K>) => void;

/** Throws the error of that code at the op that is being taken apart. */
export function refuse<K extends ErrorCode>(x: Expansion, code: K, args: Parameters<typeof fail<K>>[1]): never {
  return fail(code, args, x.w.spans());
}

export function partsOf(x: Expansion, value: Value): Parts {
  const parts = x.parts.get(value.id);
  if (!parts) throw new TypeError(`nothing stands for value ${value.id}`);
  return parts;
}

type Kinds = {
  shared: SharedParts;
  global: TensorParts;
  tile: TileParts;
  operand: SharedOperand;
  registers: RegisterOperand;
  fragment: FragmentParts;
};

function ofKind<K extends keyof Kinds>(x: Expansion, value: Value, ...kinds: readonly K[]): Kinds[K] {
  const parts = partsOf(x, value);
  if (!(kinds as readonly string[]).includes(parts.kind)) throw new TypeError(`value ${value.id} is ${parts.kind}`);
  return parts as Kinds[K];
}

export const viewOf = (x: Expansion, value: Value): SharedParts | TensorParts => ofKind(x, value, "shared", "global");
export const sharedOf = (x: Expansion, value: Value): SharedParts => ofKind(x, value, "shared");
export const tensorOf = (x: Expansion, value: Value): TensorParts => ofKind(x, value, "global");
export const tileOf = (x: Expansion, value: Value): TileParts => ofKind(x, value, "tile");
export const fragmentOf = (x: Expansion, value: Value): FragmentParts => ofKind(x, value, "fragment");
export const operandOf = (x: Expansion, value: Value): SharedOperand | RegisterOperand =>
  ofKind(x, value, "operand", "registers");

/** Says what stands for the op's only result. */
export function standFor(x: Expansion, op: { readonly results: readonly Value[] }, parts: Parts): void {
  const [result] = op.results;
  if (result) x.parts.set(result.id, parts);
}

/** Says which values stand for the op's results. */
export function giveResults(x: Expansion, op: { readonly results: readonly Value[] }, values: readonly Value[]): void {
  op.results.forEach((result, i) => {
    const value = values[i];
    if (value) x.names.set(result.id, value);
  });
}

/** An index: static where it is a literal. */
export const indexOf = (x: Expansion, value: Value): Value | number => x.w.literalOf(value) ?? value;

/** A part of a tensor that is known to reach over its edge; behind the end of a row comes the next one. W3011. */
export function checkInside(x: Expansion, dims: TensorParts["dims"], extents: readonly IndexValue[]): void {
  dims.forEach(({ begin, limit }, d) => {
    const extent = extents[d] ?? 1;
    if (begin.staged || typeof limit !== "number" || typeof extent !== "number") return;
    if (begin.fixed >= 0 && begin.fixed + extent <= limit) return;
    const last = begin.fixed + extent - 1;
    refuse(x, "W3011", { start: String(begin.fixed), end: String(last), extent: limit, dimension: d, what: "this tensor" });
  });
}
