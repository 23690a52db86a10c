import type { Remark } from "../diag/index.ts";

/** Remarks that were printed, by their code and place. */
const printed = new Set<string>();

/** Prints a remark to stderr, unless this process has printed that one of that place before. */
export function printOnce(remark: Remark): void {
  const [at] = remark.spans;
  const key = `${remark.code} ${at?.file}:${at?.line}:${at?.column}`;
  if (printed.has(key)) return;
  printed.add(key);
  console.error(String(remark));
}
