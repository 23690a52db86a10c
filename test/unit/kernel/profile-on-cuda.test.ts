import { describe, expect, it } from "vitest";
import { kernel, profile, type Tensor, threadIdx } from "warpsmith";
import { logLayout } from "../../../src/base/log-layout.ts";
import { timelineLayout } from "../../../src/base/timeline-layout.ts";
import type { LogSite } from "../../../src/ir/index.ts";
import { readLog, readMarkRecords } from "../../../src/kernel/log.ts";
import { openFake } from "../cuda/open-fake.ts";

const span = { file: "k.ts", line: 3, column: 1, length: 1 };
const sites: readonly LogSite[] = [
  { kind: "log", parts: ["x = ", ""], types: ["u32"], spans: [span] },
  { kind: "mark", mark: "begin", parts: ["load"], types: ["u64", "u32"], spans: [span] },
  { kind: "mark", mark: "tile", parts: ["tile"], types: ["u64", "u32", "u32", "u32", "u32", "u32"], spans: [span] },
];

describe("what marks have recorded", () => {
  // Site + 1, block, thread; the low and the high half of the time, the multiprocessor, and the values.
  const records = [
    [2, 4, 5, 6, 1, 2, 1, 0x89abcdef, 0x1234567, 77],
    [1, 0, 0, 0, 0, 0, 0, 42],
    [3, 1, 0, 0, 40, 0, 0, 5, 0, 131, 3, 4, 0, 9],
  ];
  const words = Uint32Array.from([...new Array(logLayout.firstRecord).fill(0), ...records.flat(), 0, 0]);

  it("is read beside what the kernel prints, in the order of the records", () => {
    expect(readMarkRecords(words, sites, [8, 4, 2])).toEqual([
      // Thread 1 + 8 * (2 + 4 * 1) = 49.
      {
        kind: "begin",
        name: "load",
        time: 0x123456789abcdefn,
        multiprocessor: 77,
        block: [4, 5, 6],
        warp: 1,
        values: [],
        place: span,
      },
      { kind: "tile", name: "tile", time: 5n, multiprocessor: 131, block: [1, 0, 0], warp: 1, values: [3, 4, 0, 9], place: span },
    ]);
    expect(readLog(words, sites).map(({ text }) => text)).toEqual(["x = 42"]);
  });
});

describe("kernel.profile on a GPU", () => {
  const marked = kernel({ block: 64 }, function marked(x: Tensor<"i32", 1>) {
    profile.begin("store");
    x.at(threadIdx.x % 32).store(1);
    profile.end("store");
  });

  /** One warp of the launch, as it leaves its slice: clocks of 2 GHz, and the records. */
  const slice = (
    multiprocessor: number,
    clock: number,
    from: number,
    cycles: number,
    records: readonly (readonly number[])[],
  ) => {
    const words = new Uint32Array(timelineLayout.records + 8 * timelineLayout.recordWords);
    words.set([1, multiprocessor, clock, 0, from, 1]);
    words.set([clock + cycles, records.length * timelineLayout.recordBytes, from + cycles / 2, 1], timelineLayout.endClock);
    for (const [i, record] of records.entries()) words.set(record, timelineLayout.records + i * timelineLayout.recordWords);
    return words;
  };

  it("gives what the kernel has recorded, in nanoseconds", async () => {
    // Sites 1 and 2 are the marks; blocks 0 and 3, whose slices of 2^18 bytes lie six apart.
    const slices: readonly (readonly [number, Uint32Array])[] = [
      [
        0,
        slice(5, 100, 1000, 2000, [
          [1, 100],
          [2, 1100],
        ]),
      ],
      [
        7,
        slice(9, 50, 1100, 1600, [
          [1, 50],
          [2, 1650],
        ]),
      ],
    ];
    const kernels = {
      marked: {
        parameterBytes: [8, 8],
        run: ({ parameters }: { readonly parameters: readonly Uint8Array[] }) => {
          const word = new DataView(parameters[1]?.slice().buffer ?? new ArrayBuffer(8)).getBigUint64(0, true);
          const [at, bits] = [word & ~0xfffn, word & 63n];
          expect([bits, (word >> 6n) & 63n]).toEqual([18n, 2n]);
          for (const [number, words] of slices)
            bytesAt(at + (BigInt(number) << bits), words.byteLength).set(new Uint8Array(words.buffer));
          return 0;
        },
      },
    };
    const { device, fake } = await openFake({ kernels });
    const bytesAt = (address: bigint, bytes: number): Uint8Array => fake.memoryAt(address, bytes);
    const found = await marked.profile({ grid: 4, plain: false }, device.empty("i32", [32]));
    expect(found).toMatchObject({
      kernel: "marked",
      unit: "ns",
      grid: [4, 1, 1],
      block: [64, 1, 1],
      device: device.name,
      duration: 1000,
    });
    expect(found.blocks).toEqual([
      { index: [0, 0, 0], multiprocessor: 5 },
      { index: [3, 0, 0], multiprocessor: 9 },
    ]);
    expect(found.spans.map(({ kind, name, begin, end }) => [kind, name, begin, end])).toEqual([
      ["mark", "store", 0, 500],
      ["mark", "store", 100, 900],
    ]);
    expect(found.lanes.map(({ warp }) => warp)).toEqual([0, 1]);
    expect(found.places[0]?.file).toMatch(/profile-on-cuda\.test\.ts$/);
    expect(found.launches?.plain).toBeUndefined();
    await device.dispose();
  });
});
