import { defineErrors } from "../../base/diag/index.ts";

/** W5610–W5649: what a pipeline of passes asks of its program and its options. */
export const pipelineErrors = defineErrors({
  W5610: {
    message: (a: { program: string; why: string }) =>
      `\`${a.program}\` is no product of two matrices that a pipeline takes: ${a.why}`,
    fix: () =>
      "write it as one block, `C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj])`, each operand converted to the type of C, of buffers of their own and of extents that are known, with an init where C begins at 0",
  },
  W5611: {
    message: (a: { option: string; example?: string }) => `\`tensorCorePipeline()\` needs the option \`${a.option}\``,
    fix: (a) =>
      `give all of them, such as \`${a.example ?? "{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 3, storeStage: 1 }"}\``,
  },
  W5612: {
    message: (a: { option: string; wanted: string; given: string }) =>
      `the option \`${a.option}\` is ${a.wanted}, not ${a.given}`,
    fix: (a) => `give ${a.wanted}`,
  },
  W5613: {
    message: (a: { given: string }) => `copies end in stage ${a.given}, and the pipeline has them end in stage 1`,
    fix: () => "write `storeStage: 1`: what was loaded is in shared memory before the products of the next stage",
  },
  W5614: {
    message: (a: { workgroup: string; threads: number; most: number }) =>
      `the workgroup ${a.workgroup} has ${a.threads} threads, and a block has at most ${a.most}`,
    fix: () => "take fewer warps, and let each make a larger part of the tile",
  },
  W5615: {
    message: (a: { workgroup: string; z: number }) =>
      `the workgroup ${a.workgroup} has ${a.z} threads along z: warps would share the sums of one tile`,
    fix: () => "give 1 along z, and divide rows and columns of the tile by warps along y and x",
  },
  W5616: {
    message: (a: { workgroup: string; x: number; warp: number }) =>
      `the workgroup ${a.workgroup} has ${a.x} threads along x, which is no multiple of a warp, ${a.warp}`,
    fix: (a) => `give ${a.warp} threads along x for each warp along the columns of the tile`,
  },
  W5617: {
    message: (a: { a: string; b: string; types: readonly [string, string] }) =>
      `the tensor cores multiply operands of one type; \`${a.a}\` is of ${a.types[0]}, and \`${a.b}\` of ${a.types[1]}`,
    fix: () => "convert one of them before, in a program of its own",
  },
  W5618: {
    message: (a: { input: string; sum: string; known: string }) =>
      `the tensor cores have no product of ${a.input} that sums in ${a.sum} by this instruction`,
    fix: (a) => `multiply ${a.known}; all but i8 sum in f32, f16 in f16, too, and i8 in i32`,
  },
  W5619: {
    message: (a: { tile: string; batch: number }) => `the tile ${a.tile} takes ${a.batch} of the batch, and a block takes one`,
    fix: () => "give 1 as the tile of the batch",
  },
  W5620: {
    message: (a: { instruction: string; warp: string; tile: string; dtype: string }) =>
      `a warp's part of the tile ${a.tile} is ${a.warp}, which instructions of ${a.instruction} for ${a.dtype} do not divide`,
    fix: () =>
      "take a larger tile or fewer warps: warps along y divide its rows, those along x its columns, and each part is made of whole instructions",
  },
  W5621: {
    message: (a: { shape: string; tile: string; ragged: readonly string[] }) =>
      `the tile ${a.tile} does not divide the product ${a.shape} along ${a.ragged.map((d) => d.toUpperCase()).join(", ")}`,
    fix: () => "take a tile that does, or let the matrices be padded with zeros: `pad: true`",
  },
  W5622: {
    message: (a: { block: string; c: string }) =>
      `'${a.block}' adds to \`${a.c}\`, and only a product that begins at 0 is padded`,
    fix: () => "give it an init and add the old values in a program of their own, or take a tile that divides the shape",
  },
  W5623: {
    message: (a: { what: string; least: number; groups: number; k: number; step: number }) =>
      `${a.what} loads a group of ${a.step} summands while the one before it is multiplied, and a tile of ${a.k} has ${a.groups} of the ${a.least} groups that this takes`,
    fix: (a) => `take a tile of ${a.least * a.step} along K, or of a multiple of that`,
  },
  W5624: {
    message: (a: { what: string; least: number; depth: number }) =>
      `${a.what} reads the next tile while it multiplies this one and copies a third, and the depth ${a.depth} keeps no more than ${a.depth}`,
    fix: (a) => `give a depth of ${a.least} or more`,
  },
  W5625: {
    message: (a: { why: string; instead: string }) => `TMA cannot make these copies: ${a.why}`,
    fix: (a) => a.instead,
  },
  W5626: {
    message: (a: { block: string; product: string; why: string; instead: string }) =>
      `'${a.block}' cannot be computed of what '${a.product}' sums up before that is stored: ${a.why}`,
    fix: (a) => a.instead,
  },
  W5640: {
    message: (a: { program: string; why: string; instead: string }) => `\`${a.program}\` is no product for warpgroups: ${a.why}`,
    fix: (a) => a.instead,
  },
});
