import type { Device, DeviceTensor, DType } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { asRows, checkOperand, checkWritten } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import { fail } from "../errors.ts";
import { binCount, type KeyType } from "./digits.ts";
import { makeSort, type SortPlan, type SortShape } from "./sort-kernel.ts";

/** What moves with the keys, where results go, and how `sort` runs. W2601, W7012, W7046, W7616–W7620, W7710. */
export interface SortOptions<D extends KeyType = KeyType, R extends number = number> extends RunOptions {
  /** From the greatest to the least. Default false. Equal keys stay in the order they were in either way. */
  readonly descending?: boolean;
  /** Numbers that move with the keys: i32, of the shape of the keys; or "columns": where each key was. Default: none. */
  readonly values?: DeviceTensor<"i32", R> | "columns";
  /** Where the keys go: of their type and shape. It may be the keys. Default: new memory. */
  readonly out?: DeviceTensor<D, R>;
  /** Where the values go: i32, of their shape. It may be the values. Default: new memory. */
  readonly outValues?: DeviceTensor<"i32", R>;
}

/** Keys in order, and what moved with them. */
export interface Sorted<D extends KeyType, R extends number> {
  /** Of the shape of x. */
  readonly keys: DeviceTensor<D, R>;
  /** Of the shape of x. Undefined where there are no values. */
  readonly values: DeviceTensor<"i32", R> | undefined;
}

const of = "sort()";
const known = optionsOf<SortOptions>(of, {
  ...{ descending: true, values: true, out: true, outValues: true },
  ...{ stream: true, overlapPrevious: true },
});

/** One row is a matter of all multiprocessors, where it has keys enough for more than one block. Beside columns, registers hold a key less. */
function planFor(device: Device, rows: number, columns: number, hasColumns: boolean): SortPlan {
  const small: SortPlan = { threads: 256, keys: 8, blocks: 1, blocksPerSM: 2 };
  if (rows > 1 || columns <= small.threads * small.keys) return small;
  const large = { threads: 512, keys: hasColumns ? 19 : 20, blocksPerSM: 1 };
  const tiles = Math.ceil(columns / (large.threads * large.keys));
  return tiles === 1 ? { ...large, keys: 8, blocks: 2 } : { ...large, blocks: Math.min(tiles, device.multiprocessors) };
}

interface ReadySort extends Ready {
  readonly values: DeviceTensor<"i32"> | undefined;
  /** Whether it may overlap: blocks that wait for each other all begin together. */
  readonly overlaps: boolean;
}

/** W7616–W7620, W7046, W7012. */
function checkSort(x: DeviceTensor<KeyType>, { descending, values, out, outValues }: SortOptions): void {
  checkOperand(of, "x", x, { dtypes: ["i32", "u32", "f32"] });
  if (descending !== undefined && typeof descending !== "boolean")
    fail("W7046", { of, option: "descending", given: display(descending), expected: "true or false" });
  if (typeof values === "string" && values !== "columns")
    fail("W7046", { of, option: "values", given: display(values), expected: 'a tensor of i32 or "columns"' });
  const like = { dtypes: ["i32"], shape: x.shape };
  if (values !== undefined && values !== "columns") checkOperand(of, "values", values, like);
  if (out !== undefined) checkOperand(of, "out", out, { dtypes: [x.dtype], shape: x.shape });
  if (outValues !== undefined && values === undefined) fail("W7620", { of, name: "outValues", needs: "values" });
  if (outValues !== undefined) checkOperand(of, "outValues", outValues, like);
}

function prepare(x: DeviceTensor<KeyType>, options: SortOptions): ReadySort {
  checkSort(x, options);
  const { descending = false, values, overlapPrevious = false } = options;
  const { device, dtype } = x;
  const rowsOf = <D extends DType>(name: string, tensor: DeviceTensor<D>) => asRows(of, name, tensor);
  const keys = rowsOf("x", x);
  const [rows = 1, columns = 1] = keys.shape;
  const given = values === "columns" ? undefined : values && rowsOf("values", values);
  const [out, outValues] = [
    options.out && rowsOf("out", options.out),
    options.outValues && rowsOf("outValues", options.outValues),
  ];
  if (out) checkWritten(of, "out", out, { x: keys }, { values: given, outValues });
  if (outValues) checkWritten(of, "outValues", outValues, { values: given }, { x: keys });
  const plan = planFor(device, rows, columns, values === "columns");
  const overlaps = overlapPrevious && plan.blocks === 1;
  const shape: SortShape = { plan, dtype, descending, values: values === undefined ? "none" : given ? "given" : "columns" };
  const kernel = madeOnce([of, shape, overlaps], (kept) => makeSort(shape, overlaps, kept));
  return taking(device, (take) => {
    const result = options.out ?? take(dtype, x.shape);
    const moved = values === undefined ? undefined : (options.outValues ?? take("i32", x.shape));
    const spare = take(dtype, [rows, columns]);
    const spareValues = moved && take("i32", [rows, columns]);
    const counts = plan.blocks > 1 ? take("u32", [binCount, plan.blocks + 1]) : undefined;
    const tensors = {
      ...{ x: keys, spare, out: rowsOf("out", result) },
      ...(given ? { values: given } : {}),
      ...(moved ? { spareValues, outValues: rowsOf("outValues", moved) } : {}),
      ...(counts ? { counts } : {}),
    };
    return {
      ...{ kernel, args: [tensors], out: result, values: moved, overlaps },
      made: moved && !options.outValues ? [moved] : [],
      // A launch that is found again needs it again.
      temporaries: isKept(options) ? [] : [spare, spareValues, counts].flatMap((tensor) => tensor ?? []),
    };
  });
}

const isKept = ({ values, out, outValues }: SortOptions): boolean =>
  out !== undefined && (values === undefined || outValues !== undefined);

function ready(x: DeviceTensor<KeyType>, options: SortOptions): Call<ReadySort> {
  checkOptions(options, known);
  checkRun(of, options);
  const { descending = false, values, out, outValues, overlapPrevious = false } = options;
  const asked = [of, descending, values, out, outValues, overlapPrevious];
  return readyFor(x, asked, isKept(options), () => prepare(x, options));
}

/**
 * The keys of each row in order, over the last axis: i32, u32 and f32, where 0 and -0 are equal and NaN is greater than everything, as in PyTorch. Equal keys stay in the order they
 * were in. A radix sort: memory of the size of the keys, and of the values, is taken for the time of the launch, or, where `out` and `outValues` are given, kept for the next such
 * call. One row is sorted by all of the GPU; of several, each by one block; the former does not overlap with what was launched before. W7012, W76xx.
 */
export function sort<D extends KeyType, R extends number>(
  x: DeviceTensor<D, R>,
  options: SortOptions<NoInfer<D>, NoInfer<R>> = {},
): Sorted<D, R> {
  refuseMore(sort, arguments);
  const call = ready(x, options as SortOptions);
  const made = launch(call, { ...options, overlapPrevious: call.ready.overlaps }, options?.out);
  return { keys: made.out, values: made.values } as Sorted<D, R>;
}
prepares(sort, (x: DeviceTensor<KeyType>, options: SortOptions = {}) => ready(x, options));
