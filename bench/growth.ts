// What takes the emulator long where a program has many of something: `sync`s of streams, blocks that wait for each other, branches. Each case at
// several sizes, so that the table shows how the time grows. CPU time of this process on one emulator thread, so that other work on the machine
// matters little.
//
//   npm run bench:growth                                     # writes bench/results/<cpu name>/growth.json
//   npm run bench:growth -- --syncs 10,20 --blocks 2,4       # these cases alone, of these sizes; writes nothing
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, kernel, openDevice, type Static, staticRange, type Tensor, threadIdx } from "warpsmith";
import { methods } from "./methods.ts";
import { type Entry, writeRecord } from "./record.ts";
import { cpuHead } from "./record-head.ts";
import { resultsFolder } from "./results.ts";

const modes = ["off", "normal"] as const;

const count = kernel({ block: 32, grid: 1 }, function count(x: Tensor<"i32", 1>) {
  x[threadIdx.x] += 1;
});

/** A stream for each launch, waited for and let go. */
async function syncs(device: Device, n: number): Promise<void> {
  using x = device.zeros("i32", [32]);
  for (let i = 0; i < n; i++) {
    using stream = device.stream();
    count.launch({ stream }, x);
    await stream.sync();
  }
  if ((await x.read()).some((value) => value !== n)) throw new Error("a launch is missing");
}

/** Every thread of the grid waits until all have come. */
const barrier = kernel({ block: 64 }, function barrier(arrived: Tensor<"i32", 1>, all: Static<number>) {
  arrived.at(0).atomic("add", 1);
  while (arrived.at(0).atomic("add", 0) < all) {}
});

async function blocks(device: Device, n: number): Promise<void> {
  using arrived = device.zeros("i32", [1]);
  barrier.launch({ grid: n }, arrived, 64 * n);
  const [all] = await arrived.read();
  if (all !== 64 * n) throw new Error("a block is missing");
}

/** One after the other, with something in either branch that the next one needs. */
const branchy = kernel({ block: 32, grid: 1 }, function branchy(x: Tensor<"i32", 1>, n: Static<number>) {
  let value = x[threadIdx.x];
  for (const i of staticRange(n)) {
    if (value % 3 === i % 3) value += 1;
    else value ^= i;
  }
  x[threadIdx.x] = value;
});

async function branches(device: Device, n: number): Promise<void> {
  using x = device.tensor(
    "i32",
    [32],
    Int32Array.from({ length: 32 }, (_, i) => i),
  );
  branchy.launch({}, x, n);
  const expected = Int32Array.from({ length: 32 }, (_, thread) => {
    let value = thread;
    for (let i = 0; i < n; i++) value = value % 3 === i % 3 ? value + 1 : value ^ i;
    return value;
  });
  if ((await x.read()).some((value, i) => value !== expected[i])) throw new Error("a branch went wrong");
}

const { values } = parseArgs({
  options: { syncs: { type: "string" }, blocks: { type: "string" }, branches: { type: "string" } },
});
const cases = {
  syncs: { run: syncs, sizes: "10,20,40" },
  blocks: { run: blocks, sizes: "8,33,132" },
  branches: { run: branches, sizes: "500,1000,2000" },
};
const chosen = Object.keys(values).length > 0;
const runs = 3;
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const round = (x: number): number => Number(x.toPrecision(3));

const entries: Entry[] = [];
for (const [name, { run, sizes }] of Object.entries(cases)) {
  const given = values[name as keyof typeof cases];
  if (chosen && given === undefined) continue;
  for (const size of (given ?? sizes).split(",").map(Number)) {
    const seconds: Record<string, number> = {};
    for (const check of modes) {
      let least = Number.POSITIVE_INFINITY;
      // What the compiler has made stays with the kernel; each device makes the program and its checks anew.
      for (let i = 0; i < (chosen ? 1 : runs); i++) {
        await using device = await openDevice("emulator", { check, threads: 1 });
        const begin = cpuSeconds();
        await run(device, size);
        least = Math.min(least, cpuSeconds() - begin);
      }
      seconds[check] = round(least);
    }
    const figures = { cpuSeconds: seconds };
    entries.push({ group: name, case: `${size} ${name}`, of: { size }, us: null, peers: {}, correct: true, figures });
    console.log(`${size} ${name}`.padEnd(20), JSON.stringify(seconds));
  }
}
if (!chosen) {
  const head = cpuHead(methods.growth, { runs });
  writeRecord(join(resultsFolder({ name: head.card }), "growth.json"), { ...head, entries });
}
