/** Buffers that a program allocates. */
import { checkOptions, optionsOf } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import { type Buffer as BufferData, type Scope, scopes } from "../ir/types.ts";
import { type Buffer, BufferObject, extentOf, isBufferType } from "./buffers.ts";
import { ownFunction } from "./functions.ts";
import { describe, failGiven } from "./symbolic.ts";
import { currentTracing, failHere, spansHere } from "./tracing.ts";

const swizzles = ["xor", "32B", "64B", "128B"] as const;

/** How a buffer in shared memory is laid out, against bank conflicts. */
export interface AllocOptions {
  /** Elements put in after each row of the last dimension. */
  readonly padding?: number;
  /** How the 16-byte units of a row are permuted; "128B" is what TMA and wgmma share. */
  readonly swizzle?: "xor" | "32B" | "64B" | "128B";
}

const allocOptions = optionsOf<AllocOptions>("alloc()", { padding: true, swizzle: true });

function layoutOf(options: AllocOptions, scope: Scope): AllocOptions {
  const bad = (what: string, got: unknown, instead: string): never => failGiven(what, "what `alloc` knows", got, instead);
  checkOptions(options, allocOptions, { spans: spansHere, describe });
  const { padding, swizzle } = options;
  if (padding !== undefined && (!Number.isInteger(padding) || padding < 0))
    bad("`padding`", padding, "give a number of elements");
  if (swizzle !== undefined && !swizzles.includes(swizzle)) bad("`swizzle`", swizzle, `write one of ${swizzles.join(", ")}`);
  if ((padding || swizzle) && scope !== "shared")
    bad("the layout of a buffer outside shared memory", scope, 'leave `padding` and `swizzle` out, or let it be "shared"');
  return { ...(padding ? { padding } : {}), ...(swizzle ? { swizzle } : {}) };
}

function allocOf(dtype: DType, shape: readonly number[], scope: Scope = "global", options: AllocOptions = {}): BufferObject {
  const tracing = currentTracing("alloc(…)");
  if (tracing.frame.parent)
    failHere("W5514", {
      what: "alloc(…)",
      where: `it stands in ${tracing.frame.what}, and buffers belong to the whole program`,
      instead: "write it at the top of the program",
    });
  if (!isBufferType(dtype))
    failGiven("the first argument of alloc(…)", "the type of its elements", dtype, 'write `alloc("f32", [16, 16])`');
  if (!Array.isArray(shape) || shape.length === 0)
    failGiven("the shape of a buffer", "a list of extents", shape, 'write `alloc("f32", [16, 16])`');
  if (!scopes.includes(scope)) failGiven("where a buffer lives", "a scope", scope, `write one of ${scopes.join(", ")}`);
  const span = tracing.here();
  const data: BufferData = {
    name: span?.binds ?? `buffer${tracing.buffers.length}`,
    dtype,
    shape: shape.map((e) => extentOf(e, "an extent of a buffer")),
    scope,
    ...layoutOf(options, scope),
    span,
  };
  tracing.buffers.push(data);
  return new BufferObject(data);
}

/** A buffer of the program, at the top of its body; its name is that of the `const`. Scope: "global" where it is left out. W5508, W5514. */
export const alloc: <const D extends DType, const S extends readonly number[]>(
  dtype: D,
  shape: S,
  scope?: Scope,
  options?: AllocOptions,
  // In a program the type parameters are what the author has written; here they are values.
) => Buffer<D, S["length"]> = ownFunction(allocOf as never);
