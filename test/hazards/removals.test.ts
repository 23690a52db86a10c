import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Device, type Kernel, TMA } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { type Removal, removals } from "./removals.ts";
import { nameOf, openMachine, type Setting } from "./schedule.ts";

delete process.env.WARPSMITH_VERIFY;

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

/** The ladder's: b is [N, K]. A pair of blocks; every consumer has a second tile, and a tile has more turns than the ring stages. */
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

interface Found {
  readonly code: string;
  readonly message: string;
  readonly line: number;
}

async function found(file: File, module: Module, setting: Setting): Promise<Found | undefined> {
  const { device } = await openMachine(setting);
  try {
    await (file.startsWith("ch") ? multiplyInChapter : multiplyOnLadder)(device, module);
    return undefined;
  } catch (error) {
    const { code, message, spans } = error as { code: string; message: string; spans?: readonly { readonly line: number }[] };
    return { code, message, line: spans?.[0]?.line ?? 0 };
  } finally {
    await device.dispose();
  }
}

/** `REMOVALS=all npx vitest run test/hazards/removals.test.ts` */
const settings: readonly Setting[] =
  process.env.REMOVALS === "all"
    ? (["eager", "lazy", "torn", 1, 2] as const).flatMap((schedule) => [
        { check: "strict", schedule },
        { check: "normal", schedule },
      ])
    : [{ check: "strict", schedule: "eager" }];

/** What is wrong with what was found; undefined where it is as the table says. */
function judge(removal: Removal, text: string, setting: Setting, one: Found | undefined): string | undefined {
  const tolerated = removal.harmless !== undefined || (removal.strictOnly === true && setting.check === "normal");
  if (!one) return tolerated ? undefined : `${nameOf(setting)}: nothing was said`;
  const line = text.split("\n")[one.line - 1] ?? "";
  const told = `${nameOf(setting)}: line ${one.line}: ${line.trim()}\n${one.message}`;
  if (tolerated) return told;
  return removal.codes.includes(one.code) && line.includes(removal.at ?? "") ? undefined : told;
}

describe("as they are", () => {
  it.each([...new Set(removals.map(({ file }) => file))])("%s", async (file) => {
    const module = await moduleOf(textOf(file), file.replace("/", "-"));
    for (const setting of settings) expect(await found(file, module, setting), nameOf(setting)).toBe(undefined);
  });
});

const firstLine = (text: string): string | undefined => text.trim().split("\n")[0];

describe.each(
  removals.map(
    (removal, i) => [`${removal.file}: ${firstLine(removal.text)} → ${firstLine(removal.instead)}`, removal, i] as const,
  ),
)("%s", (_, removal, i) => {
  it(removal.harmless === undefined ? "is reported" : "is silent", async () => {
    const whole = textOf(removal.file);
    expect(whole.split(removal.text).length, "the text is there once").toBe(2);
    const text = whole.replace(removal.text, () => removal.instead);
    const module = await moduleOf(text, `${removal.file.replace("/", "-")}-${i}`);
    const wrong: string[] = [];
    for (const setting of settings)
      wrong.push(...[judge(removal, text, setting, await found(removal.file, module, setting)) ?? []].flat());
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
  });
});
