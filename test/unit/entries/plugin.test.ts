import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, expect, test } from "vitest";
import { warpsmith } from "../../../src/entries/plugin.ts";

const folder = mkdtempSync(join(tmpdir(), "warpsmith-plugin-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kernelFile = `import { kernel, type i32 } from "warpsmith";
import type { Alpha } from "./types.ts";
enum Level { Low = 4 }
class Kernels {
  @kernel({ block: 1 }) static run(n: i32): void { if (n > Level.Low) return; console.log(n + 1); }
}
export const k = kernel({ block: 1 }, (n: i32, a: Alpha) => { console.log(n * Level.Low, Kernels); });
`;

type Transform = (this: { addWatchFile(path: string): void }, text: string, id: string) => Promise<unknown>;
interface PluginWithTransform {
  readonly transform: Transform | { readonly handler: Transform };
}

async function bundle(cache: string | false): Promise<string> {
  writeFileSync(join(folder, "types.ts"), `import type { f32 } from "warpsmith"; export type Alpha = f32;`);
  writeFileSync(join(folder, "kernel.ts"), kernelFile);
  writeFileSync(join(folder, "main.ts"), `export { k } from "./kernel.ts"; export const plain: number = 3;`);
  const result = await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    plugins: [warpsmith.vite({ cache })],
    build: {
      write: false,
      minify: false,
      target: "es2022",
      lib: { entry: join(folder, "main.ts"), formats: ["es"] },
      rollupOptions: { external: /^warpsmith/ },
    },
  });
  const outputs = Array.isArray(result) ? result : [result];
  return outputs
    .flatMap((o) => ("output" in o ? o.output : []))
    .map((o) => ("code" in o ? o.code : ""))
    .join("\n");
}

test("a bundle of Vite holds calls of the hooks, types and decorators compiled", async () => {
  const code = await bundle(false);
  expect(code).toContain('from "warpsmith/hooks"');
  expect(code).toMatch(/kind: "scalar",\s*dtype: "i32"/);
  expect(code).toContain(".bin(");
  expect(code).toContain("__esDecorate");
  expect(code).not.toMatch(/@kernel|n: i32/);
});

test("the cache gives the same", async () => {
  const cache = join(folder, "cache");
  const first = await bundle(cache);
  expect(readdirSync(join(cache, "transform")).filter((name) => !name.startsWith(".")).length).toBe(1);
  expect(await bundle(cache)).toBe(first);
});

test("the file that holds a parameter's type is watched: nothing but a type leads there, so the bundler does not know of it", async () => {
  await bundle(false);
  const [plugin] = [warpsmith.vite({ cache: false })].flat() as unknown as readonly PluginWithTransform[];
  const transform = plugin?.transform;
  const handler = typeof transform === "object" ? transform.handler : transform;
  const watched: string[] = [];
  await handler?.call({ addWatchFile: (path) => void watched.push(path) }, kernelFile, join(folder, "kernel.ts"));
  expect(watched).toEqual([join(folder, "types.ts")]);
});
