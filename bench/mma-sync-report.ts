import type { PlanRecord } from "./mma-sync-measure.ts";
import type { Variant } from "./mma-sync-plans.ts";
import { table } from "./report.ts";

/** Prints a table of one variant at one size, the fastest first. */
export function report({ name }: Pick<Variant, "name">, size: number, records: readonly PlanRecord[]): void {
  const ranked = records.toSorted((x, y) => (x.us ?? Number.POSITIVE_INFINITY) - (y.us ?? Number.POSITIVE_INFINITY));
  const rows = ranked.map(({ plan, us, tflops, ofLt, correct, skipped }) => [
    ...[`  ${plan}`, us?.toFixed(2) ?? "–", tflops?.toFixed(0) ?? "–", ofLt?.toFixed(3) ?? "–"],
    skipped ?? (correct ? "correct" : "WRONG"),
  ]);
  console.log(`${table([`${size}³ ${name}`, "µs", "TFLOP/s", "× Lt", ""], rows)}\n`);
}
