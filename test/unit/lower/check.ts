import { expect } from "vitest";
import type { Graph } from "../../../src/ir/index.ts";
import { lowerGraph } from "../../../src/lower/index.ts";
import { printPtx, validatePtx } from "../../../src/ptx/index.ts";
import { assemble } from "../../support/ptxas.ts";

/** Lowers, validates, prints and assembles: no error, nothing serialised, no spill. Gives the text. */
export function checkedPtx(graph: Graph): string {
  const module = lowerGraph(graph);
  expect(validatePtx(module)).toEqual([]);
  const text = printPtx(module);
  const assembled = assemble(text);
  if (assembled) {
    if (!assembled.ok) console.error(text);
    expect(assembled.log).not.toMatch(/error|fatal/i);
    expect({ ok: assembled.ok, warnings: assembled.warnings, spills: assembled.spills }).toEqual({
      ok: true,
      warnings: [],
      spills: 0,
    });
  }
  return text;
}
