import { describe, expect, test } from "vitest";
import { walkOps } from "../../../../src/ir/index.ts";
import { header } from "../../../dsl/differential.ts";
import { traceSource } from "../../../dsl/trace-source.ts";

const trace = (body: string, types: readonly ("i32" | "f32")[] = ["i32"]) =>
  traceSource(`${header}export const f = kernel({}, ${body});`, types).graph;
function ops(body: string, name: string) {
  const graph = trace(body);
  const found: { results: readonly unknown[] }[] = [];
  walkOps(graph.body, (op) => {
    if (op.name === name) found.push(op);
  });
  return found;
}

describe("what stays out of the graph", () => {
  test("a loop carries only what changes", () => {
    const body =
      "let a = 1, b = i32(2), d = 0; const o = { c: i32(3) }; for (const i of range(n)) { if (false) a = 2; if (i < 0) b = b; d += o.c; }";
    expect(ops(`(n) => { ${body} out(1, a); out(2, b + d); }`, "for")[0]?.results.length).toBe(1);
  });
  test("a static value that nothing changes is static again after the loop", () => {
    expect(ops("(n) => { let a = 1; for (const i of range(n)) { a = a; out(0, i); } if (a === 1) out(1, 5); }", "if")).toEqual(
      [],
    );
  });
  test("branches that leave the same static value keep it static", () => {
    expect(ops("(n) => { let a = 1; if (n > 1) { a = 2; out(0, n); } else a = 2; if (a === 2) out(1, a); }", "if").length).toBe(
      1,
    );
  });
  test("a static condition traces only its side", () => {
    expect(ops("(n) => { const c = 3; if (c > 2) out(0, n); else out(1, n); }", "st.global").length).toBe(1);
  });
  test("&& of two comparisons is one op", () => {
    expect(ops("(n) => { out(0, n > 1 && n < 5); }", "if")).toEqual([]);
    expect(ops("(n) => { out(0, n > 1 && n < 5); }", "and").length).toBe(1);
  });
  test("a kernel's early return is an exit, and what follows needs no flag", () => {
    const graph = trace("(n) => { if (n > 2) return; out(0, n); }");
    expect(graph.body.ops.map((op) => op.name)).toEqual(["const", "cmp", "if", "st.global", "exit"]);
  });
  test("a range loop without break is a for", () => {
    expect(ops("(n) => { for (const i of range(n)) { if (i > 2) continue; out(0, i); } }", "while")).toEqual([]);
    expect(ops("(n) => { for (const i of range(n)) { if (i > 2) break; out(0, i); } }", "for")).toEqual([]);
  });
});

test("an error inside a loop leaves nothing behind for the next trace", () => {
  expect(() => trace("(n) => { for (const i of range(n)) out(0, i + 0.5); }")).toThrow("W2004");
  expect(trace("(n) => { out(0, n); }").body.ops.length).toBe(2);
});

test("an op knows its source location and each call on the way in", () => {
  const graph = trace("(n) => {\n  const g = (a) => a + 1;\n  out(0, g(n));\n}");
  const add = graph.body.ops.find((op) => op.name === "add");
  expect(add?.spans.map((s) => s.line)).toEqual([3, 4]);
});
