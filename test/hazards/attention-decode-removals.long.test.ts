import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Device } from "warpsmith";
import { type DecodeShape, decodeDistance, decodingOf } from "../unit/kernels/decoded.ts";
import { type DecodeRemoval, decodeRemovals } from "./attention-decode-removals.ts";
import { importsFrom } from "./made-anew.ts";
import { changed, judge, saidOf, settings, titleOf } from "./said.ts";
import { nameOf } from "./schedule.ts";

const source = join(import.meta.dirname, "../../src/kernels/attention/decode");
const folder = mkdtempSync(join(tmpdir(), "attention-decode-removals-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Prepared = typeof import("../../src/kernels/attention/decode/prepare.ts");

/** The room with a change: a copy of all of its files, through the transform like any other. */
async function kernelsWith(name: string, removal?: DecodeRemoval): Promise<Prepared> {
  mkdirSync(join(folder, name));
  for (const file of readdirSync(source)) {
    const text = readFileSync(join(source, file), "utf8");
    const here = removal && file === `${removal.file}.ts` ? changed(text, removal) : text;
    writeFileSync(join(folder, name, file), importsFrom(here, source));
  }
  return (await import(/* @vite-ignore */ join(folder, name, "prepare.ts"))) as Prepared;
}

/** Two heads of two batches, seven blocks of keys each at most, over five blocks of threads: stages go round, and heads are split. */
const split: DecodeShape = { batches: 2, heads: 4, kvHeads: 2, keys: 448, d: 64, lengths: [400, 448] };
/** Two batches whose keys one block of threads has all of. */
const wide: DecodeShape = { batches: 2, heads: 33, kvHeads: 1, keys: 64, d: 256 };

async function decode(device: Device, { prepareDecode }: Prepared, of = split): Promise<void> {
  const given = decodingOf(device, "f16", of);
  const { q, k, v, lengths } = given;
  const logSumExp = device.empty("f32", [of.batches, of.heads]);
  const plan = { keys: 64, stages: of === wide ? 1 : 2, blocks: 1, least: 6 } as const;
  const { kernel, args, grid, out } = prepareDecode(q, { k, v, logSumExp, plan, ...(lengths ? { lengths } : {}) });
  kernel.launch({ grid }, ...args);
  const { output, log } = await decodeDistance(given, of, out, logSumExp);
  if (!(output < 1e-3 && log < 1e-5)) throw new Error(`another result: ${output}, ${log}`);
}

const synchronises = /\b(wait|sync|syncThreads|syncWarp|arrive|acquire|release|proxyAsync|commit|atomic)\(/;
const isCode = (line: string): boolean => !/^\s*(\/?\*|\/\/)|\bfunction |overlaps\)/.test(line);
const linesOf = (text: string): readonly string[] => text.split("\n");
const times = (lines: readonly string[], line: string): number => lines.filter((other) => other === line).length;

it.each(["kernel", "load", "compute", "combine"] as const)("what synchronises in %s.ts is in the table, line by line", (file) => {
  const text = readFileSync(join(source, `${file}.ts`), "utf8");
  const without = decodeRemovals.filter((removal) => removal.file === file).map((removal) => linesOf(changed(text, removal)));
  const lines = linesOf(text).filter((line) => isCode(line) && synchronises.test(line));
  const unchanged = lines.filter((line) => without.every((others) => times(others, line) >= times(lines, line)));
  expect(unchanged).toEqual([]);
});

it("as it is, nothing is said", async () => {
  const kernels = await kernelsWith("as-it-is");
  for (const of of [split, wide])
    for (const setting of settings)
      expect(await saidOf((device) => decode(device, kernels, of), setting), nameOf(setting)).toBe(undefined);
});

const runs = decodeRemovals.map((removal, i) => [`${removal.file}: ${titleOf(removal)}`, removal, i] as const);

describe.each(runs)("%s", (_, removal, i) => {
  it(removal.harmless === undefined ? "is reported" : "is silent", { timeout: 120_000 }, async () => {
    const kernels = await kernelsWith(`${i}`, removal);
    const wrong: string[] = [];
    for (const setting of settings) {
      const said = await saidOf((device) => decode(device, kernels, removal.wide ? wide : split), setting);
      wrong.push(...[judge(removal, setting, said) ?? []].flat());
    }
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
  });
});
