import { defineErrors } from "../../base/diag/index.ts";

export const ptxErrors = defineErrors({
  W2810: {
    message: (a: { at: number; got: string }) => `${a.got} is given to \`ptx\` as operand ${a.at}, and no register holds it`,
    fix: () => "give a number, a bool, or memory, whose address it becomes: `x`, `x.at(i)`, a shared view",
  },
  W2811: {
    message: (a: { got: string }) => `\`out\` of \`ptx\` is ${a.got}`,
    fix: () => 'name a type, "u32", or types: ["u32", "bool"], { sum: "u32", carry: "bool" }',
  },
  W2814: {
    message: () =>
      "inline PTX is applied to the elements of a tile, in whatever order, and this one is not `pure`, or gives nothing",
    fix: () => "say `pure: true` of PTX that only computes; memory is read and written by loadTile and storeTile",
  },
});
