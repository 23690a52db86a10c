import { defineErrors } from "../../base/diag/index.ts";

/** W5590–W5609: programs of loop nests that become kernels. */
export const lowerErrors = defineErrors({
  W5576: {
    message: (a: { loop: string; why: string; instead?: string | undefined }) =>
      `a warpgroup of its own cannot make the copies of the loop '${a.loop}': ${a.why}`,
    fix: (a) =>
      a.instead ??
      "leave its copies and what reads them as `warpSpecialize` has found them, or take `warpSpecialize` as the last step of the schedule",
  },
  W5577: {
    message: (a: { program: string; name: string; why: string }) =>
      `\`${a.program}\` copies \`${a.name}\` by TMA, which cannot take the tensor given for it: ${a.why}`,
    fix: () =>
      "pass a tensor whose rows are in one piece and begin at multiples of 16 bytes: a copy of it, or one with longer rows",
  },
  W5578: {
    message: () => "a stage of a pipeline is asked for outside of a loop that `warpSpecialize` has taken",
    fix: () => "leave the effect out: lowering puts those of a pipeline in, where a loop is specialized",
  },
  W5579: {
    message: (a: { program: string; name: string; why: string }) =>
      `\`${a.program}\` copies \`${a.name}\` asynchronously, 4, 8 or 16 bytes at a time, which the tensor given for it does not allow: ${a.why}`,
    fix: () =>
      "pass a tensor that begins at a multiple of 4 bytes, best of 16, and whose rows are in one piece and multiples of that apart: a copy of this one",
  },
  W5580: {
    message: (a: { program: string; why: string; instead?: string | undefined }) =>
      `the threads and blocks of \`${a.program}\` would not see what they read: ${a.why}`,
    fix: (a) =>
      a.instead ??
      "bind the loops around both in the same way, so that who reads has written it; or move the one under the loop of the other (`computeAt`, `reverseComputeAt`); or make two kernels of them",
  },
  W5590: {
    message: (a: { program: string; name: string; given: string; wanted: string }) =>
      `\`${a.program}\` takes a tensor [${a.wanted}] for \`${a.name}\`, and was given one of [${a.given}]`,
    fix: () => "pass a tensor of that shape, or give the program a size by name where only the launch knows it",
  },
  W5591: {
    message: (a: { program: string; threads: string; most: number }) =>
      `\`${a.program}\` binds ${a.threads} threads, and a block has at most ${a.most}`,
    fix: () => "split the loop that is bound to a thread index, and bind the outer part to a block index or leave it serial",
  },
  W5592: {
    message: (a: {
      name: string;
      near: string | undefined;
      why?: string | undefined;
      family?: { names: string; takes: string } | undefined;
    }) => `there is no tensor intrinsic \`${a.name}\`${a.why === undefined ? "" : `: ${a.why}`}`,
    fix: (a) =>
      a.family !== undefined
        ? `\`${a.family.names}\` takes ${a.family.takes}${a.near === undefined ? "" : `; or did you mean \`${a.near}\`?`}`
        : a.near !== undefined
          ? `did you mean \`${a.near}\`? \`tensorIntrinsics()\` lists them all`
          : "register it with `tensorIntrinsic`, or take one of those that `tensorIntrinsics()` lists",
  },
  W5593: {
    message: (a: { name: string }) => `there already is a tensor intrinsic \`${a.name}\``,
    fix: () => "give it another name; an intrinsic is registered once",
  },
  W5594: {
    message: (a: { name: string; participants: string; tag: string }) =>
      `\`${a.name}\` is run by a ${a.participants} together, and stands under a loop bound to ${a.tag}, which tells those threads apart`,
    fix: (a) =>
      `bind that loop to an index that is the same in all threads of a ${a.participants}, or leave ${a.tag} unbound there`,
  },
  W5595: {
    message: (a: { name: string; participants: string; needed: number; threads: number; along?: string | undefined }) =>
      `\`${a.name}\` is run by a ${a.participants}, ${a.needed} threads, and ${a.threads} threads ${a.along === undefined ? "of the block" : `along ${a.along}`} are there for it`,
    fix: (a) =>
      a.along === undefined
        ? "bind a loop to threadIdx.x whose extent is a multiple of those threads, such as the one of the copies"
        : `split the loops that are bound to ${a.along}, such as those of the copies: ${a.needed} iterations for ${a.along}, and ${a.threads / a.needed} for threadIdx.y`,
  },
  W5596: {
    message: (a: { buffer: string; scope: string; why: string }) =>
      `\`${a.buffer}\` lives in registers (${a.scope}), and which of them is touched here is not known while compiling: ${a.why}`,
    fix: () =>
      "make the loops that choose among its elements or tiles of constant extent, and let its indices begin at multiples of the tile",
  },
  W5597: {
    message: (a: { program: string; bytes: number; most: number; buffers: string }) =>
      `\`${a.program}\` needs ${a.bytes} bytes of shared memory in a block, which has ${a.most}: ${a.buffers}`,
    fix: () => "make the tiles smaller, move the copies under an inner loop, or take fewer stages",
  },
  W5598: {
    message: (a: { buffer: string; why: string }) =>
      `the threads of the block would have to meet here, because of \`${a.buffer}\`, but ${a.why}`,
    fix: () =>
      "move the accesses apart so that all threads of the block pass between them, or give all loops bound to one index one extent",
  },
  W5599: {
    message: (a: { outer: string; inner: string; tag: string }) =>
      `the loops \`${a.outer}\` and \`${a.inner}\` inside it are both bound to ${a.tag}, and what is inside the inner one depends on \`${a.outer}\``,
    fix: () => "bind one of them to another index, or move the inner loop out of the outer one",
  },
  W5600: {
    message: (a: { op: string; known: string }) => `there is no effect \`${a.op}\``,
    fix: (a) => `the effects are ${a.known}`,
  },
  W5601: {
    message: (a: { loop: string; tag: string }) =>
      `the extent of the loop \`${a.loop}\`, which is bound to ${a.tag}, is not known at the launch`,
    fix: () => "give it an extent that is a number or made of sizes, and skip what is too much with `where`",
  },
  W5602: {
    message: (a: { name: string; buffer: string; why: string }) =>
      `\`${a.name}\` cannot take this part of \`${a.buffer}\`: ${a.why}`,
    fix: (a) => `give it what the description of \`${a.name}\` says`,
  },
  W5603: {
    message: (a: { name: string; wanted: number; given: number }) =>
      `\`${a.name}\` takes ${a.wanted} parts of buffers, not ${a.given}`,
    fix: (a) => `give it one for each parameter of the description of \`${a.name}\``,
  },
  W5604: {
    message: (a: { why: string }) => `this copy cannot be asynchronous: ${a.why}`,
    fix: () => "an asynchronous copy stores an element of global memory as it is into shared memory, 4, 8 or 16 bytes at a time",
  },
  W5605: {
    message: (a: { name: string; at: string; kernel: string; program: string }) =>
      `the implementation of \`${a.name}\` does not do what its description says: at ${a.at} it gives ${a.kernel}, and the description ${a.program}`,
    fix: () => "mend the one or the other",
  },
  W5606: {
    message: (a: { program: string }) => `the grid of \`${a.program}\` is what its loops say`,
    fix: () => "leave out `grid`: loops bound to blockIdx give it",
  },
  W5607: {
    message: (a: { name: string; use: string; wanted: string; given: string }) =>
      `\`${a.name}\` takes ${a.use} by ${a.wanted}, and it was loaded by ${a.given}`,
    fix: () => "take the load and the product whose names say the same of rows and columns",
  },
  W5608: {
    message: (a: { program: string; name: string }) =>
      `\`${a.program}\` allocates \`${a.name}\` in global memory, and a kernel cannot allocate there`,
    fix: (a) =>
      `make \`${a.name}\` a parameter of the program, or allocate it in "shared" or "local"; a schedule moves it there: \`setScope("${a.name}", "shared")\`, once \`computeAt\` or \`reverseComputeAt\` has moved who fills it and who reads it under one loop over blocks; or it goes away where \`computeInline\` puts what fills it in its place`,
  },
  W5609: {
    message: (a: { buffer: string; where: string | undefined }) =>
      `this reads an element of \`${a.buffer}\`, registers of a thread (local), that nothing has stored before${a.where === undefined ? "" : `, where ${a.where}`}`,
    fix: () =>
      "store it first: give a sum its `init`, fill the buffer in a block before, under the same conditions and in the same threads, or read only what was filled",
  },
});
