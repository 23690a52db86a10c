import { defineErrors } from "../../base/diag/index.ts";

/** W6xxx. */
export const wgmmaErrors = defineErrors({
  W6101: {
    message: (a: { shape: string; view: string }) =>
      `[${a.shape}] is not the shape of this view's last two dimensions, [${a.view}]`,
    fix: (a) =>
      `write \`WGMMAMatrix.descriptor(view, [${a.view}])\`, or take a \`.subview\` or \`.transpose()\` of the view first`,
  },
  W6102: {
    message: (a: { dtype: string }) => `wgmma does not multiply matrices of ${a.dtype}`,
    fix: (a) =>
      a.dtype === "f32"
        ? 'allocate the operands as "tf32", f32 that the tensor cores read with 10 bits of mantissa'
        : "use f16, bf16, tf32, e4m3, e5m2, i8 or u8",
  },
  W6103: {
    message: (a: { what: string; dtype: string }) =>
      `${a.what} has its ${a.dtype} elements side by side along ${a.what.startsWith("A") ? "M" : "N"}, and wgmma reads only 16-bit types that way`,
    fix: () => "store the matrix so that its elements lie side by side along K: as [M, K] or, transposed, [N, K]",
  },
  W6104: {
    message: (a: { what: string; multiple: number; dtype: string; extent: number }) =>
      `${a.what} has a K of ${a.extent}, which is not a multiple of ${a.multiple}, the K of one instruction on ${a.dtype}`,
    fix: (a) => `make K a multiple of ${a.multiple}; a tensor map fills what lies outside the tensor with zeros`,
  },
  W6105: {
    message: (a: { extents: string }) =>
      `the view of this operand has stages [${a.extents}], and the product does not say which one it reads`,
    fix: () => "choose it: `A.at(stage)`",
  },
  W6106: {
    message: (a: { what: string; given: number; wanted: number; swizzle: string }) =>
      `${a.what} has rows ${a.given} bytes apart, and with swizzle "${a.swizzle}" wgmma reads rows ${a.wanted} bytes apart`,
    fix: () =>
      'allocate the shared memory with a swizzle: `{ swizzle: "128B" }` and rows of a multiple of 128 bytes (also "64B" and "32B")',
  },
  W6107: {
    message: (a: { what: string }) => `the elements of ${a.what} do not lie in a pattern that wgmma can read`,
    fix: () =>
      "use a whole view of shared memory with a swizzle, its transposition, or parts of it that begin at multiples of 8 rows and 32 bytes",
  },
  W6109: {
    message: (a: { index: string; extent: number }) => `there is no stage ${a.index} among ${a.extent}`,
    fix: (a) => (a.extent > 0 ? `use an index from 0 to ${a.extent - 1}` : "leave `.at` out: this operand has no stages"),
  },
  W6110: {
    message: (a: { what: string; given: number; multiple: number }) =>
      `${a.what} has ${a.given} rows, and a warpgroup multiplies a multiple of ${a.multiple}`,
    fix: (a) => `use a multiple of ${a.multiple} rows`,
  },
  W6111: {
    message: (a: { cols: number; integers: boolean }) =>
      `an accumulator cannot have ${a.cols} columns: wgmma takes ${a.integers ? "8, 16, 24 or a multiple of 16 from 32 to 256 on integers" : "a multiple of 8 from 8 to 256"}`,
    fix: () => "choose another tile, or split the columns over several accumulators",
  },
  W6112: {
    message: (a: { a: string; b: string; d: string }) => `[${a.a}] times [${a.b}] does not add to an accumulator [${a.d}]`,
    fix: () => "A is [M, K], B is [K, N] and D is [M, N]; `transpose()` a view that lies the other way round",
  },
  W6113: {
    message: (a: { a: string; b: string; d: string }) => `wgmma has no product of ${a.a} and ${a.b} into ${a.d}`,
    fix: (a) =>
      a.a !== a.b && !(a.a.startsWith("e") && a.b.startsWith("e"))
        ? "give both operands the same type; only e4m3 and e5m2, and i8 and u8, go together"
        : "add f16, e4m3 and e5m2 into f32 or f16, bf16 and tf32 into f32, i8 and u8 into i32",
  },
  W6114: {
    message: (a: { given: string }) => `${a.given} is no operand of wgmma`,
    fix: () => "make one with `WGMMAMatrix.descriptor(view, shape)`",
  },
  W6115: {
    message: (a: { dtype: string }) => `wgmma does not accumulate in ${a.dtype}`,
    fix: () => 'use "f32", "f16" or, for i8 and u8, "i32"',
  },
  W6116: {
    message: (a: { wanted: number; there: number }) =>
      `${a.wanted} warpgroups share this accumulator, and ${a.there} ${a.there === 1 ? "runs" : "run"} here`,
    fix: (a) => `use { warpgroups: ${a.there} }, a block of ${a.wanted * 128} threads, or a partition of ${a.wanted} warpgroups`,
  },
  W6117: {
    message: (a: { start: string; count: string; cols: number }) =>
      `\`columns(${a.start}, ${a.count})\` is no part of ${a.cols} columns that each thread holds whole`,
    fix: () => "use a static start and count that are multiples of 8, inside the accumulator",
  },
  W6118: {
    message: (a: { from: string; to: string }) => `a tile of ${a.from} cannot be stored as ${a.to}`,
    fix: (a) => `convert it first: a tile by \`${a.to}(t)\`, an accumulator by \`D.convert("${a.to}").store(…)\``,
  },
  W6119: {
    message: (a: { tile: string; dst: string }) => `a tile [${a.tile}] does not fit a destination [${a.dst}]`,
    fix: (a) => {
      const [tile, dst] = [a.tile, a.dst].map((list) => list.split(", ").map(Number)) as [number[], number[]];
      // Extents that only the launch knows are no numbers.
      const holds = tile.length === dst.length && tile.every((n, d) => !((dst[d] ?? 0) < n));
      if (holds)
        return `store into a part of that shape: \`x.subview([${tile.map((_, d) => `i${d}`).join(", ")}], [${a.tile}])\``;
      return tile.length === dst.length
        ? `give a tile of the destination's shape, [${a.dst}], or a destination of [${a.tile}]`
        : tile.length < dst.length
          ? "take a part with as many dimensions as the tile: `x.at(i)`"
          : `give a destination with as many dimensions as the tile: \`x.reshape(${a.tile})\``;
    },
  },
  W6120: {
    message: (a: { dtype: string; what: string }) => `${a.what} of a tile of ${a.dtype}: wgmma adds only f32, f16 and i32`,
    fix: () => "convert after the last product",
  },
  W6121: {
    message: (a: { given: string }) => `\`negate\` is "A" or "B", and works on floats: not ${a.given}`,
    fix: () => "leave it out, or negate the result",
  },
  W6122: {
    message: (a: { threads: number }) => `wgmma needs whole warpgroups of 128 threads, and a block of ${a.threads} is none`,
    fix: () => "use a block of 128 threads, or a multiple",
  },
  W6123: {
    message: (a: { dtype: string }) =>
      `a left operand from registers is a tile of f16, bf16, tf32, e4m3, e5m2, i8 or u8, not of ${a.dtype}`,
    fix: () => 'convert the tile, `tile.convert("f16")`, or store it to shared memory and take a descriptor',
  },
  W6124: {
    message: () => "an operand that is sparse or comes from registers can only be the left one",
    fix: () => "swap the product, or take a descriptor of the whole matrix in shared memory",
  },
  W6125: {
    message: (a: { shape: string }) =>
      `a tile has rows and columns that are known before the kernel runs, and this view is [${a.shape}]`,
    fix: () => "take a part of it: `x.subview([row, col], [64, 64])`, or `.at(i)` of a view with more dimensions",
  },
  W6126: {
    message: (a: { mine: string; theirs: string }) =>
      `\`zip\` goes through two tiles of one shape together, and these are ${a.mine} and ${a.theirs}`,
    fix: () =>
      "use a tile of the same rows and columns, over as many warpgroups, or what `tile.expand` made of one value for each row",
  },
  W6127: {
    message: (a: { wanted: string; given: string }) =>
      `the metadata of this sparse operand are ${a.wanted}, and these are ${a.given}`,
    fix: () =>
      "give a view of u16 with a row for each row of the operand: 4 bits for each chunk of four elements along K, of tf32 of two, the first chunk lowest; `warpgroups` as the accumulator has it",
  },
  W6128: {
    message: (a: { swizzle: string }) =>
      `the right operand of a sparse product has swizzle "${a.swizzle}", and each instruction reads 64 bytes of each row along K`,
    fix: () => 'allocate it with `{ swizzle: "128B" }` or `"64B"`',
  },
  W6129: {
    message: (a: { what: string }) => `${a.what} lies as a SwizzledSharedLayout says, and wgmma does not read that`,
    fix: () => 'use a NVMMASharedLayout, or the option `swizzle: "128B"`',
  },
  W6501: {
    message: (a: { partitions: string; sum: number; there: number; threads: number }) =>
      `the partitions ${a.partitions} take ${a.sum} warpgroups, and a block of ${a.threads} threads has ${a.there}`,
    fix: (a) => `use a block of ${a.sum * 128} threads, or partitions that take ${a.there} together`,
  },
  W6502: {
    message: (a: { name: string; given: string }) => `${a.name} cannot have ${a.given} registers per thread`,
    fix: () => "use a static multiple of 8 from 24 to 256; 40 do for a warpgroup that only loads, 232 for one that multiplies",
  },
  W6503: {
    message: (a: { partitions: string; sum: number; pool: number }) =>
      `the registers of the partitions, ${a.partitions}, are ${a.sum} together, and the block has ${a.pool}`,
    fix: () =>
      "give some partition fewer: the sum of registers times 128 per warpgroup must fit, else the block waits for registers for ever",
  },
  W6504: {
    message: (a: { name: string; given: string }) => `the partition \`${a.name}\` cannot have ${a.given} warpgroups`,
    fix: () => "use a static whole number of at least 1; a warpgroup is 128 threads",
  },
  W6505: {
    message: (a: { what: string; threads: number }) =>
      `${a.what} needs whole warpgroups of 128 threads, and the block has ${a.threads} threads`,
    fix: () => "use a block of a multiple of 128 threads",
  },
  W6506: {
    message: () => "`warpgroup.specialize` cannot stand inside a partition: its warpgroups are assigned already",
    fix: () => "list all partitions in one `specialize`, or branch on `warpgroup.index`",
  },
  W6507: {
    message: (a: { name: string }) => `the partition \`${a.name}\` has no \`run\``,
    fix: () => "write `{ run: () => { … } }`",
  },
  W6508: {
    message: (a: { method: string; given: string }) =>
      `\`warp.${a.method}\` cannot take ${a.given}: a warp has the lanes 0 to 31`,
    fix: () => "use a number from 0 to 31; of a number that the GPU computes the lowest five bits count",
  },
});
