import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Graph, printGraph, verify } from "../../../../src/ir/index.ts";
import { runPasses } from "../../../../src/passes/index.ts";
import { contract } from "../../../../src/passes/machine-level/contract.ts";
import { header } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";
import { ofProperty } from "../../../support/amount.ts";
import { interpret } from "../../../support/ir-interpreter.ts";

const traced = (text: string, type: "f32" | "f64" | "i32"): Graph =>
  traceSource(`${header}export const f = kernel({}, (a, b, c) => { ${text} });`, [type, type, type]).graph;
const allowed = (graph: Graph): Graph => ({ ...graph, contract: true });
const count = (graph: Graph, name: string): number => printGraph(graph).split(` = ${name} `).length - 1;

/** Sums, differences and products of a, b, c and whole numbers, no deeper than their values stay small. */
const { expression } = fc.letrec<{ leaf: string; expression: string }>((tie) => ({
  leaf: fc.constantFrom("a", "b", "c", "2"),
  expression: fc.oneof(
    { depthSize: "small", maxDepth: 2 },
    tie("leaf"),
    fc.tuple(tie("expression"), fc.constantFrom("+", "-", "*"), tie("expression")).map(([x, op, y]) => `(${x} ${op} ${y})`),
  ),
}));
const small = fc.integer({ min: -2, max: 2 });

describe("contract", () => {
  it("computes the same where nothing is rounded", () => {
    const check = fc.property(expression, expression, fc.tuple(small, small, small), (x, y, args) => {
      // f32 holds every number that comes up, so one rounding and two agree: what is compared is which operands meet, and how.
      const text = `const s = a + ${x}; let t = c; out(0, s); for (const i of range(3)) { t = s * ${y} - t; out(1, t); }`;
      const graph = traced(text, "f32");
      const before = interpret(graph, [0, ...args]);
      for (const changed of [contract(allowed(graph)), runPasses(allowed(graph), { verify: true })]) {
        verify(changed);
        expect(interpret(changed, [0, ...args]), printGraph(changed)).toBe(before);
      }
    });
    fc.assert(check, ofProperty(100, 6));
  });
  it("fuses only where it may", () => {
    const dot = "out(0, a * b + c); out(1, c - a * c);";
    expect(count(runPasses(allowed(traced(dot, "f64")), { verify: true }), "fma")).toBe(2);
    expect(count(runPasses(allowed(traced(dot, "f64")), { verify: true }), "mul")).toBe(0);
    expect(count(runPasses(traced(dot, "f64"), { verify: true }), "fma")).toBe(0);
    expect(count(runPasses(allowed(traced(dot, "i32")), { verify: true }), "fma")).toBe(0);
  });
  it("keeps the order of the operands", () => {
    const graph = runPasses(allowed(traced("out(0, a * b + c);", "f32")), { verify: true });
    expect(printGraph(graph)).toMatch(/fma %p0\.\d+, %p1\.\d+, %p2\.\d+ : f32/);
  });
});
