import type { Statement } from "./module.ts";

const isInteger = (type: string | undefined): boolean => type === "s8" || type === "u8";

/** Versions as the PTX ISA numbers them: 8.10 comes after 8.4. */
function later(a: string, b: string): string {
  const [[major = 0, minor = 0], [theirs = 0, their = 0]] = [a, b].map((v) => v.split(".").map(Number)) as [number[], number[]];
  return major < theirs || (major === theirs && minor < their) ? b : a;
}

/**
 * The least version of the PTX ISA that has every form of a body, for a target that takes `least`. All forms are in 8.0 (CUDA 12.0), but
 * for sparse products, which came with 8.2, and for products of warpgroups that mix s8 and u8, and products of warps on 8-bit floats, which came with 8.4.
 */
export function leastVersion(body: readonly Statement[], least: string): string {
  const mixes = (s: Statement): boolean =>
    s.kind === "instruction" &&
    s.form.startsWith("wgmma.mma_async") &&
    isInteger(s.modifiers.a) &&
    s.modifiers.a !== s.modifiers.b;
  const small = (s: Statement): boolean => s.kind === "instruction" && s.form === "mma" && /^e\dm\d$/.test(s.modifiers.a ?? "");
  const sparse = body.some((s) => s.kind === "instruction" && s.form === "wgmma.mma_async.sp");
  return later(later(least, sparse ? "8.2" : "8.0"), body.some((s) => mixes(s) || small(s)) ? "8.4" : "8.0");
}
