import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { blockIdx, type Device, type DeviceTensor, helper, kernel, type Tensor, threadIdx } from "warpsmith";
import type { AttentionPlan } from "warpsmith/kernels";
import { distance, operandsOf } from "../unit/kernels/attended.ts";
import { packedDistance, packedOf } from "../unit/kernels/packed.ts";
import { type AttentionRemoval, type AttentionSetup, attentionRemovals } from "./attention-removals.ts";
import { importsFrom } from "./made-anew.ts";
import { changed, judge, saidOf, settings, titleOf } from "./said.ts";
import { nameOf } from "./schedule.ts";

const source = join(import.meta.dirname, "../../src/kernels/attention");
const folder = mkdtempSync(join(tmpdir(), "attention-removals-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Prepared = typeof import("../../src/kernels/attention/prepare.ts");
type Masks = typeof import("../../src/kernels/attention/mask/mask.ts");
type Varlen = typeof import("../../src/kernels/attention/varlen/prepare.ts");

const filesIn = (of: string): readonly string[] =>
  readdirSync(join(source, of))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(of, name));

/** The room with a change: a copy of all of its files, through the transform like any other. */
async function kernelsWith(name: string, removal?: AttentionRemoval): Promise<Prepared & Masks & Varlen> {
  for (const room of ["mask", "varlen"]) mkdirSync(join(folder, name, room), { recursive: true });
  for (const file of [...filesIn("."), ...filesIn("mask"), ...filesIn("varlen")]) {
    const text = readFileSync(join(source, file), "utf8");
    const here = removal && file === `${removal.file}.ts` ? changed(text, removal) : text;
    writeFileSync(join(folder, name, file), importsFrom(here, dirname(join(source, file)), source));
  }
  const prepared = (await import(/* @vite-ignore */ join(folder, name, "prepare.ts"))) as Prepared;
  const masks = (await import(/* @vite-ignore */ join(folder, name, "mask/mask.ts"))) as Masks;
  const varlen = (await import(/* @vite-ignore */ join(folder, name, "varlen/prepare.ts"))) as Varlen;
  return { ...prepared, ...masks, ...varlen };
}

/** Two tiles, five blocks of keys each: the stages go round. */
const of = { batches: 1, heads: 1, kvHeads: 1, queries: 256, keys: 160, d: 64, dv: 64 } as const;
const plan: AttentionPlan = {
  consumers: 2,
  keys: 32,
  stages: 2,
  turns: true,
  overlap: true,
  slack: 8,
  persistent: true,
  group: 1,
};

const copy = kernel({ block: 64 }, function copy(from: Tensor<"f16", 2>, to: Tensor<"f16", 2>) {
  to.at(blockIdx.x, threadIdx.x).store(from.at(blockIdx.x, threadIdx.x).load());
});

/** The same by a launch to overlap. */
function madeBefore(device: Device, from: DeviceTensor<"f16", 4>): DeviceTensor<"f16", 4> {
  const made = device.empty("f16", from.shape) as typeof from;
  const rows = from.shape[2];
  copy.launch({ grid: rows }, from.reshape(rows, 64), made.reshape(rows, 64));
  return made;
}

const before = helper((query: number, key: number) => key <= query);

/** Lists the blocks of a causal mask: two rounds of the warps. */
async function list(device: Device, { attentionMask }: Masks): Promise<void> {
  using mask = attentionMask(device, before, { queries: 16, keys: 2100 });
  const counts = Array.from(await mask.counts.read()).join(", ");
  if (counts !== "0, 1") throw new Error(`another result: ${counts}`);
}

/** Sequences of 100 and 90 queries: two tiles, whose second consumers store a part of their rows. */
async function attendPacked(device: Device, { prepareVarlen }: Varlen): Promise<void> {
  const shape = { heads: 1, kvHeads: 1, d: 64, dv: 64, queries: [100, 90], around: 0 };
  const given = packedOf(device, "f16", shape);
  const { q, k, v, cuSeqlens } = given;
  const logSumExp = device.empty("f32", [1, 190]);
  const { kernel, args, out } = prepareVarlen(q, { k, v, cuSeqlens, logSumExp, plan });
  kernel.launch({ grid: 1 }, ...args);
  const { output, log } = await packedDistance(given, shape, out, logSumExp);
  if (!(output < 2e-3 && log < 1e-4)) throw new Error(`another result: ${output}, ${log}`);
}

async function attend(device: Device, kernels: Prepared & Masks & Varlen, setup: AttentionSetup): Promise<void> {
  if (setup === "listing") return list(device, kernels);
  if (setup === "packed") return attendPacked(device, kernels);
  const operands = operandsOf(device, "f16", of);
  const overlaps = setup === "overlapping";
  const q = overlaps ? madeBefore(device, operands.q) : operands.q;
  const asked = {
    k: operands.k,
    v: operands.v,
    plan: { ...plan, overlap: setup !== "inOrder", turns: setup !== "noTurns" },
    overlapPrevious: overlaps,
  };
  const { kernel, args, out } = kernels.prepare(q, asked);
  kernel.launch({ grid: 1, overlapPrevious: overlaps }, ...args);
  const { output } = await distance(out, undefined, operands, of, {}, [0, 63, 64, 127, 128, 255]);
  if (!(output < 2e-3)) throw new Error(`another result: ${output}`);
}

const synchronises = /\b(wait|sync|syncThreads|syncWarp|arrive|acquire|release|init|proxyAsync|commit|launchDependents)\(/;
const isCode = (line: string): boolean => !/^\s*(\/?\*|\/\/)|\bfunction |const release = /.test(line);
const linesOf = (text: string): readonly string[] => text.split("\n");
const times = (lines: readonly string[], line: string): number => lines.filter((other) => other === line).length;

it.each(["flash", "load", "compute", "store", "mask/kernel"] as const)(
  "what synchronises in %s.ts is in the table, line by line",
  (file) => {
    const text = readFileSync(join(source, `${file}.ts`), "utf8");
    const without = attentionRemovals
      .filter((removal) => removal.file === file)
      .map((removal) => linesOf(changed(text, removal)));
    const lines = linesOf(text).filter((line) => isCode(line) && synchronises.test(line));
    const unchanged = lines.filter((line) => without.every((others) => times(others, line) >= times(lines, line)));
    expect(unchanged).toEqual([]);
  },
);

describe("as it is", async () => {
  const kernels = await kernelsWith("as-it-is");
  it.each(["overlap", "inOrder", "noTurns", "overlapping", "listing", "packed"] as const)("%s", async (setup) => {
    for (const setting of settings)
      expect(await saidOf((device) => attend(device, kernels, setup), setting), nameOf(setting)).toBe(undefined);
  });
});

const runs = attentionRemovals.map(
  (removal, i) => [`${removal.setup}, ${removal.file}: ${titleOf(removal)}`, removal, i] as const,
);

describe.each(runs)("%s", (_, removal, i) => {
  it(removal.harmless === undefined ? "is reported" : "is silent", { timeout: 120_000 }, async () => {
    const kernels = await kernelsWith(`${i}`, removal);
    const wrong: string[] = [];
    for (const setting of settings) {
      const said = await saidOf((device) => attend(device, kernels, removal.setup), setting);
      wrong.push(...[judge(removal, setting, said) ?? []].flat());
    }
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
  });
});
