import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Device, type Kernel, TMA } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { type Removal, removals } from "./removals.ts";
import { changed, judge, saidOf, settings, titleOf } from "./said.ts";
import { nameOf } from "./schedule.ts";

const folder = mkdtempSync(join(tmpdir(), "removals-"));
afterAll(() => rmSync(folder, { recursive: true }));

type File = Removal["file"];
type Module = Readonly<Record<string, unknown>>;

const textOf = (file: File): string => readFileSync(join(import.meta.dirname, "../../examples", `${file}.ts`), "utf8");

/** The module of a text, through the transform like any other. */
async function moduleOf(text: string, name: string): Promise<Module> {
  const path = join(folder, `${name}.ts`);
  writeFileSync(path, text);
  return (await import(/* @vite-ignore */ path)) as Module;
}

const tolerance = { rtol: 5e-3, atol: 1e-1 } as const;

/** The chapters' product: a [M, K], b [K, N], one tile. */
async function multiplyInChapter(device: Device, module: Module): Promise<void> {
  const [M, N, K, stages] = [128, 128, 256, 2];
  const [a, b] = [randn(M * K, 1), randn(K * N, 2)];
  using aDev = device.tensor("f16", [M, K], a),
    bDev = device.tensor("f16", [K, N], b),
    d = device.empty("f32", [M, N]);
  const maps = [new TMA(aDev, { box: [128, 64], swizzle: "128B" }), new TMA(bDev, { box: [64, 64], swizzle: "128B" })];
  const kernel = (module.gemmMultistage ?? module.gemmWarpSpecialized) as Kernel<unknown[]>;
  kernel.launch({}, ...maps, d, stages);
  assertClose(await d.read(), referenceMatmul(a, b, { M, N, K }), tolerance);
}

/** The ladder's: b is [N, K]. A pair of blocks; every consumer has a second tile, and a tile has more iterations along K than the pipeline stages. */
async function multiplyOnLadder(device: Device, module: Module): Promise<void> {
  const [M, N, K] = [256, 768, 320];
  const [a, b] = [randn(M * K, 1), randn(K * N, 2)];
  const byColumns = b.map((_, i) => b[(i % K) * N + Math.floor(i / K)] ?? Number.NaN);
  using aDev = device.tensor("f16", [M, K], a),
    bDev = device.tensor("f16", [N, K], byColumns),
    d = device.empty("f16", [M, N]);
  const { gemm, args } = module as { gemm: Kernel<unknown[]>; args(...of: unknown[]): unknown[] };
  gemm.launch({}, ...args(aDev, bDev, d, 2));
  assertClose(await d.read(), referenceMatmul(a, b, { M, N, K }), tolerance);
}

const runOf = (file: File, module: Module) => (device: Device) =>
  (file.startsWith("ch") ? multiplyInChapter : multiplyOnLadder)(device, module);

describe("as they are", () => {
  it.each([...new Set(removals.map(({ file }) => file))])("%s", async (file) => {
    const module = await moduleOf(textOf(file), file.replace("/", "-"));
    for (const setting of settings) expect(await saidOf(runOf(file, module), setting), nameOf(setting)).toBe(undefined);
  });
});

describe.each(removals.map((removal, i) => [`${removal.file}: ${titleOf(removal)}`, removal, i] as const))(
  "%s",
  (_, removal, i) => {
    it(removal.harmless === undefined ? "is reported" : "is silent", async () => {
      const { file } = removal;
      const module = await moduleOf(changed(textOf(file), removal), `${file.replace("/", "-")}-${i}`);
      const wrong: string[] = [];
      for (const setting of settings)
        wrong.push(...[judge(removal, setting, await saidOf(runOf(file, module), setting)) ?? []].flat());
      if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
    });
  },
);
