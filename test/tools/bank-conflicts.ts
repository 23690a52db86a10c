// Accesses of tiles in shared memory, each in a launch of its own, with the bank conflicts that the layouts say it has.
//
//   node --import warpsmith/register test/tools/bank-conflicts.ts [--csv NCU]
//
// Run it under ncu, and then with `--csv` and what that printed, to compare:
//
//   ncu --csv --metrics l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum node --import warpsmith/register test/tools/bank-conflicts.ts > NCU
//
// Exit status 1 where a count differs.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  BlockedLayout,
  type DeviceTensor,
  type DType,
  kernel,
  type Layout,
  NVMMASharedLayout,
  openDevice,
  PaddedSharedLayout,
  type SharedLayout,
  type Static,
  SwizzledSharedLayout,
  sharedMemory,
  type Tensor,
  WGMMALayout,
} from "warpsmith";

const { values } = parseArgs({ options: { csv: { type: "string" } } });

interface Access {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly registers: Layout;
  readonly shared: SharedLayout;
  readonly store: boolean;
}

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
const wide = new BlockedLayout({ perThread: [1, 8], threads: [4, 8], warps: [4, 1] });
const single = new BlockedLayout({ perThread: [1, 1], threads: [1, 32], warps: [4, 1] });
const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] });
const down = new BlockedLayout({ perThread: [1, 1], threads: [32, 1], warps: [1, 4], order: [0, 1] });
const wgmma = new WGMMALayout();

const padded = (every: number, by: number): SharedLayout => new PaddedSharedLayout({ every, by });
const swizzled = (vector: number, perPhase: number, maxPhase: number): SharedLayout =>
  new SwizzledSharedLayout({ vector, perPhase, maxPhase });
const nvmma = (swizzle: "none" | "32B" | "64B" | "128B", dtype: DType): SharedLayout => new NVMMASharedLayout({ swizzle, dtype });

/** Each layout of registers with each of shared memory, loads and stores in turns. */
const of = (dtype: DType, shape: readonly number[], registers: readonly Layout[], shared: readonly SharedLayout[]): Access[] =>
  registers.flatMap((r, i) => shared.map((s, j) => ({ dtype, shape, registers: r, shared: s, store: (i + j) % 2 === 1 })));

const accesses: readonly Access[] = [
  ...of(
    "f32",
    [32, 64],
    [rows, columns, down],
    [padded(64, 0), padded(64, 1), padded(64, 4), swizzled(4, 1, 8), swizzled(1, 1, 32)],
  ),
  ...of("f16", [32, 64], [wide, columns, single], [padded(64, 0), padded(64, 8), swizzled(8, 1, 8), nvmma("64B", "f16")]),
  ...of("u8", [32, 128], [wide, columns], [padded(128, 0), padded(128, 4), swizzled(16, 1, 8)]),
  ...of("f64", [32, 64], [rows, down], [padded(64, 0), padded(64, 1)]),
  // Half of the lanes hold what others hold: they do not store.
  { dtype: "f64", shape: [32, 32], registers: rows, shared: padded(32, 1), store: true },
  ...of("f16", [64, 64], [wgmma], [padded(64, 0), padded(64, 8), nvmma("32B", "f16"), nvmma("128B", "f16")]),
  ...of("f32", [64, 32], [wgmma], [padded(32, 0), padded(32, 8), nvmma("128B", "f32")]),
];

const loads = kernel(
  { block: 128, grid: 1 },
  function loads(
    // biome-ignore lint/suspicious/noExplicitAny: the type of the elements is a static argument
    y: Tensor<any, 2>,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    dtype: Static<any>,
    shape: Static<readonly [number, number]>,
    registers: Static<Layout>,
    layout: Static<SharedLayout>,
  ) {
    y.storeTile([0, 0], sharedMemory.alloc(dtype, shape, { layout }).load(registers));
  },
);

const stores = kernel(
  { block: 128, grid: 1 },
  function stores(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    x: Tensor<any, 2>,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    dtype: Static<any>,
    shape: Static<readonly [number, number]>,
    registers: Static<Layout>,
    layout: Static<SharedLayout>,
  ) {
    sharedMemory.alloc(dtype, shape, { layout }).store(x.loadTile([0, 0], shape, registers));
  },
);

const said = accesses.map(({ registers, shared, dtype, shape, store }) =>
  registers.bankConflicts(shared, { dtype, shape, store }),
);
const text = ({ dtype, shape, registers, shared, store }: Access): string =>
  `${store ? "store" : "load"} ${dtype} [${shape.join(", ")}] ${registers} | ${shared}`;

if (values.csv === undefined) {
  await using device = await openDevice();
  for (const { dtype, shape, registers, shared, store } of accesses) {
    using tensor = device.zeros(dtype, [...shape]);
    const matrix = tensor as DeviceTensor<DType, 2>;
    (store ? stores : loads).launch({}, matrix, dtype, shape as readonly [number, number], registers, shared);
    await device.sync();
  }
  for (const [i, access] of accesses.entries()) console.log(`${i}: ${said[i]} ${text(access)}`);
} else {
  const lines = readFileSync(values.csv, "utf8").split("\n");
  const counted = lines
    .map((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, cell = ""]) => cell))
    .filter((cells) => cells.some((cell) => cell.startsWith("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.")))
    .map((cells) => Number(cells.at(-1)?.replaceAll(",", "")));
  if (counted.length !== accesses.length) throw new Error(`ncu has counted ${counted.length} launches of ${accesses.length}`);
  let wrong = 0;
  for (const [i, access] of accesses.entries()) {
    if (counted[i] !== said[i]) wrong++;
    console.log(`${counted[i] === said[i] ? "ok   " : "WRONG"} ${counted[i]} counted, ${said[i]} said: ${text(access)}`);
  }
  console.log(`${accesses.length} accesses, ${wrong} wrong`);
  process.exitCode = wrong > 0 ? 1 : 0;
}
