import { counted, defineErrors } from "../../base/diag/index.ts";

/** Tiles in registers and their layouts. */
export const tilesErrors = defineErrors({
  W6202: {
    message: (a: { what: string; a: string; b: string }) =>
      `${a.what} goes through ${a.a} and ${a.b}, and their shapes do not match`,
    fix: () =>
      "use tiles of one shape; only a dimension of one element goes beside a longer one: write `tile.expand(s, axis)` of what a reduction over that axis gave",
  },
  W6203: {
    message: (a: { layout: string; why: string }) => `this ${a.layout} cannot be: ${a.why}`,
    fix: (a: { fix?: string | undefined }) =>
      a.fix ?? "32 threads make a warp, and every number of a layout is a power of two, given for each dimension",
  },
  W6204: {
    message: (a: { layout: number; here: number }) =>
      `the layout spreads a tile over ${a.layout} warp${a.layout === 1 ? "" : "s"}, and ${a.here} run${a.here === 1 ? "s" : ""} here`,
    fix: () => "give the layout as many warps as the block, or inside `warpgroup.specialize` the partition, has",
  },
  W6205: {
    message: (a: { rank: number; what: string; dims: number }) =>
      `the layout is for tiles with ${counted(a.rank, "dimension")}, and ${a.what === "no shape" ? "no shape is given" : `${a.what} has ${a.dims}`}`,
    fix: (a) =>
      a.what.startsWith("[") || a.what === "no shape"
        ? `give the shape of a tile, with ${counted(a.rank, "extent")}: \`layout.print([${Array.from({ length: a.rank }, () => 64).join(", ")}])\``
        : "give a layout with a number for each dimension, or take a part with as many: `x.at(i)`",
  },
  W6206: {
    message: (a: { what: string; given: string }) => `${a.what} takes a tile, not ${a.given}`,
    fix: () => "give what `view.load(layout)`, `x.loadTile(…)`, `D.tile`, a function of `tile` or an operator on tiles gave",
  },
  W6207: {
    message: (a: { what: string; given: string; rank: number }) =>
      `the axis of ${a.what} is ${a.given}, and the tile has the axes 0 to ${a.rank - 1}`,
    fix: () => "give a static number: 0 is the first dimension; of a matrix, 1 goes along each row",
  },
  W6208: {
    message: (a: { given: string }) => `${a.given} is no truth value: its elements may differ`,
    fix: () => "choose element by element, `tile.where(condition, a, b)` or `condition ? a : b`, or reduce it first",
  },
  W6210: {
    message: (a: { shape: string; why: string }) => `no tile has the shape [${a.shape}]: ${a.why}`,
    fix: () =>
      "use static extents that are powers of two, the next greater one where the data have another: what lies outside a tensor is loaded as `other` and not stored; in a layout of wgmma rows in 64s and columns in 8s",
  },
  W6211: {
    message: (a: { what: string; why: string }) => `${a.what} cannot be: ${a.why}`,
    fix: () => "keep the number of elements; extents are static powers of two",
  },
  W6212: {
    message: (a: { what: string; given: string }) => `${a.what} takes a layout, not ${a.given}`,
    fix: () => "give `new BlockedLayout({ … })` or another layout, such as `tile.info(x).layout`",
  },
  W6213: {
    message: (a: { what: string; wanted: string; given: string }) =>
      `${a.what} of \`tile.dot\` lies as "${a.given}", and this product asks for "${a.wanted}"`,
    fix: (a: { what: string; wanted: string; given: string }) =>
      a.what === "C"
        ? "leave its layout out, `tile.full([64, 64], 0)`, or convert it: `tile.convertLayout(c, new MMALayout({ warps: [4, 1] }))`"
        : "other warps hold it than those of the product: load it where all of these run, or let C be a tile of the warps that hold it",
  },
  W6214: {
    message: (a: { a: string; b: string; acc: string; why: string }) =>
      `there is no product of ${a.a} and ${a.b} that is added to ${a.acc}: ${a.why}`,
    fix: () =>
      'A is [M, K], B [K, N] and C [M, N], at least 16 rows, 8 columns and the K of one instruction; C is f32 or f16 for f16, f32 for bf16, tf32 and 8-bit floats, i32 for 8-bit integers, f64 for f64; f32 is multiplied as tf32: from a `Tensor<"tf32", 2>`, or from shared memory by `view.reinterpret("tf32", shape)`',
  },
  W6215: {
    message: (a: { what: string; why: string; fix: string }) => `${a.what} cannot be: ${a.why}`,
    fix: (a) => a.fix,
  },
  W6216: {
    message: (a: { threads: number }) =>
      `a tile is spread over whole warps, a power of two of them, and ${a.threads} thread${a.threads === 1 ? " runs" : "s run"} here`,
    fix: () =>
      "give the block, or inside `warpgroup.specialize` the partition, 32, 64, 128, 256, 512 or 1024 threads, or let each thread load, copy and store elements",
  },
  W6217: {
    message: () => "the compiler chooses the layout of this tile after the kernel is traced, so that its text cannot ask for it",
    fix: () =>
      "give the tile a layout where it is made, `x.loadTile(at, shape, layout)`; or leave the layout of the other tiles out, too: they come to lie alike",
  },
  W6230: {
    message: (a: { layout: string; why: string }) => `this ${a.layout} cannot be: ${a.why}`,
    fix: () => "give whole numbers of elements and rows, as the class says",
  },
  W6231: {
    message: (a: { layout: string; what: string; why: string }) => `a ${a.layout} cannot hold ${a.what}: ${a.why}`,
    fix: () => "choose another shape, or another layout",
  },
  W6232: {
    message: (a: { given: string }) => `the layout of shared memory is ${a.given}`,
    fix: () => "give a NVMMASharedLayout, a SwizzledSharedLayout or a PaddedSharedLayout",
  },
  W6233: {
    message: (a: { layout: string }) => `shared memory is given both ${a.layout} and a swizzle`,
    fix: () => "leave `swizzle` out: the layout says where the elements lie",
  },
});
