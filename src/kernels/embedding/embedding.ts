import type { DeviceTensor } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { asColumn, asRows, checkNumbers, checkOperand, checkWritten, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import { checkTensor, type FloatType } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import { makeEmbedding } from "./embedding-kernel.ts";

/** Where the result of `embedding` goes, and how it runs. W2601, W7012, W7046, W7616, W7617, W7619, W7710. */
export interface EmbeddingOptions<D extends FloatType = FloatType> extends RunOptions {
  /** Where it goes: [..., D], of the type of the table. Default: new memory. */
  readonly out?: DeviceTensor<D>;
  /** Stop where an id is no row of the table, as `debug` of kernels. Default: on in the emulator, off on the GPU. */
  readonly debug?: boolean;
}

export type Ids = DeviceTensor<"i32" | "i64">;

const of = "embedding()";
const known = optionsOf<EmbeddingOptions>(of, { out: true, debug: true, stream: true, overlapPrevious: true });

/** What an H200 was fastest with. */
const plan = { threads: 64, loads: 4 };

/** W7046. */
export function checkDebug(of: string, debug: unknown): void {
  if (debug !== undefined && typeof debug !== "boolean")
    fail("W7046", { of, option: "debug", given: display(debug), expected: "true or false" });
}

function prepare(table: DeviceTensor<FloatType, 2>, ids: Ids, options: EmbeddingOptions): Ready {
  const { out: given, overlapPrevious: overlaps = false, debug } = options;
  checkTensor("table", table, 2, of);
  checkOperand(of, "table", table);
  checkOperand(of, "ids", ids, { dtypes: ["i32", "i64"] });
  const columns = table.shape[1];
  const shape = [...ids.shape, columns];
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: [table.dtype], shape });
  const [rows, column] = [asRows(of, "table", table), asColumn(of, "ids", ids)];
  return taking(table.device, (take) => {
    const out = given ?? take(table.dtype, shape);
    const written = asRows(of, "out", out as DeviceTensor<FloatType>);
    checkWritten(of, "out", written, {}, { table: rows, ids: column });
    const found = { plan, columns, vector: vectorOf(columns, [rows, written]) };
    checkNumbers(of, (column.shape[0] * columns) / found.vector, "vectors of elements");
    const kernel = madeOnce([of, found, overlaps, debug], (kept) => makeEmbedding(found, overlaps, debug, kept));
    return { kernel, args: [written, rows, column], out };
  });
}

function ready(table: DeviceTensor<FloatType, 2>, ids: Ids, options: EmbeddingOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  checkDebug(of, options.debug);
  const { out, debug, overlapPrevious = false } = options;
  return readyFor(table, [of, ids, out, debug, overlapPrevious], out !== undefined, () => prepare(table, ids, options));
}

/**
 * table[id] for each id: the table is [V, D] of f16, bf16 or f32, ids are i32 or i64 of any shape, the result has a row of D elements for each. No memory outside of the table is
 * read: where an id is negative or V and more, the row is NaN, and with `debug` the kernel stops with an error. W7012, W76xx.
 */
export function embedding<D extends FloatType>(
  table: DeviceTensor<D, 2>,
  ids: Ids,
  options: EmbeddingOptions<NoInfer<D>> = {},
): DeviceTensor<D> {
  refuseMore(embedding, arguments);
  const made = ready(table, ids, options as EmbeddingOptions);
  return launch(made, options, options?.out).out as DeviceTensor<D>;
}
prepares(embedding, (table: DeviceTensor<FloatType, 2>, ids: Ids, options: EmbeddingOptions = {}) => ready(table, ids, options));
