import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../src/base/diag/index.ts";
import { kernel, range, staticRange, tensorSpec } from "../../../src/index.ts";
import { innermostOp, type Op, type Region, withParts } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { runModule } from "../../dsl/trace-source.ts";
import type { ErrorCode } from "../../support/all-errors.ts";
import { rotating } from "../../support/amount.ts";

const head = 'import { kernel, range, staticRange, type Tensor } from "warpsmith";\n';

/** Compiles a kernel of that body, whose first line is line 3; an error that is not the package's own passes. */
function compile(body: string, env: Readonly<Record<string, unknown>> = {}): string | WarpsmithError {
  const text = `${head}export const f = kernel({ block: 32 }, function f(x: Tensor<"i32", 1>) {\n${body}\n});\n`;
  try {
    const { f } = runModule(text, { kernel, range, staticRange, ...env }, ["f"]) as unknown as {
      f: { compile(x: unknown): { readonly ptx: string } };
    };
    return f.compile(tensorSpec("i32", [1024])).ptx;
  } catch (error) {
    if (error instanceof WarpsmithError) return error;
    throw error;
  }
}

const times = (n: number, part: (i: number) => string, between = ""): string =>
  Array.from({ length: n }, (_, i) => part(i)).join(between);

/** Texts that nest n deep, each in its own way. */
const shapes: Readonly<Record<string, (n: number) => string>> = {
  "cases of a switch": (n) => `switch (x[0]) {\n${times(n, (i) => `case ${i}: x[1] = ${i}; break;\n`)}}`,
  "an `if` in an `if`": (n) => `${times(n, (i) => `if (x[${i}] > ${i}) {\n`)} x[0] = 1; ${"}".repeat(n)}`,
  "else if": (n) => `${times(n, (i) => `if (x[${i}] > ${i}) x[${i}] = ${i}; else\n`)} x[0] = 1;`,
  terms: (n) => `x[0] = ${times(n, (i) => `x[${i % 1024}]`, " +\n")};`,
  "conditions joined by &&": (n) => `if (${times(n, (i) => `x[${i % 1024}] > 3`, " &&\n")}) x[0] = 1;`,
  "conditional expressions": (n) => `x[0] = ${times(n, (i) => `x[${i % 1024}] > 3 ? ${i} :\n`)} 7;`,
  parentheses: (n) => `x[0] = ${"(".repeat(n)}x[1]${" + 1)".repeat(n)};`,
  "an arrow in an arrow": (n) => `x[0] = ${"(() => ".repeat(n)}x[1]${")()".repeat(n)};`,
  "a loop in a loop": (n) => `${times(n, (i) => `for (const i${i} of range(x[${i % 1024}])) {\n`)} x[0] = 1; ${"}".repeat(n)}`,
};

const deep: readonly ErrorCode[] = ["W2054", "W2055", "W2057"];

describe.each(Object.entries(shapes))("%s", (_, shape) => {
  it("as deep as a person writes are compiled", () => {
    expect(compile(shape(60))).toMatch(/^\.version/);
  });
  it("1500 of them are refused, with the line", rotating, () => {
    const error = compile(shape(1500));
    expect(error).toBeInstanceOf(WarpsmithError);
    const { code, spans, message } = error as WarpsmithError;
    expect(deep).toContain(code);
    expect(spans[0]?.file).toBe("kernel.ts");
    expect(spans[0]?.line).toBeGreaterThanOrEqual(2);
    expect(Math.max(...message.split("\n").map((line) => line.length))).toBeLessThan(400);
  });
});

it("a function of the host that calls itself without an end is refused where the kernel calls it", () => {
  const forever = (n: number): number => forever(n + 1) + 1;
  const error = compile("x[0] = 1;\nx[1] = forever(1);", { forever });
  expect(error).toBeInstanceOf(WarpsmithError);
  expect((error as WarpsmithError).code).toBe("W2055");
  expect((error as WarpsmithError).spans[0]?.line).toBe(4);
});

it("the innermost op of a graph is found however deep it is", () => {
  const graph = parseGraph(
    'kernel @k(scalar "p" %0: pred) block(1, 1, 1) cluster(1, 1, 1) {\n  if %0 yes {\n    trap\n    yield\n  } no {\n    yield\n  }\n  exit\n}',
  );
  const branch = graph.body.ops[0] as Op;
  const [yes, no] = branch.regions as [Region, Region];
  let body = yes;
  for (let i = 0; i < 100_000; i++) body = { params: [], ops: [withParts(branch, { regions: [body, no] })] };
  expect(innermostOp({ ...graph, body })?.name).toBe("trap");
});

it("nothing spreads a list of a program's length over the arguments of a call, where JavaScript's stack ends", () => {
  const src = join(import.meta.dirname, "../../../src");
  const spread = /\.(push|unshift)\((?:\w+, )?\.\.\.[a-z]/;
  // Lists that are as long as a number of ours says: kernels that are ready, and what one loop carries or one branch holds.
  const bounded = /^(kernel\/ready-launches|kernels\/common\/ready|dsl\/control\/region)\.ts$/;
  const found = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !bounded.test(file))
    .flatMap((file) =>
      readFileSync(join(src, file), "utf8")
        .split("\n")
        .filter((line) => spread.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
