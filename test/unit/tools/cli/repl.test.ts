import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { completions } from "../../../../src/tools/cli/repl/completions.ts";
import { isUnfinished, readEntry, withParentheses } from "../../../../src/tools/cli/repl/read-entry.ts";
import { repl } from "../../../../src/tools/cli/repl/repl.ts";
import { Session } from "../../../../src/tools/cli/repl/session.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-repl-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  vi.stubEnv("WARPSMITH_DEVICE", "emulator");
  return () => vi.unstubAllEnvs();
});

/** What a session prints, and whether all went well. */
async function typed(...lines: readonly string[]): Promise<{ readonly out: string; readonly well: boolean }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let out = "";
  output.on("data", (chunk) => {
    out += String(chunk);
  });
  input.end(lines.map((line) => `${line}\n`).join(""));
  const well = await repl(undefined, { input, output, isTerminal: false });
  return { out, well };
}

const scale = [
  "const scale = kernel({ block: 32, grid: 1 }, function scale(x: Tensor<'f32', 1>, by: f32) {",
  "  x[threadIdx.x] = twice(x[threadIdx.x] * by) + offset;",
  "});",
];
const twice = "function twice(v: number) { 'use kernel'; return v + v; }";

describe("warpsmith repl", () => {
  it("runs kernels that are typed in, with helpers and constants of earlier entries", async () => {
    const { out, well } = await typed(
      "const offset = 5;",
      twice,
      ...scale,
      "using x = gpu.tensor('f32', [32], Array.from({ length: 32 }, (_, i) => i));",
      "scale.launch({}, x, 3);",
      "const after = await x.read();",
      "[after[0], after[7]]",
    );
    expect(out).toBe("[ 5, 47 ]\n");
    expect(well).toBe(true);
  });

  it("shows a text of several lines as it is", async () => {
    const { out } = await typed("'one'", "'a\\nb'");
    expect(out).toBe("'one'\na\nb\n");
  });
  it("keeps what a kernel meant when one of its constants is declared anew", async () => {
    const { out } = await typed(
      "const offset = 5;",
      twice,
      ...scale,
      "const offset = 100;",
      "using x = gpu.zeros('f32', [32]);",
      "scale.launch({}, x, 3);",
      "(await x.read())[0] + offset",
    );
    expect(out).toBe("105\n");
  });

  it("keeps names, types and the last value, and changes variables", async () => {
    const { out, well } = await typed(
      "let n = 1, { m } = { m: 2 };",
      "const add = () => (n += m);",
      "add(); n = n * 10",
      "_ + 1",
      "interface Point { x: number }",
      "const p: Point = { x: 4 };",
      "{ x: p.x, n }",
      "enum Side { Left = 7 }",
      "Side.Left",
      "class Box { constructor(readonly v: number) {} }",
      "new Box(3).v",
      "let n = 'new';",
      "n",
    );
    expect(out).toBe("30\n31\n{ x: 4, n: 30 }\n7\n3\n'new'\n");
    expect(well).toBe(true);
  });

  it("waits for `await`, and imports from the working directory", async () => {
    writeFileSync(join(folder, "lib.mjs"), "export const seven = 7; export default 8;");
    const { out } = await typed(
      `import eight, { seven as s } from ${JSON.stringify(join(folder, "lib.mjs"))};`,
      "s + eight",
      "import { basename } from 'node:path'",
      "basename('/a/b')",
      `(await import(${JSON.stringify(join(folder, "lib.mjs"))})).seven`,
      "await Promise.resolve(9)",
    );
    expect(out).toBe("15\n'b'\n7\n9\n");
  });

  it("tells what is wrong at the author's place, and goes on", async () => {
    const { out, well } = await typed(
      "const far = kernel({ block: 32, grid: 1 }, function far(x: Tensor<'f32', 1>) {",
      "  x[threadIdx.x] = x[0] + someText;",
      "});",
      "const someText = {};",
      "nothing.at.all",
      "const bad = kernel({ block: 32, grid: 1 },",
      "  function bad(x: Tensor<'f32', 1>) { x[threadIdx.x] = ptx('mad.low.u32 $0, 1, 2, 3;', { out: 'f32' }); });",
      "bad.compile(tensorSpec('f32', [32]))",
      "let a = ;",
      "1 + 1",
    );
    expect(out).toContain("ReferenceError: nothing is not defined\n    at <repl 3>:1:1\n");
    expect(out).toMatch(/W9801 .*\n {2}<repl 4>:2:61\n.*\n {4}\| {61}\^{11}\n/);
    expect(out).toContain("W1001  TypeScript cannot read this file: Expression expected.\n  <repl 6>:1:9\n");
    expect(out.endsWith("2\n")).toBe(true);
    expect(well).toBe(false);
  });

  it("refuses a kernel that reads what another entry may change", async () => {
    const { out } = await typed(
      "let count = 1",
      "const k = kernel({ block: 32 }, function k(x: Tensor<'i32', 1>) { x[0] = count; });",
    );
    expect(out).toMatch(/^W1009 {2}`count` .*\n {2}<repl 2>:1:74\n/);
  });

  it("says what is not finished when the input ends", async () => {
    const { out, well } = await typed("const q = (");
    expect(out).toMatch(/^W1001 .*\n {2}<repl 1>:1:12\n/);
    expect(well).toBe(false);
  });

  it("has commands: PTX, stages, files", async () => {
    const [file, saved] = [join(folder, "load.ts"), join(folder, "saved.ts")];
    writeFileSync(file, `export const offset = 1;\n${twice}\n${scale.join("\n")}\n`);
    const { out, well } = await typed(
      `.load ${file}`,
      ".ptx scale(tensorSpec('f32', [32]), 2)",
      "using x = gpu.zeros('f32', [32]); scale.launch({}, x, 3);",
      ".stages scale",
      `.save ${saved}`,
      ".exit",
      "never(",
    );
    expect(out).toContain(".visible .entry scale(");
    expect(out).toContain("; ==== trace\n");
    expect(out).toContain(`2 entries in ${saved}\n`);
    expect(readFileSync(saved, "utf8")).toBe(
      `${readFileSync(file, "utf8")}using x = gpu.zeros('f32', [32]); scale.launch({}, x, 3);\n`,
    );
    expect(well, out).toBe(true);
  });

  it("tells of a promise that nobody waited for", async () => {
    const { out, well } = await typed("const late = () => Promise.reject(new Error('late'));", "  late(); 1", "2");
    expect(
      out
        .split("\n")
        .filter((line) => !line.startsWith("    at async"))
        .toSorted(),
    ).toEqual(["", "    at <repl 2>:1:3", "    at late (<repl 1>:1:35)", "1", "2", "Error: late"].toSorted());
    expect(well).toBe(false);
  });

  it("refuses a device that there is not", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    await expect(repl("nonsense", { input, output, isTerminal: false })).rejects.toThrow(/^W7022/);
  });

  it("gives up an entry at .break, and says of what is no kernel that it is none", async () => {
    const { out } = await typed("const q = (", ".break", "2", ".ptx q");
    expect(out).toMatch(/^2\nError: q is no kernel/);
  });
});

