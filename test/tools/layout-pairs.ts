// Conversions between random pairs of layouts, on the device that WARPSMITH_DEVICE names.
//
//   node --import warpsmith/register test/tools/layout-pairs.ts [--count 2000] [--seed 1]
//
// Exit status 1 where an element is not what it was.
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { type Pair, randomBatch, runBatch } from "../layouts/pairs.ts";

const { values } = parseArgs({ options: { count: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } } });
const each = 8;
const text = ({ dtype, shape, from, to }: Pair): string => `${dtype} [${shape}] from ${from} to ${to}`;
await using device = await openDevice();
let [pairs, wrong] = [0, 0];
for (let seed = Number(values.seed); pairs < Number(values.count); seed++) {
  const batch = randomBatch(seed, each);
  try {
    const odd = await runBatch(device, batch);
    odd.forEach((count, i) => {
      const pair = batch.pairs[i];
      if (count > 0 && pair)
        console.log(`seed ${seed}, pair ${i}: ${count} elements differ: ${text(pair)} (${batch.warps} warps)`);
    });
    wrong += odd.filter((count) => count > 0).length;
  } catch (error) {
    console.log(`seed ${seed}: ${String(error)}: ${batch.pairs.map(text).join("; ")} (${batch.warps} warps)`);
    wrong += each;
  }
  pairs += each;
}
console.log(`${device.kind}: ${pairs} pairs, ${wrong} wrong`);
process.exitCode = wrong > 0 ? 1 : 0;
