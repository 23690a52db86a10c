import { createHash } from "node:crypto";
import type { Device } from "../../src/index.ts";
import { launchPtx } from "../../src/tools/launch-ptx/index.ts";
import { loadPtx } from "../../src/tools/load-ptx/index.ts";
import { blockSize, kernelOf, resultBytes } from "./kernel.ts";
import { tupleBytes, tupleCount } from "./tuples.ts";

/** What came of one instruction: its results for all tuples, two words of 64 bits each; or why there are none. */
export interface Answer {
  readonly instruction: string;
  readonly results?: BigUint64Array;
  readonly refused?: string;
}

const perLaunch = 64;
let made: Uint8Array | undefined;

function tuples(): Uint8Array {
  made ??= tupleBytes();
  return made;
}

async function launch(device: Device, instructions: readonly string[], count: number): Promise<readonly Answer[]> {
  const input = tuples();
  const before = new Uint8Array(instructions.length * count * resultBytes);
  const buffer = (name: string, bytes: Uint8Array, out: boolean) =>
    ({ name, dtype: "u8", shape: [bytes.length], fill: { kind: "file", path: name }, out }) as const;
  const [result] = await launchPtx(
    device,
    loadPtx(kernelOf(instructions, count)),
    {
      entry: "k",
      grid: [count / blockSize, 1, 1],
      block: [blockSize, 1, 1],
      cluster: [1, 1, 1],
      sharedBytes: 0,
      buffers: [buffer("tuples", input, false), buffer("results", before, true)],
      args: [
        { kind: "address", buffer: "tuples", offset: 0 },
        { kind: "address", buffer: "results", offset: 0 },
      ],
    },
    (path) => (path === "tuples" ? input : before),
  );
  const all = new BigUint64Array((result?.bytes ?? before).slice().buffer);
  return instructions.map((instruction, i) => ({ instruction, results: all.subarray(2 * count * i, 2 * count * (i + 1)) }));
}

/** Where a device takes not all of them, those that it takes: by halves. */
async function halves(device: Device, instructions: readonly string[], count: number): Promise<readonly Answer[]> {
  try {
    return await launch(device, instructions, count);
  } catch (error) {
    const [instruction = ""] = instructions;
    if (instructions.length === 1)
      return [{ instruction, refused: (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "" }];
    const middle = instructions.length >> 1;
    return [
      ...(await halves(device, instructions.slice(0, middle), count)),
      ...(await halves(device, instructions.slice(middle), count)),
    ];
  }
}

/** One answer after the other, in the order given, for the first `count` tuples. */
export async function* runInstructions(
  device: Device,
  instructions: readonly string[],
  count: number = tupleCount,
): AsyncGenerator<Answer> {
  for (let at = 0; at < instructions.length; at += perLaunch)
    yield* await halves(device, instructions.slice(at, at + perLaunch), count);
}

/** Of all results, in the order of the tuples: the first 12 hexadecimal digits of SHA-256. */
export const digestOf = (results: BigUint64Array): string =>
  createHash("sha256")
    .update(new Uint8Array(results.buffer, results.byteOffset, results.byteLength))
    .digest("hex")
    .slice(0, 12);
