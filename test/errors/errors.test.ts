import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WarpsmithError } from "../../src/base/diag/index.ts";
import { readEnvironment } from "../../src/base/env.ts";
import { createCudaKind } from "../../src/cuda/index.ts";
import { registerDeviceKind } from "../../src/runtime/device-registry.ts";
import { transformCached } from "../../src/transform/cached.ts";
import { displayName } from "../../src/transform/options.ts";
import { rotating } from "../support/amount.ts";
import { compileTextBy } from "../support/compile-file.mjs";
import { evaluateModule } from "../support/evaluate-module.ts";
import { FakeDriver, type FakeOptions } from "../unit/cuda/fake-driver.ts";

/**
 * One mistake per file. Its first line says what the author did wrong; a comment `// error: W1234` stands at the end of the line that
 * must be named; the whole message is the snapshot beside it. A case exports `run`, which makes the mistake; a mistake of syntax needs
 * none. `machine` says what the CUDA driver finds; without it, one H200. One that writes core dumps is asked for them.
 */
const folders = ["kernels", "host", "beginner", "schedules"] as const;
const casesIn = (folder: string): readonly string[] =>
  readdirSync(join(import.meta.dirname, folder)).filter((name) => name.endsWith(".case.ts"));

interface CaseModule {
  readonly run?: () => unknown;
  readonly machine?: FakeOptions | "without a driver";
}

/** What a module holds that was compiled from a case which gets as far as its launch. */
const kernels = { fill: { parameterBytes: [8, 4] }, load: { parameterBytes: [128] } };

function useMachine(machine: CaseModule["machine"]): () => void {
  if (typeof machine === "object" && machine.coreDumps) vi.stubEnv("WARPSMITH_WATCH", "on");
  const { library } = new FakeDriver(machine === "without a driver" ? {} : { kernels, ...machine });
  return registerDeviceKind(
    createCudaKind(async () =>
      machine === "without a driver" ? { problem: "no CUDA driver is installed (libcuda.so.1)" } : { library },
    ),
  );
}

/** What cases import, loaded once. */
const loaded = new Map<string, Promise<object>>();
function load(name: string): Promise<object> {
  const module = loaded.get(name) ?? (import(/* @vite-ignore */ name) as Promise<object>);
  loaded.set(name, module);
  return module;
}

/** The case as its author runs it: through the transform, which is asked once for each. */
async function loadCase(file: string): Promise<CaseModule> {
  const text = readFileSync(file, "utf8");
  const made = await compileTextBy(text, { fileName: file, displayName: displayName(file) }, (source, options) =>
    transformCached(source, options, readEnvironment().values?.cache),
  );
  return evaluateModule(made, file, (name) => load(name.startsWith(".") ? join(dirname(file), name) : name));
}

async function mistake(file: string): Promise<WarpsmithError> {
  let restore = (): void => {};
  try {
    const module = await loadCase(file);
    restore = useMachine(module.machine);
    await module.run?.();
  } catch (error) {
    if (error instanceof WarpsmithError) return error;
    throw error;
  } finally {
    restore();
  }
  throw new Error("nothing was refused");
}

/** The error that the file expects; the file, where it does not say. */
const markOf = (file: string): string => /error: (W\d{4})$/m.exec(readFileSync(file, "utf8"))?.[1] ?? file;

/** Where the file says that the error must be. */
function expected(file: string): { readonly code: string; readonly line: number } {
  const lines = readFileSync(file, "utf8").split("\n");
  const marks = lines.flatMap((text, i) => {
    const code = /\/\/ error: (W\d{4})$/.exec(text)?.[1];
    return code ? [{ code, line: i + 1 }] : [];
  });
  const [mark] = marks;
  if (!mark || marks.length > 1) throw new Error(`${basename(file)} does not say which one error it expects`);
  if (!/^\/\/ [A-Z].*\.$/.test(lines[0] ?? "")) throw new Error(`the first line of ${basename(file)} does not say what is wrong`);
  return mark;
}

beforeEach(() => void vi.stubEnv("WARPSMITH_DEVICE", undefined));
afterEach(() => void vi.unstubAllEnvs());

/** Cases that end when a limit is reached, after seconds: `npm test` takes the next case of their error, if there is one. */
const slow: readonly string[] = ["kernels/endless-static-loop.case.ts", "host/launch-that-hangs.case.ts"];
/** The first case of each error: `npm test` asks one of each. */
const firsts = new Set<string>();
const codes = new Set<string>();
for (const folder of folders)
  for (const name of casesIn(folder)) {
    if (slow.includes(`${folder}/${name}`)) continue;
    const code = markOf(join(import.meta.dirname, folder, name));
    if (!codes.has(code)) firsts.add(`${folder}/${name}`);
    codes.add(code);
  }

for (const folder of folders) {
  describe(folder, () => {
    const dir = join(import.meta.dirname, folder);
    const cases = casesIn(folder);
    const isFirst = (name: string): boolean => firsts.has(`${folder}/${name}`);
    const asks = async (name: string) => {
      const file = join(dir, name);
      const want = expected(file);
      const error = await mistake(file);
      expect(error.code, error.message).toBe(want.code);
      expect(error.spans[0]?.line, error.message).toBe(want.line);
      expect(error.message.split("\n").every((line) => line === line.trimEnd())).toBe(true);
      mkdirSync(join(dir, "expected"), { recursive: true });
      // Addresses differ from run to run.
      const message = error.message.replace(/0x[\da-f]{8,}/g, "0x…");
      await expect(`${message}\n`).toMatchFileSnapshot(join(dir, "expected", name.replace(".case.ts", ".txt")));
    };
    it.each(cases.filter(isFirst))("%s", asks);
    it.each(cases.filter((name) => !isFirst(name)))("%s", rotating, asks);
    it("has no snapshot without a case", () => {
      const known = cases.map((c) => c.replace(".case.ts", ".txt"));
      const snapshots = join(dir, "expected");
      expect((existsSync(snapshots) ? readdirSync(snapshots) : []).filter((f) => !known.includes(f))).toEqual([]);
    });
  });
}
