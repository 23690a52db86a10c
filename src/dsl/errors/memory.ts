import { counted, defineErrors, elementTypesText, wordFix } from "../../base/diag/index.ts";

/** W3xxx: tensors, shared memory, barriers of the block, fences. */
export const memoryErrors = defineErrors({
  W3001: {
    message: (a: { index: string; extent: number; dimension: number; what: string }) =>
      `index ${a.index} is outside dimension ${a.dimension} of ${a.what}, which has ${a.extent} elements`,
    fix: (a: { extent: number }) => `use an index from 0 to ${a.extent - 1}`,
  },
  W3002: {
    message: (a: { given: number; rank: number; what: string }) =>
      `${counted(a.given, "index", "indices")} for ${a.what}, which has ${counted(a.rank, "dimension")}`,
    fix: (a: { rank: number }) => (a.rank === 1 ? "give one" : `give at most ${a.rank}, outermost first`),
  },
  W3003: {
    message: (a: { what: string; rank: number }) =>
      `${a.what} has ${counted(a.rank, "dimension")}, so one index gives a row of it, and a row cannot be assigned`,
    fix: () => "assign one element: `x[i][j] = value`, or `x.at(i, j).store(value)`",
  },
  W3004: {
    message: (a: { vector: string; dtype: string; most: number }) =>
      `${a.vector} elements of ${a.dtype} cannot be moved by one instruction`,
    fix: (a: { most: number }) =>
      `use a vector of ${[2, 4, 8, 16].filter((n) => n <= a.most).join(", ") || "1"}: together at most 16 bytes`,
  },
  W3006: {
    message: (a: { vector: number; what: string }) =>
      `${a.vector} neighbouring elements of ${a.what} do not lie side by side in memory`,
    fix: () => "use vectors along the innermost dimension of a tensor that is not transposed",
  },
  W3007: {
    message: (a: { given: number; wanted: number }) => `${a.given} values cannot be stored in one instruction`,
    fix: () => "store 1, 2, 4, 8 or 16 values that are together at most 16 bytes",
  },
  W3008: {
    message: (a: { given: string; rank: number; what: string }) =>
      `${a.what}, ${a.given}, ${a.rank === 1 ? "is no list of one entry" : `does not have one entry for each of ${a.rank} dimensions`}`,
    fix: (a: { rank: number }) =>
      a.rank === 1
        ? "give a list of one number: `[i]`"
        : `give a list of ${a.rank} numbers, outermost first: \`[${Array.from({ length: a.rank }, (_, d) => `i${d}`).join(", ")}]\``,
  },
  W3009: {
    message: (a: { given: string; rank: number }) => `[${a.given}] is not an order of the dimensions 0 to ${a.rank - 1}`,
    fix: (a: { rank: number }) =>
      `name each dimension once, such as \`transpose(${Array.from({ length: a.rank }, (_, i) => a.rank - 1 - i).join(", ")})\``,
  },
  W3010: {
    message: (a: { from: string; to: string; why: string }) => `[${a.from}] cannot be seen as [${a.to}]: ${a.why}`,
    fix: () => "reshape to as many elements, and split or join only dimensions that lie one after the other in memory",
  },
  W3013: {
    message: (a: { given: string; what: string }) =>
      `${a.what} is ${a.given}, and it has to be a whole positive number that is known when the kernel is compiled`,
    fix: () => "use whole positive numbers that are static: literals, constants or `Static<number>` parameters",
  },
  W3014: {
    message: (a: { swizzle: string; row: number; width: number }) =>
      `a row of ${a.row} bytes does not go with swizzle "${a.swizzle}": rows are one or more panels of ${a.width} bytes`,
    fix: (a: { row: number; width: number; swizzle: string }) =>
      a.row < a.width && (a.row === 64 || a.row === 32)
        ? `use swizzle: "${a.row}B"`
        : `make the innermost dimension a multiple of ${a.width} bytes`,
  },
  W3015: {
    message: (a: { align: string; least: number }) =>
      `an alignment of ${a.align} bytes is not possible here: it is a power of two, and at least ${a.least}`,
    fix: (a: { least: number }) => `use { align: ${Math.max(a.least, 16)} }, or leave it out`,
  },
  W3016: {
    message: (a: { at: number; align: number; why: string }) =>
      `byte ${a.at} of the dynamic shared memory is not a multiple of ${a.align}, where ${a.why} begins`,
    fix: (a: { at: number; align: number; why: string }) => `use { at: ${Math.ceil(a.at / a.align) * a.align} }`,
  },
  W3017: {
    message: (a: { what: string; why: string }) => `\`reuse\` names ${a.what}, which is ${a.why}`,
    fix: () => "name the view that `sharedMemory.alloc` or `sharedMemory.dynamic` gave",
  },
  W3018: {
    message: (a: { from: number; to: number; dtype: string; shape: string }) =>
      `a view of ${a.from} bytes cannot be read as ${a.dtype} [${a.shape}], which takes ${a.to}`,
    fix: () => "choose a shape with as many bytes",
  },
  W3019: {
    message: (a: { what: string }) => `${a.what} has gaps between its rows, so its bytes are not one block`,
    fix: () => "reinterpret the whole view first, and take the part after",
  },
  W3020: {
    message: (a: { op: string; dtype: string }) => `an atomic "${a.op}" of ${a.dtype} does not exist on this GPU`,
    fix: (a: { op: string; dtype: string }) =>
      a.op === "add"
        ? "use i32, u32, u64, i64, f16, bf16, f32 or f64"
        : a.op === "min" || a.op === "max"
          ? "use i32, u32, i64, u64, f32 or f64"
          : a.op === "and" || a.op === "or" || a.op === "xor"
            ? "use i32, u32, i64 or u64"
            : a.op === "exch" || a.op === "compareAndSwap"
              ? "use a type of 32 or 64 bits"
              : "write it as a loop: `let seen = p.load(); let was = p.compareAndSwap(seen, change(seen)); while (was !== seen) { seen = was; was = p.compareAndSwap(seen, change(seen)); }`",
  },
  W3021: {
    message: (a: { dtype: string; rank: number; shape: string }) =>
      `the kernel uses a tensor [${a.shape}] of the host that it was not given: memory reaches the GPU only as a parameter`,
    fix: (a) => `add a parameter to the kernel, such as \`x: Tensor<"${a.dtype}", ${a.rank}>\`, and pass the tensor at launch`,
  },
  W3022: {
    message: (a: { cache: string; allowed: string }) => `"${a.cache}" is no cache option here`,
    fix: (a: { cache: string; allowed: string }) => `use one of ${a.allowed}, in global memory`,
  },
  W3023: {
    message: (a: { id: string }) => `${a.id} is no barrier for threads of a block: there are 1 to 15, and 0 is \`syncThreads\``,
    fix: () => "choose a number from 1 to 15, a different one for each group of threads",
  },
  W3024: {
    message: (a: { count: string; most: number }) =>
      `a barrier for ${a.count} threads is not possible: whole warps of 32 meet at it, at most the ${a.most} threads of this block`,
    fix: () => "give a static multiple of 32",
  },
  W3025: {
    message: (a: { what: string; given: string; allowed: string }) => `${a.what} cannot be ${a.given}`,
    fix: (a: { what: string; given: string; allowed: string }) => `use ${wordFix(a.given, a.allowed)}`,
  },
  W3026: {
    message: (a: { what: string; dtype: string }) => `"${a.dtype}" is no element type, so ${a.what} cannot hold it`,
    fix: (a: { what: string; dtype: string }) => `use ${wordFix(a.dtype, elementTypesText)}`,
  },
  W3027: {
    message: (a: { end: number; size: number }) =>
      `this buffer ends at byte ${a.end} of the dynamic shared memory, of which the kernel has ${a.size}`,
    fix: (a: { end: number; size: number }) => `give the kernel the option \`smem: ${a.end}\`, or place the buffer lower`,
  },
  W3028: {
    message: (a: { what: string; can: string }) => `${a.what} lies in another block's shared memory, where only ${a.can} it`,
    fix: () => "do it in the block whose memory it is, or map the block's own object",
  },
  W3030: {
    message: (a: { what: string; given: string }) => `${a.what} is no ${a.given} of this kernel`,
    fix: () =>
      "use a tensor among the kernel's parameters, and what `sharedMemory.alloc` or `sharedMemory.dynamic` made; a block of the cluster is named by its rank",
  },
  W3033: {
    message: (a: { bytes: string; dtype: string }) =>
      `\`asyncCopy.copy\` does not move ${a.bytes} bytes of elements of ${a.dtype}`,
    fix: () => "move 4, 8 or 16 bytes, whole elements: `{ bytes: 16 }`",
  },
  W3034: {
    message: (a: { count: number; dtype: string; bytes: number }) =>
      `a store to another block completes 4, 8 or 16 bytes, and ${a.count} of ${a.dtype} have ${a.bytes}`,
    fix: () => "store several neighbours at once: `[a, b]`; or store to `cluster.map(view, rank)`, and arrive at its mbarrier",
  },
  W3035: {
    message: (a: { op: string; dtype: string }) => `there is no asynchronous "${a.op}" of ${a.dtype} in another block`,
    fix: () =>
      '"add" works on i32, u32, i64 and u64; "min", "max", "and", "or" and "xor" on i32 and u32; "inc" and "dec" on u32; else use `atomic` of a place of `cluster.map(view, rank)`',
  },
  W3036: {
    message: (a: { given: string; why: string }) => `the caches take no "${a.given}" here: ${a.why}`,
    fix: () => "leave the option out, or use it for elements of a tensor, without `cache`",
  },
  W3037: {
    message: (a: { op: string; count: number; dtype: string }) =>
      `${a.count} neighbours of ${a.dtype} cannot be combined by "${a.op}" in one instruction`,
    fix: () =>
      'combine 2 or 4 of f32 by "add", or 2, 4 or 8 of f16 and bf16 by "add", "min" or "max", in a tensor; or one element at a time',
  },
  W3038: {
    message: (a: { what: string; dimension: number }) =>
      `a part with strides needs the strides of ${a.what} while the kernel is compiled, and dimension ${a.dimension} has one that the launch gives`,
    fix: (a: { name: string }) =>
      `index the elements: \`${a.name}.at(begin + i * step)\`, or leave the strides of \`${a.name}\` static`,
  },
  W3039: {
    message: (a: { what: string; dimension: number; step: number; panel: number }) =>
      `dimension ${a.dimension} of ${a.what} is stored in panels of ${a.panel} elements, and a stride of ${a.step} does not divide them`,
    fix: (a: { panel: number }) => `use a stride that divides ${a.panel}, or take a part within one panel`,
  },
});
