import { versionOf } from "./isa/read/versions.ts";
import type { Statement } from "./module.ts";

const isInteger = (type: string | undefined): boolean => type === "s8" || type === "u8";

/** Versions as the PTX ISA numbers them: 8.10 comes after 8.4. */
function later(a: string, b: string): string {
  const [[major = 0, minor = 0], [theirs = 0, their = 0]] = [a, b].map((v) => v.split(".").map(Number)) as [number[], number[]];
  return major < theirs || (major === theirs && minor < their) ? b : a;
}

/**
 * The least version of the PTX ISA that has every form of a body, for a target that takes `least`. All forms that we write are in 8.0 (CUDA
 * 12.0), but for products of warpgroups that mix s8 and u8, and products of warps on 8-bit floats, which came with 8.4; what the author writes
 * may need another one.
 */
export function leastVersion(body: readonly Statement[], least: string): string {
  const mixes = (s: Statement): boolean =>
    s.kind === "instruction" &&
    s.form.startsWith("wgmma.mma_async") &&
    isInteger(s.modifiers.a) &&
    s.modifiers.a !== s.modifiers.b;
  const small = (s: Statement): boolean => s.kind === "instruction" && s.form === "mma" && /^e\dm\d$/.test(s.modifiers.a ?? "");
  const own = body.map((s) => (s.kind === "inlined" ? versionOf(s.instruction.opcode.text) : "8.0"));
  return [...own, body.some((s) => mixes(s) || small(s)) ? "8.4" : "8.0"].reduce(later, least);
}
