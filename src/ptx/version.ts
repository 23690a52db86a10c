import { formSpec } from "./isa/index.ts";
import { versionOf as readVersion } from "./isa/read/versions.ts";
import type { Statement } from "./module.ts";

const isInteger = (type: string | undefined): boolean => type === "s8" || type === "u8";

/** Versions as the PTX ISA numbers them: 8.10 comes after 8.4. */
function later(a: string, b: string): string {
  const [[major = 0, minor = 0], [theirs = 0, their = 0]] = [a, b].map((v) => v.split(".").map(Number)) as [number[], number[]];
  return major < theirs || (major === theirs && minor < their) ? b : a;
}

/** The version that brought an instruction: products that mix s8 and u8 and products of warps on 8-bit floats came with 8.4, and of some forms the table says it. */
function versionOf(s: Statement): string {
  if (s.kind === "inlined") return readVersion(s.instruction.opcode.text);
  if (s.kind !== "instruction") return "8.0";
  const mixes = s.form.startsWith("wgmma.mma_async") && isInteger(s.modifiers.a) && s.modifiers.a !== s.modifiers.b;
  const small = s.form === "mma" && /^e\dm\d$/.test(s.modifiers.a ?? "");
  return mixes || small ? "8.4" : (formSpec(s.form).since ?? "8.0");
}

/** The least version of the PTX ISA that has every instruction of a body, for a target that takes `least`: 8.0 (CUDA 12.0) for most. */
export function leastVersion(body: readonly Statement[], least: string): string {
  const needed = new Set<string>();
  body.forEach((s) => {
    needed.add(versionOf(s));
  });
  return [...needed].reduce(later, later(least, "8.0"));
}
