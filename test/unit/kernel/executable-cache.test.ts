import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kernel, type Tensor, tensorSpec, WarpsmithError } from "warpsmith";
import { openDiskCache } from "../../../src/base/disk-cache.ts";
import { sortArguments } from "../../../src/kernel/arguments.ts";
import { executableCache } from "../../../src/kernel/executable-cache.ts";
import { Instances, shapeOf } from "../../../src/kernel/instance.ts";
import { kernelSource } from "../../../src/kernel/source.ts";
import type { KernelOptions } from "../../../src/kernel/types.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "warpsmith-kernels-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

let traced = 0;
let added = 1;

/** Runs while a kernel is traced: a function of the host. */
function counted(): number {
  traced++;
  return added;
}

function body(x: Tensor<"i32", 1>, more: unknown) {
  "use kernel";
  const value = counted();
  if (more !== undefined) x[0] = value;
  else x[1] = value;
}

const x = tensorSpec("i32", [4]);

/** As another process has it: a kernel value that has compiled nothing, and a cache that has read nothing. */
function another(options: Partial<KernelOptions> = {}, build = "one", fn: typeof body = body) {
  const source = kernelSource({ block: 32, grid: 1, cacheKey: "k", ...options }, fn as never);
  const instances = new Instances(source, () => executableCache(openDiskCache(directory, "kernel"), build));
  return (more: unknown = undefined) => {
    const args = [x, more];
    return instances.get(sortArguments(source, args), shapeOf(source, args).options);
  };
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof WarpsmithError ? error.code : String(error);
  }
  return undefined;
}

/** How often the function has run meanwhile. */
function traces(work: () => unknown): number {
  const before = traced;
  work();
  return traced - before;
}

describe("compiled kernels on disk", () => {
  it("serve a kernel value that has compiled nothing, with all that a launch takes", () => {
    const { artifact: _, modules: __, ...first } = another()();
    let found: ReturnType<ReturnType<typeof another>> | undefined;
    expect(traces(() => (found = another()()))).toBe(0);
    expect(found).toMatchObject(first);
    expect(readdirSync(join(directory, "kernel")).filter((name) => !name.startsWith("."))).toHaveLength(1);
  });

  it("serve no other key, build, options, static arguments, nor another text of the function", () => {
    another()();
    function other(x: Tensor<"i32", 1>, more: unknown) {
      "use kernel";
      x[2] = more === undefined ? counted() : 2;
    }
    const all = [
      () => another({ cacheKey: "l" })(),
      () => another({}, "two")(),
      () => another({ block: 64 })(),
      () => another({ debug: true })(),
      () => another({ contract: true })(),
      () => another({ cooperative: true })(),
      () => another({}, "one", other)(),
      () => another()({ a: 1 }),
      () => another()({ a: "1" }),
      () => another({ dynamic: { x: [0] } })(),
    ];
    for (const make of all) expect(traces(make)).toBe(1);
    for (const make of all) expect(traces(make)).toBe(0);
  });

  it("are not kept without a key, nor for what means something in one process only", () => {
    class Config {}
    const passing = [() => 1, new Config(), Symbol("s"), { inside: [() => 1] }, new Map([[1, 2]])];
    for (const value of passing) for (const _ of [1, 2]) expect(traces(() => another()(value))).toBe(1);
    for (const _ of [1, 2]) expect(traces(() => another({ cacheKey: undefined as never })())).toBe(1);
  });

  it("give the op graph by compiling again, and refuse one that has become another", () => {
    another()();
    const again = another()();
    expect(traces(() => again.artifact())).toBe(1);
    expect(traces(() => again.artifact())).toBe(0);
    const stale = another()();
    added = 2;
    expect(codeOf(() => stale.artifact())).toBe("W7529");
    added = 1;
  });

  it("are damaged or not there: the kernel is compiled", () => {
    another()();
    rmSync(join(directory, "kernel"), { recursive: true });
    expect(traces(() => another()())).toBe(1);
  });

  it("take a text", () => {
    expect(codeOf(() => kernel({ block: 32, cacheKey: 3 as never }, body as never))).toBe("W7511");
  });
});
