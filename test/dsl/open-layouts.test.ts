import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as warpsmith from "warpsmith";
import { isAsked, ofProperty } from "../support/amount.ts";
import { edge, inputElement, inputs, stored, type TileProgram, tilePrograms } from "./tile-programs.ts";
import { runModule } from "./trace-source.ts";

/**
 * Tiles without a layout, and some with one, go through every op of tiles, branches and loops. Whatever layouts the compiler chooses, the program must compute what plain
 * JavaScript does.
 */

let gpu: warpsmith.Device;
let tensors: warpsmith.DeviceTensor[];
beforeAll(async () => {
  gpu = await warpsmith.openDevice("emulator", { check: process.env.CHECK === "strict" ? "strict" : "normal" });
  tensors = inputs.map(({ dtype }, which) => {
    const elements = Array.from({ length: edge * edge }, (_, i) => inputElement(which, Math.floor(i / edge), i % edge));
    return gpu.tensor(dtype, [edge, edge], elements);
  });
});
afterAll(async () => {
  for (const tensor of tensors) tensor.dispose();
  await gpu.dispose();
});

async function onDevice({ text }: TileProgram) {
  const { f } = runModule(text, warpsmith as never, ["f"]) as unknown as { f: warpsmith.Kernel<readonly unknown[]> };
  using out = gpu.zeros("i32", [stored, edge, edge]);
  const args = [...tensors, out, 2];
  const { remarks } = f.compile(...args);
  f.launch({ device: gpu }, ...args);
  return { got: [...(await out.read())].map(Number), remarks };
}

/** `RUNS=3000 SEED=5 npx vitest run test/dsl/open-layouts.test.ts`; `CHECK=strict` checks more. */
const asked = ofProperty(200, 5);
const runs = asked.numRuns;

test("random programs over tiles without layouts compute what plain JavaScript does", {
  timeout: 120_000 + 1000 * runs,
}, async () => {
  const seen = { programs: 0, shuffles: 0, shared: 0, renames: 0, none: 0 };
  const refused = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(tilePrograms, async (p) => {
      let made: Awaited<ReturnType<typeof onDevice>>;
      try {
        made = await onDevice(p);
      } catch (error) {
        if (!(error instanceof warpsmith.WarpsmithError) || error.code.startsWith("W9"))
          throw Object.assign(error as Error, { message: `${String(error)}\n${p.text}` });
        refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
        return;
      }
      seen.programs++;
      const told = made.remarks.map(({ message }) => message).join("\n");
      if (told.includes("shuffle")) seen.shuffles++;
      if (told.includes("shared memory")) seen.shared++;
      if (told.includes("other names")) seen.renames++;
      if (told === "") seen.none++;
      p.expected.forEach((expected, i) => {
        expect(made.got.slice(i * edge * edge, (i + 1) * edge * edge), p.text).toEqual(expected);
      });
    }),
    asked,
  );
  if (isAsked) console.log(seen, Object.fromEntries(refused));
  // Of many programs some have conversions of each kind; most are no error.
  if (runs >= 30) expect(Math.min(seen.shared, seen.none)).toBeGreaterThan(0);
  expect([...refused.values()].reduce((a, b) => a + b, 0)).toBeLessThan(seen.programs / 4);
});
