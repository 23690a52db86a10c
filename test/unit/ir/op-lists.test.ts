import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { opNames } from "../../../src/ir/index.ts";

const src = join(import.meta.dirname, "../../../src");
const names: ReadonlySet<string> = new Set(opNames);

const allNames = (text: string): boolean => [...text.matchAll(/"([^"\n]*)"/g)].every(([, name]) => names.has(name ?? ""));

/**
 * Lists of names of ops: an array that begins with two or more of them, or three or more that one name is compared with. What they have
 * in common is a fact about these ops, which a new op would miss: a trait in the table (src/ir/ops/define-ops.ts). Tables of rules have
 * the names as keys, and are no such lists.
 */
function opLists(text: string): readonly { readonly list: string; readonly line: number }[] {
  const arrays = /\[\s*"[^"\n]*"(?:\s*,\s*"[^"\n]*")+/g;
  const either = /\b([\w.]*name) === "[^"\n]*"(?:\s*\|\|\s*\1 === "[^"\n]*"){2,}/g;
  const neither = /\b([\w.]*name) !== "[^"\n]*"(?:\s*&&\s*\1 !== "[^"\n]*"){2,}/g;
  return [arrays, either, neither]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(([list]) => allNames(list))
    .map(({ 0: list, index }) => ({ list, line: text.slice(0, index).split("\n").length }));
}

describe("lists of names of ops", () => {
  it.each([
    'new Set<OpName>(["div", "rem", ...opNames.filter(more)])',
    'const none: readonly string[] = [\n  "select",\n  "cmp",\n];',
    'if (a === b && (op.name === "and" || op.name === "or" || op.name === "min")) return a;',
    'if (name !== "add" && name !== "sub" &&\n name !== "mul") return;',
  ])("are found: %s", (text) => {
    expect(opLists(text)).toHaveLength(1);
  });

  it.each([
    'const rules = { add: rule, sub: rule, "mul.hi": rule } satisfies { [K in OpName]: Rule<K> };',
    'op.name === "shl" || op.name === "mul"',
    'const atomics = ["add", "min", "inc"];',
    'f(op.operands["a"], ["x", "y"])',
    'one.name === "add" || other.name === "add" || another.name === "add"',
  ])("are not: %s", (text) => {
    expect(opLists(text)).toEqual([]);
  });

  const rooms = ["ir", "passes", "lower", "dsl"];
  const files = rooms.flatMap((room) =>
    readdirSync(join(src, room), { recursive: true, encoding: "utf8" })
      .map((file) => join(room, file))
      .filter((file) => file.endsWith(".ts") && !file.startsWith(join("ir", "ops"))),
  );
  it("stand in the op table and nowhere else", () => {
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((file) =>
      opLists(readFileSync(join(src, file), "utf8")).map(({ list, line }) => `src/${file}:${line} ${list}`),
    );
    expect(found).toEqual([]);
  });
});
