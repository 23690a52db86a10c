// What ptxas says of the library's kernels: nothing spills, no product waits for another.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { noPtxas, ptxas } from "../../support/ptxas.ts";
import { inBatches } from "../../support/ptxas-batches.ts";
import { turns } from "../../support/rotation.ts";
import { openFake } from "../cuda/open-fake.ts";
import type { Assembling, Devices } from "./assembled/assembling.ts";
import { attentions } from "./assembled/attention.ts";
import { products } from "./assembled/products.ts";
import { rows } from "./assembled/rows.ts";

const families: Readonly<Record<string, readonly Assembling[]>> = { products, "rows and elements": rows, attention: attentions };

let on: Devices;
beforeAll(async () => {
  const { device: fake } = await openFake({ memoryBytes: 2 ** 44 });
  on = { fake, emulator: await openDevice("emulator") };
});
afterAll(async () => {
  await on?.emulator.dispose();
});

describe.skipIf(noPtxas !== undefined).each(Object.entries(families))("kernels of %s through ptxas", (_, all) => {
  // Those of one sixth of the tests go together: others are not asked then.
  const sixths = Array.from({ length: turns }, (_, turn) =>
    inBatches(
      all.filter((_, i) => i % turns === turn),
      ({ ptx }) => ptx(on),
      ptxas,
      8,
    ),
  );
  it.each(all.map((one, i) => [one.title, one, i] as const))("%s", { timeout: 300_000 }, (_, one, i) => {
    const result = sixths[i % turns]?.(one);
    expect(result?.log).not.toMatch(/error/);
    expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});
