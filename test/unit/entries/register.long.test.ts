import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, build, writeProject } from "../transform/built.ts";

const project = {
  "main.ts": `import { twice, Level } from "./lib.js";
import type { Missing } from "./nowhere.js";
const logged = (f: (n: number) => number, _context: unknown) => (n: number) => f(n) + 100;
class Tool { @logged static run(n: number): number { return n; } }
const resource = { [Symbol.asyncDispose]: async () => console.log("disposed") };
{
  await using held = resource;
  console.log(twice(21), Level.High, Tool.run(5), held === resource);
}
export type T = Missing;
`,
  "lib.ts": `import { kernel } from "warpsmith";

export enum Level { Low = 3, High }

function double(n: number): number {
  "use kernel";
  // a comment
  return n * 2;
}
export const twice = kernel({}, (n: number) => double(n));
`,
  "fails.ts": `import { kernel } from "warpsmith";
interface Shape { n: number }

const bad = kernel({}, function bad(shape: Shape) {
  const half = shape.n;
  if (half) {
    throw new Error("from the kernel " + half);
  }
});
bad({ n: 1 });
`,
  "refused.ts": `import { kernel } from "warpsmith";
export const k = kernel({}, (n) => {
  try { n(); } finally { n(); }
});
`,
};

let built: Built;
let folder: string;
let cache: string;

beforeAll(() => {
  built = build();
  folder = writeProject(project);
  cache = join(folder, "cache");
});

afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true, force: true });
});

const run = (file: string, where: string = cache) =>
  spawnSync(process.execPath, ["--import", built.url("entries/register.js"), file], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, WARPSMITH_CACHE: where, NODE_OPTIONS: "" },
  });

const expected = "42 4 105 true\ndisposed\n";

test("runs a project in TypeScript: enums, decorators, await using, ./x.js for x.ts", () => {
  const { stdout, stderr } = run("main.ts");
  expect(stderr).toBe("");
  expect(stdout).toBe(expected);
});

test("an error in a kernel shows the author's line", () => {
  const { stderr } = run("fails.ts");
  expect(stderr).toContain("from the kernel 1");
  expect(stderr).toMatch(/fails\.ts:7:11/);
  expect(stderr).toMatch(/fails\.ts:10:1/);
});

test("what a kernel may not say is refused with the line under a caret", () => {
  const { stderr, status } = run("refused.ts");
  expect(status).not.toBe(0);
  expect(stderr).toContain("W1004");
  expect(stderr).toContain("refused.ts:3:3");
  expect(stderr).toContain("3 |   try { n(); } finally { n(); }");
});

test("a damaged entry of the cache is made anew", () => {
  run("main.ts");
  const entries = readdirSync(join(cache, "transform")).filter((entry) => !entry.startsWith("."));
  expect(entries.length).toBeGreaterThanOrEqual(2);
  expect(entries.filter((entry) => entry.endsWith(".tmp"))).toEqual([]);
  for (const entry of entries) {
    const file = join(cache, "transform", entry);
    writeFileSync(file, readFileSync(file, "latin1").replace("born", "torn").slice(0, -10), "latin1");
  }
  expect(run("main.ts").stdout).toBe(expected);
});

test("a cache that cannot be used is one warning, and all goes on", () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "");
  const { stdout, stderr, status } = run("main.ts", blocked);
  expect({ stdout, status }).toEqual({ stdout: expected, status: 0 });
  expect(stderr.match(/WarpsmithWarning: the cache in .*blocked cannot be used: E/g) ?? stderr).toHaveLength(1);
});

test("what is cached needs neither ts-morph nor TypeScript; what is new does", () => {
  run("main.ts");
  built.poisonDependencies();
  const { stdout, stderr } = run("main.ts");
  expect(stderr).toBe("");
  expect(stdout).toBe(expected);
  writeFileSync(join(folder, "lib.ts"), project["lib.ts"].replace("n * 2", "n * 3"));
  // Node 20 does not always print why its loading thread failed; that it failed is always told.
  const changed = run("main.ts");
  expect(changed.status).not.toBe(0);
  expect(changed.stdout).toBe("");
});
