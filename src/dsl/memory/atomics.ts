import type { DType } from "../../base/types.ts";
import { fail } from "../errors/index.ts";
import { describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import type { AtomicOp, Scope } from "./types.ts";

export type PtxScope = "cta" | "cluster" | "gpu" | "sys";

const scopes: Readonly<Record<Scope, PtxScope>> = { block: "cta", cluster: "cluster", gpu: "gpu", system: "sys" };

/** A scope as PTX spells it. */
export function scopeOf(trace: Trace, scope: Scope): PtxScope {
  if (!Object.hasOwn(scopes, scope))
    fail("W3025", { what: "a scope", given: describe(scope), allowed: '"block", "cluster", "gpu" or "system"' }, trace.spans());
  return scopes[scope];
}

/** Who else can reach it. */
export const usualScope = { global: "gpu", shared: "block", cluster: "cluster" } as const;

const wide: readonly DType[] = ["i32", "u32", "i64", "u64"];

/** Which atomics the hardware has. PTX ISA 9.7.13.5. */
const types: Readonly<Record<AtomicOp, readonly DType[]>> = {
  add: [...wide, "f16", "bf16", "f32", "f64"],
  min: [...wide, "f32", "f64"],
  max: [...wide, "f32", "f64"],
  and: wide,
  or: wide,
  xor: wide,
  exch: [...wide, "f32", "f64"],
};

/** `name`: what the author called it, where that is not the operation of PTX. W3020. */
export function checkAtomic(trace: Trace, op: AtomicOp, dtype: DType, name: string = op): void {
  if (!Object.hasOwn(types, op) || !types[op].includes(dtype)) fail("W3020", { op: name, dtype }, trace.spans());
}

/** An atomic that gives nothing. W3020. */
export function checkReduction(trace: Trace, op: AtomicOp, dtype: DType): void {
  if (op === "exch") failHere("W3020", { op: "exch without the old value", dtype });
  checkAtomic(trace, op, dtype);
}

/** What is done with neighbours of 16 bits; of f32 there are sums alone. */
const ofHalves = { add: true, min: true, max: true } as const;

/** Which neighbours the hardware combines at once. PTX ISA 9.7.13.6. W3037. */
export function checkCombined(op: AtomicOp, dtype: DType, count: number, space: string): void {
  const half = dtype === "f16" || dtype === "bf16";
  const has = half ? Object.hasOwn(ofHalves, op) : dtype === "f32" && op === "add";
  const counts = half ? [2, 4, 8] : [2, 4];
  if (space !== "global" || !has || !counts.includes(count)) failHere("W3037", { op: String(op), count, dtype });
}