describe("an entry", () => {
  it.each(["f(", "`a", "/* a", "if (x) {", "const a =", "x.\n", "kernel({ block: 1 },"])("goes on: %s", (text) => {
    expect(isUnfinished(text)).toBe(true);
  });
  it.each(["f()", "'a", "let a = ;", "a b", "", "{ a: 1 }", "if (x) {}"])("does not: %s", (text) => {
    expect(isUnfinished(text)).toBe(false);
  });

  it("is an expression where it may be one", () => {
    expect(withParentheses("{ a: 1, b }")).toBe("({ a: 1, b })\n");
    expect(withParentheses("{ const a = 1; f(a) }")).toBe("{ const a = 1; f(a) }");
  });

  it("stays where it is, without what a module alone has", () => {
    const { text, names } = readEntry("export const a = 1;\nawait using d = open();\nexport default function f() {}");
    expect(text).toBe("       const a = 1;\nconst       d = open();\n               function f() {}");
    expect([...names]).toEqual([
      ["a", "const"],
      ["d", "const"],
      ["f", "const"],
    ]);
  });

  it("is completed by names of the session, of the package and of objects", async () => {
    const session = new Session();
    await session.run("const kernels = { one: 1, get two() { throw new Error('run'); } };");
    expect(completions("f(kern", session)).toEqual([["kernel", "kernels"], "kern"]);
    expect(completions("kernels.", session)).toEqual([["kernels.one", "kernels.two"], "kernels."]);
    expect(completions("kernels.two.x", session)).toEqual([[], "kernels.two.x"]);
  });
});
