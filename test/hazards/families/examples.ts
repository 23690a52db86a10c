/** Kernels of the chapters and of the ladder, each in a file of its own. */
import { join } from "node:path";
import { type Device, type Kernel, TMA } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { ChangedCopy } from "../../support/changed-copy.ts";
import { type Removal, removals } from "../removals.ts";
import { changed } from "../said.ts";
import { type Family, type Launch, nextFolder, root, taken } from "./family.ts";

type File = Removal["file"];
type Module = Readonly<Record<string, unknown>>;

const source = join(root, "examples");
const changedCopy = new ChangedCopy(source);

const tolerance = { rtol: 5e-3, atol: 1e-1 } as const;

/** The chapters' product: a [M, K], b [K, N], one tile. */
async function multiplyInChapter(device: Device, module: Module): Promise<void> {
  const [M, N, K, stages] = [128, 128, 256, 2];
  const [a, b] = [randn(M * K, 1), randn(K * N, 2)];
  using aDev = device.tensor("f16", [M, K], a),
    bDev = device.tensor("f16", [K, N], b),
    d = device.empty("f32", [M, N]);
  const maps = [new TMA(aDev, { box: [128, 64], swizzle: "128B" }), new TMA(bDev, { box: [64, 64], swizzle: "128B" })];
  const kernel = (module.gemmMultistage ?? module.gemmWarpSpecialized) as Kernel<unknown[]>;
  kernel.launch({}, ...maps, d, stages);
  assertClose(await d.read(), referenceMatmul(a, b, { M, N, K }), tolerance);
}

/** The ladder's: b is [N, K]. A pair of blocks; every consumer has a second tile, and a tile has more iterations along K than the pipeline stages. */
async function multiplyOnLadder(device: Device, module: Module): Promise<void> {
  const [M, N, K] = [256, 768, 320];
  const [a, b] = [randn(M * K, 1), randn(K * N, 2)];
  const byColumns = b.map((_, i) => b[(i % K) * N + Math.floor(i / K)] ?? Number.NaN);
  using aDev = device.tensor("f16", [M, K], a),
    bDev = device.tensor("f16", [N, K], byColumns),
    d = device.empty("f16", [M, N]);
  const { gemm, args } = module as { gemm: Kernel<unknown[]>; args(...of: unknown[]): unknown[] };
  gemm.launch({}, ...args(aDev, bDev, d, 2));
  assertClose(await d.read(), referenceMatmul(a, b, { M, N, K }), tolerance);
}

async function load(file: File, removal?: Removal): Promise<Launch> {
  const entry = `${file}.ts`;
  const path = removal ? changedCopy.write(entry, entry, (text) => changed(text, removal), nextFolder()) : join(source, entry);
  const module = (await import(/* @vite-ignore */ path)) as Module;
  return (device) => (file.startsWith("ch") ? multiplyInChapter : multiplyOnLadder)(device, module);
}

export const examples: Family = {
  name: "examples",
  lines: [],
  wholes: [...new Set(removals.map(({ file }) => file))].map((file) => ({ title: file, load: () => load(file) })),
  taken: removals.map((removal) => taken(removal.file, removal, () => load(removal.file, removal))),
};
