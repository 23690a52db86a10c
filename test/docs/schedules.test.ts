/** docs/schedules.md names everything that a reader can write there. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { builtInIntrinsics } from "../../src/schedule/intrinsics/index.ts";
import { scopes } from "../../src/schedule/ir/types.ts";
import { knownOptions } from "../../src/schedule/pipeline/options.ts";
import { knownWgmmaOptions } from "../../src/schedule/pipeline/wgmma/options.ts";
import { Schedule } from "../../src/schedule/schedule.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/schedules.md"), "utf8");
/** What stands in code in the first cells of the tables between two headings. */
const rowsIn = (from: string, to: string): readonly string[] => {
  const [start, end] = [page.indexOf(`\n${from}\n`), page.indexOf(`\n${to}\n`)];
  expect(start, from).toBeGreaterThan(0);
  expect(end, to).toBeGreaterThan(start);
  const cells = page.slice(start, end).matchAll(/^\| (.*?) \|/gm);
  return [...cells].flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));
};

it("has a row for each public method of Schedule", () => {
  const given = [...Object.getOwnPropertyNames(Schedule.prototype).filter((name) => name !== "constructor"), "replay"];
  const named = new Set(
    rowsIn("## Steps", "### What steps do to buffers").map((code) => code.replace(/^Schedule\./, "").split("(")[0]),
  );
  expect(given.length).toBeGreaterThan(40);
  expect(given.filter((name) => !named.has(name))).toEqual([]);
  expect([...named].filter((name) => !given.includes(name ?? ""))).toEqual([]);
});

it("has a row for each scope", () => {
  const named = rowsIn("### Buffers of a program's own", "## What may stand in a program");
  expect(scopes.filter((scope) => !named.includes(`"${scope}"`))).toEqual([]);
});

it("has a row for each option of a pipeline", () => {
  const inOrder = ["## A pipeline for the tensor cores", "### Products of warpgroups", "### How fast"] as const;
  const missing = [knownOptions, knownWgmmaOptions].map(({ names }, n) => {
    const named = rowsIn(inOrder[n] ?? "", inOrder[n + 1] ?? "");
    return [...names].filter((option) => !named.includes(option) && !(n === 1 && option === "instruction"));
  });
  expect(missing).toEqual([[], []]);
});

it("has a row for each intrinsic and each family of them", () => {
  const named = new Set(rowsIn("### Intrinsics", "### Roles"));
  // What ends a name says how it differs from the one without; `mma_…` are named as `wmma_…` are.
  const stem = (name: string): string =>
    name.replace(/(?:_(?:row|col|global|shared|f16|bf16|i8|tf32))+$/, "").replace(/^mma_/, "wmma_");
  expect(builtInIntrinsics.length).toBeGreaterThan(100);
  expect(builtInIntrinsics.filter((name) => !named.has(stem(name)))).toEqual([]);
  const folder = join(root, "src/schedule/intrinsics");
  const families = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/^ {2}names: "(.*)",$/gm)].map(([, names = ""]) => names),
  );
  expect(families.length).toBeGreaterThan(5);
  expect(families.filter((names) => !named.has(names))).toEqual([]);
});
