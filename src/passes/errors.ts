/** Errors of passes: what needs the whole graph. */
import { defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";
import { irErrors } from "../ir/errors.ts";

export const passesErrors = defineErrors({
  W2048: {
    message: (a: { what: string; group: string }) =>
      `only some threads of a ${a.group} come here, and ${a.what} needs all of them`,
    fix: () =>
      "move it out of the branch, and leave in it what one thread does; a condition on `warpgroup.index` is the same in all threads of a warpgroup",
  },
  W2052: {
    message: () => "this uses a value of the GPU that another kernel computed, or that was kept from an earlier compilation",
    fix: () =>
      "pass what the kernel needs as an argument, and keep values of the GPU only in variables of the kernel that computes them",
  },
  W2064: {
    message: (a: { name: string }) =>
      `${a.name} is loaded with { cache: "nc" } here and stored to in the same kernel: what such a load gives is undefined where the kernel writes`,
    fix: (a) =>
      `leave { cache: "nc" } out; or, where the two never meet, pass what is read and what is written as two tensors: ${a.name}.slice(…) of the host is one`,
  },
  W3005: {
    message: (a: { bytes: number; offset: number }) =>
      `a vector of ${a.bytes} bytes must begin at a multiple of ${a.bytes} bytes, and this place is at byte ${a.offset}`,
    fix: () => "begin at an index that is a multiple of the vector's length, or use a shorter vector",
  },
  W3031: {
    message: (a: { dtype: string; why: string }) =>
      `\`asyncCopy\` moves 4, 8 or 16 bytes at a time, and these elements of ${a.dtype} cannot be joined to 4: ${a.why}`,
    fix: () =>
      "begin the part at an even index of the innermost dimension, with extents and strides that are known and even (`mask: false` where all of it lies in the tensor), or bring it through registers: `view.store(x.loadTile(at, shape))`",
  },
  W3900: {
    message: (a: { total: number; limit: number; buffers: readonly { name: string; bytes: number }[] }) =>
      `the shared memory of this kernel takes ${a.total} bytes, and a block has ${a.limit}: ${a.buffers.map((b) => `${b.name} ${b.bytes}`).join(", ")}`,
    fix: (a: { total: number; limit: number }) =>
      `save ${a.total - a.limit} bytes: fewer stages, smaller tiles, or \`reuse\` for buffers that are not needed at the same time`,
  },
  W4505: {
    message: (a: { shape: string; box: string; name: string }) =>
      `a view of [${a.shape}] is not a whole number of boxes [${a.box}] of the tensor map \`${a.name}\``,
    fix: () =>
      "make each extent of the view a multiple of the box's: change the box in `new TMA(…, { box })`, or take a `.subview`",
  },
  W4506: {
    message: (a: { box: string; name: string }) =>
      `a box [${a.box}] of the tensor map \`${a.name}\` does not lie in one piece in this view`,
    fix: () =>
      "use a view whose rows are as long as the box's and that is not transposed; a swizzled view is stored in panels as wide as its swizzle",
  },
  W4507: {
    message: (a: { known: number; align: number; why: string }) =>
      `TMA needs shared memory that begins at a multiple of ${a.align} bytes${a.why}, and this begins at a multiple of ${a.known}`,
    fix: (a) => `allocate it with \`{ align: ${a.align} }\`, and take parts that begin at multiples of ${a.align} bytes`,
  },
  W6001: {
    message: (a: { name: string | undefined; pending: number }) =>
      `this reads ${a.name ?? "an accumulator"} before its product is known to be finished`,
    fix: (a: { pending: number }) =>
      `write \`wgmma.wait(0)\` before it${a.pending > 0 ? ` (\`wgmma.wait(${a.pending})\` leaves the ${a.pending} newer products running)` : ""}`,
  },
  W6002: {
    message: () => "nothing waits for this product before the kernel ends",
    fix: () => "write `wgmma.wait(0)` on every path from here to the end of the kernel",
  },
  W6003: {
    message: () => "this uses an accumulator that a product has updated since, and its old value is gone",
    fix: () => "go on with what the product gave, `D = D.mma(A, B)`, or start the second product from an accumulator of its own",
  },
  W6004: {
    message: () =>
      "this product starts every iteration of the loop from an accumulator made before it, which the first iteration updates",
    fix: () =>
      "assign the result to the variable that it starts from, `D = D.mma(A, B)`, or make the accumulator inside the loop",
  },
  W6108: {
    message: (a: { what: string; align: number; known: number }) =>
      `${a.what} must begin at a multiple of ${a.align} bytes, where its swizzle's pattern begins, and begins at a multiple of ${a.known}`,
    fix: (a) => `take parts at multiples of ${a.align} bytes (8 rows), and allocate with the swizzle so that it is aligned`,
  },
  W6209: {
    message: () => "warps would give each other elements of a tile that each of several warpgroups has for itself",
    fix: () =>
      "give the tile to all of them, `{ warpgroups: n }`, let one warpgroup run here, or use a layout of all warps that do",
  },
  W6303: {
    message: (a: { what: string; why: string }) => `wmma cannot read or write ${a.what} where it lies: ${a.why}`,
    fix: () =>
      "give it memory without a swizzle, whose rows (or, transposed, columns) lie in one piece each and a multiple of 16 bytes apart; where the matrix begins is divisible by the bytes that a thread holds of it, 32 for f16",
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...irErrors, ...passesErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
