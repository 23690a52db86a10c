/** The kernels behind `attention`, `attentionVarlen` and `attentionMask`: src/kernels/attention. */
import { blockIdx, type Device, type DeviceTensor, helper, kernel, type Tensor, threadIdx } from "warpsmith";
import type { AttentionPlan } from "warpsmith/kernels";
import { distance, operandsOf } from "../../unit/kernels/attended.ts";
import { packedDistance, packedOf } from "../../unit/kernels/packed.ts";
import { type AttentionRemoval, type AttentionSetup, attentionRemovals } from "../attention-removals.ts";
import { type Family, type Launch, libraryModule, linesIn, taken } from "./family.ts";

type Prepared = typeof import("../../../src/kernels/attention/prepare.ts");
type Masks = typeof import("../../../src/kernels/attention/mask/mask.ts");
type Varlen = typeof import("../../../src/kernels/attention/varlen/prepare.ts");

/** Two tiles, five blocks of keys each: the stages go round. */
const of = { batches: 1, heads: 1, kvHeads: 1, queries: 256, keys: 160, d: 64, dv: 64 } as const;
const plan: AttentionPlan = {
  consumers: 2,
  keys: 32,
  stages: 2,
  turns: true,
  overlap: true,
  slack: 8,
  persistent: true,
  group: 1,
};

const copy = kernel({ block: 64 }, function copy(from: Tensor<"f16", 2>, to: Tensor<"f16", 2>) {
  to.at(blockIdx.x, threadIdx.x).store(from.at(blockIdx.x, threadIdx.x).load());
});

/** The same by a launch to overlap. */
function madeBefore(device: Device, from: DeviceTensor<"f16", 4>): DeviceTensor<"f16", 4> {
  const made = device.empty("f16", from.shape) as typeof from;
  const rows = from.shape[2];
  copy.launch({ grid: rows }, from.reshape(rows, 64), made.reshape(rows, 64));
  return made;
}

const before = helper((query: number, key: number) => key <= query);

/** Lists the blocks of a causal mask: two rounds of the warps. */
async function list(device: Device, { attentionMask }: Masks): Promise<void> {
  using mask = attentionMask(device, before, { queries: 16, keys: 2100 });
  const counts = Array.from(await mask.counts.read()).join(", ");
  if (counts !== "0, 1") throw new Error(`another result: ${counts}`);
}

/** Sequences of 100 and 90 queries: two tiles, whose second consumers store a part of their rows. */
async function attendPacked(device: Device, { prepareVarlen }: Varlen): Promise<void> {
  const shape = { heads: 1, kvHeads: 1, d: 64, dv: 64, queries: [100, 90], around: 0 };
  const given = packedOf(device, "f16", shape);
  const { q, k, v, cuSeqlens } = given;
  const logSumExp = device.empty("f32", [1, 190]);
  const { kernel, args, out } = prepareVarlen(q, { k, v, cuSeqlens, logSumExp, plan });
  kernel.launch({ grid: 1 }, ...args);
  const { output, log } = await packedDistance(given, shape, out, logSumExp);
  if (!(output < 2e-3 && log < 1e-4)) throw new Error(`another result: ${output}, ${log}`);
}

async function attend(device: Device, { prepare }: Prepared, setup: AttentionSetup): Promise<void> {
  const operands = operandsOf(device, "f16", of);
  const overlaps = setup === "overlapping";
  const q = overlaps ? madeBefore(device, operands.q) : operands.q;
  const asked = {
    k: operands.k,
    v: operands.v,
    plan: { ...plan, overlap: setup !== "inOrder", turns: setup !== "noTurns" },
    overlapPrevious: overlaps,
  };
  const { kernel, args, out } = prepare(q, asked);
  kernel.launch({ grid: 1, overlapPrevious: overlaps }, ...args);
  const { output } = await distance(out, undefined, operands, of, {}, [0, 63, 64, 127, 128, 255]);
  if (!(output < 2e-3)) throw new Error(`another result: ${output}`);
}

async function load(setup: AttentionSetup, removal?: AttentionRemoval): Promise<Launch> {
  const from = <M>(entry: string) => libraryModule<M>(`attention/${entry}.ts`, removal && `attention/${removal.file}`, removal);
  if (setup === "listing") {
    const masks = await from<Masks>("mask/mask");
    return (device) => list(device, masks);
  }
  if (setup === "packed") {
    const kernels = await from<Varlen>("varlen/prepare");
    return (device) => attendPacked(device, kernels);
  }
  const kernels = await from<Prepared>("prepare");
  return (device) => attend(device, kernels, setup);
}

const changes = attentionRemovals.map((removal) => ({ ...removal, file: `attention/${removal.file}` }));
const setups = ["overlap", "inOrder", "noTurns", "overlapping", "listing", "packed"] as const satisfies readonly AttentionSetup[];

export const attention: Family = {
  name: "attention",
  lines: ["flash", "load", "compute", "store", "mask/kernel"].map((file) =>
    linesIn(`attention/${file}`, changes, {
      calls: /\b(wait|sync|syncThreads|syncWarp|arrive|acquire|release|init|proxyAsync|commit|launchDependents)\(/,
      but: /const release = /,
    }),
  ),
  wholes: setups.map((setup) => ({ title: setup, load: () => load(setup) })),
  taken: attentionRemovals.map((removal) =>
    taken(`${removal.setup}, ${removal.file}`, removal, () => load(removal.setup, removal)),
  ),
};
