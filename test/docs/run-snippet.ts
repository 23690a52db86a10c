import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import * as warpsmith from "warpsmith";
import * as arrays from "warpsmith/arrays";
import * as kernels from "warpsmith/kernels";
import * as ptx from "warpsmith/ptx";
import * as schedule from "warpsmith/schedule";
import * as testing from "warpsmith/testing";
import { readEnvironment } from "../../src/base/env.ts";
import * as hooks from "../../src/dsl/hooks.ts";
import * as programHooks from "../../src/schedule/hooks.ts";
import { transformCached } from "../../src/transform/cached.ts";
import { compileTextBy } from "../support/compile-file.mjs";
import { evaluateModule } from "../support/evaluate-module.ts";

/** Kernels without parameters that a snippet makes: they are compiled, whether it launches them or not. */
const ownKernels: warpsmith.Kernel<readonly []>[] = [];

const kernel = (...given: readonly unknown[]): unknown => {
  const result = (warpsmith.kernel as (...given: readonly unknown[]) => unknown)(...given);
  const body = given.at(-1);
  if (typeof body === "function" && body.length === 0) ownKernels.push(result as warpsmith.Kernel<readonly []>);
  return result;
};

/** What snippets have written since it was last emptied, by the names of the files. */
export const written = new Map<string, string>();

/** Files of arrays that snippets name lie here. */
const folder = mkdtempSync(join(tmpdir(), "snippets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const placed = (given: unknown): unknown =>
  typeof given === "string" && /\.(npy|npz|safetensors)$/.test(given) ? join(folder, given) : given;
const placing =
  (f: (...given: readonly unknown[]) => unknown) =>
  (...given: readonly unknown[]) =>
    f(...given.map(placed));

const modules: Readonly<Record<string, object>> = {
  warpsmith: { ...warpsmith, kernel },
  "warpsmith/arrays": Object.fromEntries(
    Object.entries(arrays).map(([name, f]) => [name, placing(f as Parameters<typeof placing>[0])]),
  ),
  "warpsmith/kernels": kernels,
  "warpsmith/ptx": ptx,
  "warpsmith/schedule": schedule,
  "warpsmith/schedule/hooks": programHooks,
  "warpsmith/testing": testing,
  "warpsmith/hooks": hooks,
  "node:fs": { writeFileSync: (name: string, text: string) => void written.set(name, text) },
};

/** Runs a module that imports the package alone, through the transform, without a file. */
export async function runSnippet(text: string, name: string): Promise<void> {
  const names = { fileName: join(import.meta.dirname, "snippet.ts"), displayName: name };
  const made = await compileTextBy(text, names, (source, options) =>
    transformCached(source, options, readEnvironment().values?.cache),
  );
  ownKernels.length = 0;
  await evaluateModule(made, name, (module) => modules[module] ?? import(/* @vite-ignore */ module));
  for (const each of ownKernels.splice(0)) each.compile();
}
