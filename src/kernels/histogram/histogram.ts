import type { Device, DeviceTensor } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { asColumn, checkNumbers, checkOperand, checkWritten, mostNumbers } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import { alignmentOf, sizeOf } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import { type HistogramPlan, type HistogramShape, makeHistogram } from "./histogram-kernel.ts";

/** Where the counts of `histogram` go, and how it runs. W2601, W7012, W7046, W7616, W7617, W7619. */
export interface HistogramOptions extends RunOptions {
  /** Where they go: i32, [bins]. Default: new memory. */
  readonly out?: DeviceTensor<"i32", 1>;
}

const of = "histogram()";
const known = optionsOf<HistogramOptions>(of, { out: true, stream: true, overlapPrevious: true });

/** The most bins that blocks count in shared memory, of 4 bytes each: two fit a multiprocessor. */
const mostShared = 24576;
const threads = 512;

function planFor(device: Device, count: number, bins: number, vector: number): HistogramPlan {
  const blocksPerSM = bins <= 12288 || bins > mostShared ? 4 : 2;
  const depth = Math.max(1, Math.min(4, 32 / vector));
  const most = Math.max(1, Math.ceil(count / (threads * vector * depth)));
  const copies = bins > mostShared ? 0 : ([8, 4, 2].find((copies) => copies * bins <= 4096) ?? 1);
  return { threads, blocks: Math.min(most, device.multiprocessors * blocksPerSM), blocksPerSM, copies, depth };
}

/** W7601, W7616, W7617, W7619, W7710. */
function prepare(keys: DeviceTensor<"i32" | "u8">, bins: number, given: DeviceTensor<"i32", 1> | undefined): Ready {
  checkOperand(of, "keys", keys, { dtypes: ["i32", "u8"] });
  if (!(Number.isInteger(bins) && bins >= 1 && bins <= mostNumbers))
    fail("W7616", { name: "bins", of, given: display(bins), expected: `a whole number from 1 to ${mostNumbers}` });
  const column = asColumn(of, "keys", keys);
  const count = column.shape[0];
  checkNumbers(of, count, "keys");
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: ["i32"], shape: [bins] });
  return taking(keys.device, (take) => {
    const out = given ?? take("i32", [bins]);
    const counts = asColumn(of, "out", out);
    checkWritten(of, "out", counts, {}, { keys: column });
    const vector = [16, 4].find((n) => n * sizeOf(keys) === 16 && alignmentOf(column) === 16) ?? 1;
    const shape: HistogramShape = { plan: planFor(keys.device, count, bins, vector), bins, vector };
    return { kernel: madeOnce([of, shape], (kept) => makeHistogram(shape, kept)), args: [column, counts], out };
  });
}

function ready(keys: DeviceTensor<"i32" | "u8">, bins: number, options: HistogramOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  const { out } = options;
  return readyFor(keys, [of, bins, out], out !== undefined, () => prepare(keys, bins, out));
}

/**
 * How many keys are 0, 1, … bins - 1: keys of i32 or u8 and of any shape, counts of i32, [bins]. Other keys are not counted. Up to 24576 bins are counted in the shared memory of
 * each block. Blocks wait for each other, so it does not overlap with what was launched before. W7012, W76xx, W7710.
 */
export function histogram(
  keys: DeviceTensor<"i32"> | DeviceTensor<"u8">,
  bins: number,
  options: HistogramOptions = {},
): DeviceTensor<"i32", 1> {
  refuseMore(histogram, arguments);
  const made = ready(keys as DeviceTensor<"i32" | "u8">, bins, options);
  const run = options.stream ? { stream: options.stream } : {};
  return launch(made, run, options?.out).out as DeviceTensor<"i32", 1>;
}
prepares(histogram, (keys: DeviceTensor<"i32" | "u8">, bins: number, options: HistogramOptions = {}) =>
  ready(keys, bins, options),
);
