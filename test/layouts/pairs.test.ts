import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice, tensorSpec } from "warpsmith";
import { textOf } from "../../src/dsl/tiles/layout.ts";
import { conversion } from "../../src/layout/conversion.ts";
import { linearLayout, type Spread } from "../../src/layout/tile-layout.ts";
import { seeds } from "../support/amount.ts";
import { convertAll, type Pair, randomBatch, runBatch } from "./pairs.ts";

const all = seeds(1001, 40, 1);
const text = ({ dtype, shape, from, to }: Pair): string => `${dtype} [${shape}] from ${from} to ${to}`;

/** Does a warp need what another one holds? */
function crossesWarps({ shape, from, to }: Pair): boolean {
  const spread = (layout: Pair["from"]): Spread => ({ shape, layout: textOf(layout) });
  const named = Object.fromEntries(shape.map((n, d) => [`d${d}`, n]));
  return conversion(linearLayout(spread(from)), linearLayout(spread(to)), named).kind === "shared";
}

describe("conversions between random layouts", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator");
  });
  afterAll(() => device.dispose());

  it.each(all)("lose nothing: seed %i", { timeout: 300_000 }, async (seed) => {
    const batch = randomBatch(seed, 8);
    const odd = await runBatch(device, batch);
    expect(batch.pairs.filter((_, i) => (odd[i] ?? 0) > 0).map(text)).toEqual([]);
  });

  it.each(all)("go through shared memory only where another warp has what is needed: seed %i", { timeout: 300_000 }, (seed) => {
    for (const pair of randomBatch(seed, 8).pairs) {
      const specs = { list: [tensorSpec(pair.dtype, pair.shape)] };
      const { ptx } = convertAll.compile(specs as never, specs as never, { ...randomBatch(seed, 0), pairs: [pair] });
      expect([text(pair), /st\.shared|bar\.sync/.test(ptx)]).toEqual([text(pair), crossesWarps(pair)]);
    }
  });
});
