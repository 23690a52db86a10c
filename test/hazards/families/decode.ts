/** The kernel behind `attentionDecode`: src/kernels/attention/decode. */
import type { Device } from "warpsmith";
import { type DecodeShape, decodeDistance, decodingOf } from "../../unit/kernels/decoded.ts";
import { type DecodeRemoval, decodeRemovals } from "../attention-decode-removals.ts";
import { type Family, type Launch, libraryModule, linesIn, taken } from "./family.ts";

type Prepared = typeof import("../../../src/kernels/attention/decode/prepare.ts");

const room = "attention/decode";

/** Two heads of two batches, seven blocks of keys each at most, over five blocks of threads: stages go round, and heads are split. */
const split: DecodeShape = { batches: 2, heads: 4, kvHeads: 2, keys: 448, d: 64, lengths: [400, 448] };
/** Two batches whose keys one block of threads has all of. */
const wide: DecodeShape = { batches: 2, heads: 33, kvHeads: 1, keys: 64, d: 256 };

async function decodeOnce(device: Device, { prepareDecode }: Prepared, of = split): Promise<void> {
  const given = decodingOf(device, "f16", of);
  const { q, k, v, lengths } = given;
  const logSumExp = device.empty("f32", [of.batches, of.heads]);
  const plan = { keys: 64, stages: of === wide ? 1 : 2, blocks: 1, least: 6 } as const;
  const { kernel, args, grid, out } = prepareDecode(q, { k, v, logSumExp, plan, ...(lengths ? { lengths } : {}) });
  kernel.launch({ grid }, ...args);
  const { output, log } = await decodeDistance(given, of, out, logSumExp);
  if (!(output < 1e-3 && log < 1e-5)) throw new Error(`another result: ${output}, ${log}`);
}

async function load(of: DecodeShape, removal?: DecodeRemoval): Promise<Launch> {
  const kernels = await libraryModule<Prepared>(`${room}/prepare.ts`, removal && `${room}/${removal.file}`, removal);
  return (device) => decodeOnce(device, kernels, of);
}

const changes = decodeRemovals.map((removal) => ({ ...removal, file: `${room}/${removal.file}` }));

export const decode: Family = {
  name: "attentionDecode",
  lines: ["kernel", "load", "compute", "combine"].map((file) =>
    linesIn(`${room}/${file}`, changes, {
      calls: /\b(wait|sync|syncThreads|syncWarp|arrive|acquire|release|proxyAsync|commit|atomic)\(/,
      but: /overlaps\)/,
    }),
  ),
  wholes: Object.entries({ split, wide }).map(([title, of]) => ({ title, load: () => load(of) })),
  taken: decodeRemovals.map((removal) =>
    taken(`${removal.wide ? "wide" : "split"}, ${removal.file}`, removal, () => load(removal.wide ? wide : split, removal)),
  ),
};
