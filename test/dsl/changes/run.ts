// Random changes to what kernels read, between their launches, against plain JavaScript.
//
//   node --import warpsmith/register test/dsl/changes/run.ts --count 10000 --seed 1 [--device emulator|cuda] [--most 5]
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { judge } from "./judge.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    device: { type: "string", default: "emulator" },
    most: { type: "string", default: "5" },
  },
});

process.env.WARPSMITH_CACHE = "off";
const device = await openDevice(values.device as Parameters<typeof openDevice>[0]);
const [first, count, most] = [Number(values.seed), Number(values.count), Number(values.most)];
const tally = new Map<string, number>();
let wrong = 0;
for (let seed = first; seed < first + count && wrong < most; seed++) {
  const verdict = await judge(seed, device);
  const key =
    verdict.kind === "refused" ? verdict.code : verdict.kind === "agrees" && verdict.changed ? "sees a change" : verdict.kind;
  tally.set(key, (tally.get(key) ?? 0) + 1);
  if (verdict.kind !== "stale" && verdict.kind !== "broken") continue;
  wrong++;
  console.log(`seed ${seed}: ${verdict.kind}: ${verdict.why}`);
}
await device.dispose();
const counted = [...tally].sort((a, b) => b[1] - a[1]).map(([key, n]) => `${key} ${n}`);
console.log(`seeds ${first} to ${first + count - 1} on ${values.device}: ${counted.join(", ")}`);
process.exitCode = wrong > 0 ? 1 : 0;
