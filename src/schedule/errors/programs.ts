import { counted, defineErrors } from "../../base/diag/index.ts";

/** W5501–5519: what `program` refuses, and what holds for every program. */
export const programsErrors = defineErrors({
  W5501: {
    message: (a: { what: string }) => `${a.what} has a meaning only inside a program`,
    fix: () => "call it from the function given to program(…), or from a function written inside that one",
  },
  W5502: {
    message: (a: { got: string }) =>
      `program() takes the shapes of its buffers and a function written where it is called, and ${a.got} is given`,
    fix: (a: { file?: string | undefined }) =>
      `write \`program({ X: [64] }, function name(X: Buffer<"f32", 1>) { … })\`${a.file === undefined ? "" : `, and load ${a.file} through the transform: \`node --import warpsmith/register\`, or the plugin of your bundler`}`,
  },
  W5503: {
    message: (a: { program: string; name: string; why: string }) =>
      `the parameter \`${a.name}\` of ${a.program} is no buffer: ${a.why}`,
    fix: (a: { name: string }) => `say what its elements are and how many dimensions it has: \`${a.name}: Buffer<"f32", 2>\``,
  },
  W5504: {
    message: (a: { program: string; what: string }) => `the shapes given for ${a.program} do not fit its parameters: ${a.what}`,
    fix: () =>
      'give each parameter one extent per dimension, a whole number above 0 or the name of a size that only a launch knows: `{ X: [1024, "N"] }`',
  },
  W5505: {
    message: (a: { what: string; where: string }) =>
      `${a.what} is declared outside ${a.where} and changed inside it: that is traced once, and runs many times or not at all`,
    fix: () =>
      'declare it inside with `const`, choose a value with `c ? a : b`, or keep what changes in a buffer: `alloc("f32", [1], "local")`',
  },
  W5506: {
    message: (a: { what: string }) => `${a.what} would depend on a value that is known only when the program runs`,
    fix: (a: { instead: string }) => a.instead,
  },
  W5507: {
    message: (a: { what: string; got: string }) => `${a.what} must be known while the program is traced, and ${a.got} is given`,
    fix: (a: { instead: string }) => a.instead,
  },
  W5508: {
    message: (a: { what: string; wanted: string; got: string }) => `${a.what} is ${a.wanted}, and ${a.got} is given`,
    fix: (a: { instead: string }) => a.instead,
  },
  W5509: {
    message: (a: { buffer: string }) =>
      `this value was read from ${a.buffer} before ${a.buffer} is written, and is used after that: a program reads where a value is used`,
    fix: (a: { buffer: string }) =>
      `read it again where it is used, or keep it: \`const old = alloc(…)\`, and store what ${a.buffer} held there`,
  },
  W5510: {
    message: () => "`/` divides two integers here, and does not say how to round",
    fix: () => "for an integer write `floorDiv(a, b)`; for a fraction convert both sides, `f32(a) / f32(b)`",
  },
  W5511: {
    message: (a: { op: string; what: string }) => `a program has no ${a.op} of ${a.what}`,
    fix: (a: { instead: string }) => a.instead,
  },
  W5512: {
    message: (a: { buffer: string; rank: number; got: string }) =>
      `${a.buffer} has ${counted(a.rank, "dimension")}, and ${a.got}`,
    fix: (a: { buffer: string; rank: number }) =>
      `write one index for each, a whole number inside the extent: \`${a.buffer}${"ijklmnop".slice(0, a.rank).replace(/./g, "[$&]")}\``,
  },
  W5513: {
    message: (a: { what: string; index: string; extent: number }) =>
      `${a.what} has ${a.extent} elements in this dimension, and ${a.index} is none of them`,
    fix: (a: { extent: number }) => `write an index from 0 to ${a.extent - 1}`,
  },
  W5514: {
    message: (a: { what: string; where: string }) => `${a.what} does not stand here: ${a.where}`,
    fix: (a: { instead: string }) => a.instead,
  },
  W5515: {
    message: (a: { program: string; what: string }) => `${a.program} is no program: ${a.what}`,
    fix: (a: { instead: string }) => a.instead,
  },
  W5516: {
    message: (a: { text: string; why: string }) => `\`${a.text}\` ${a.why}`,
    fix: () => "write the function inside the program, where its text is traced, too; or give it host values only",
  },
  W5517: {
    message: (a: { kind: "reads" | "writes"; block: string; buffer: string }) =>
      `block "${a.block}" ${a.kind} more of ${a.buffer} than ${a.kind}(…) names`,
    fix: (a: { kind: string }) => `leave ${a.kind}(…) out, since it is derived, or name all that the block ${a.kind}`,
  },
  W5518: {
    message: (a: { name: string; what: string }) => `\`${a.name}\` ${a.what}`,
    fix: (a: { instead: string }) => a.instead,
  },
  W5519: {
    message: (a: { what: string }) =>
      `JavaScript cannot read ${a.what} while the program is traced: it is known only when the program runs`,
    fix: () => "compute with it inside the program, with operators, Math and the functions of warpsmith/schedule",
  },
});
