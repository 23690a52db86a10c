import type { Statement } from "./module.ts";

const isInteger = (type: string | undefined): boolean => type === "s8" || type === "u8";

/** The least version of the PTX ISA that has every form of a body: 8.0 (CUDA 12.0), or 8.4 where a product mixes s8 and u8. */
export function leastVersion(body: readonly Statement[]): string {
  const mixes = (s: Statement): boolean =>
    s.kind === "instruction" &&
    s.form.startsWith("wgmma.mma_async") &&
    isInteger(s.modifiers.a) &&
    s.modifiers.a !== s.modifiers.b;
  return body.some(mixes) ? "8.4" : "8.0";
}
