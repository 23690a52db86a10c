import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, type LaunchConfig, TMA } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { type Removal, removals } from "./removals.ts";
import { nameOf, openMachine, type Setting } from "./schedule.ts";

delete process.env.WARPSMITH_VERIFY;

const folder = mkdtempSync(join(tmpdir(), "removals-"));
afterAll(() => rmSync(folder, { recursive: true }));

const [M, N, K, stages] = [128, 128, 256, 2];
const [a, b] = [randn(M * K, 1), randn(K * N, 2)];
const product = referenceMatmul(a, b, { M, N, K });

type Matmul = { launch(config: LaunchConfig, a: TMA, b: TMA, d: DeviceTensor, stages: number): void };

const textOf = (chapter: Removal["chapter"]): string =>
  readFileSync(join(import.meta.dirname, "../../examples", chapter, "kernel.ts"), "utf8");

/** The kernel of a text, through the transform like any other. */
async function kernelOf(text: string, name: string): Promise<Matmul> {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, text);
  const module = (await import(/* @vite-ignore */ file)) as Record<string, unknown>;
  return (module.gemmMultistage ?? module.gemmWarpSpecialized) as Matmul;
}

async function multiply(device: Device, kernel: Matmul): Promise<void> {
  using aDev = device.tensor("f16", [M, K], a),
    bDev = device.tensor("f16", [K, N], b),
    d = device.empty("f32", [M, N]);
  kernel.launch(
    {},
    new TMA(aDev, { box: [128, 64], swizzle: "128B" }),
    new TMA(bDev, { box: [64, 64], swizzle: "128B" }),
    d,
    stages,
  );
  assertClose(await d.read(), product, { rtol: 5e-3, atol: 1e-1 });
}

interface Found {
  readonly code: string;
  readonly message: string;
  readonly line: number;
}

async function found(kernel: Matmul, setting: Setting): Promise<Found | undefined> {
  const { device } = await openMachine(setting);
  try {
    await multiply(device, kernel);
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
  it.each(["ch4", "ch5"] as const)("%s", async (chapter) => {
    const kernel = await kernelOf(textOf(chapter), chapter);
    for (const setting of settings) expect(await found(kernel, setting), nameOf(setting)).toBe(undefined);
  });
});

describe.each(
  removals.map((removal, i) => [`${removal.chapter} without ${removal.text.trim().split("\n")[0]}`, removal, i] as const),
)("%s", (_, removal, i) => {
  it(removal.harmless === undefined ? "is reported" : "is silent", async () => {
    const whole = textOf(removal.chapter);
    expect(whole.split(removal.text).length, "the text is there once").toBe(2);
    const text = whole.replace(removal.text, () => removal.instead);
    const kernel = await kernelOf(text, `${removal.chapter}-${i}`);
    const wrong: string[] = [];
    for (const setting of settings) wrong.push(...[judge(removal, text, setting, await found(kernel, setting)) ?? []].flat());
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
  });
});
