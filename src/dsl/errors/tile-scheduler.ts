import { defineErrors, wordFix } from "../../base/diag/index.ts";

/** W66xx: `TileScheduler`. */
export const tileSchedulerErrors = defineErrors({
  W6601: {
    message: (a: { what: string; got: string; staged: boolean }) =>
      `${a.what} of a TileScheduler is a whole number of at least 1${a.staged ? "" : ", known when the kernel is compiled"}; ${a.got} is given`,
    fix: (a) =>
      a.staged
        ? "give a static number from 1 on, or an i32 or u32 of the GPU"
        : "use a literal, a constant or a `Static<number>` parameter",
  },
  W6602: {
    message: (a: { what: string; known: string; got: string }) =>
      `the ${a.what} of a TileScheduler is ${a.known}, and ${a.got} is given`,
    fix: (a) => `write ${wordFix(a.got, a.known)}, or leave \`${a.what}\` out`,
  },
  W6603: {
    message: (a: { alongM: number; alongN: number; size: number }) =>
      `\`cluster: [${a.alongM}, ${a.alongN}]\` is of ${a.alongM * a.alongN} blocks, and the kernel's clusters have ${a.size}`,
    fix: (a) => `make the product ${a.size}, or change the \`cluster\` of the kernel`,
  },
  W6604: {
    message: (a: { what: string }) => `\`${a.what}\` chooses among the tiles of a block, and in mode "grid" a block has one`,
    fix: (a) => `write \`mode: "persistent"\`, or leave \`${a.what}\` out`,
  },
  W6605: {
    message: (a: { what: string; most: number | undefined; got: string }) =>
      `${a.what} is a whole number from 0 ${a.most === undefined ? "on" : `to ${a.most}`}, and ${a.got} is given`,
    fix: (a) =>
      a.most === undefined
        ? "count from 0, in tiles of clusters"
        : "count from 0, and give `every` as many as take turns at the block's tiles",
  },
  W6606: {
    message: (a: { got: string }) => `the tiles of a TileScheduler are two numbers, [along M, along N], and ${a.got} is given`,
    fix: () => "write `new TileScheduler([cdiv(M, TILE_M), cdiv(N, TILE_N)])`",
  },
  W6607: {
    message: (a: { total: number }) =>
      `a TileScheduler deals out ${a.total} tiles here, those of all splits and of whole clusters, and the number of a tile is an i32: at most 2147483647`,
    fix: () => "use larger tiles or fewer splits, or deal out a part of them in each launch",
  },
});
