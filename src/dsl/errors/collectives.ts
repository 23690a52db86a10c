import { defineErrors } from "../../base/diag/index.ts";

/** W652x: what the threads of a warp, a warpgroup, a block or a cluster compute together. */
export const collectivesErrors = defineErrors({
  W6520: {
    message: (a: { what: string; group: string }) =>
      `\`${a.what}\` needs every thread of the ${a.group}, and only those of a partition run here`,
    fix: () =>
      "use `warpgroup` instead of it, and combine what several warpgroups have through shared memory; or call it outside of `warpgroup.specialize`",
  },
  W6521: {
    message: (a: { what: string; changed: string }) =>
      `the function given to \`${a.what}\` changes ${a.changed}, which is outside of it: it is written down once and runs as often as there are pairs`,
    fix: () => "let it only compute one value of its two, and return it",
  },
  W6522: {
    message: (a: { id: number; group: number }) =>
      `barrier ${a.id} is warpgroup ${a.group}'s own here, at which \`warpgroup.sync\` and what a warpgroup reduces meet, and \`namedBarrier(${a.id}, …)\` takes it too`,
    fix: () => "take another number for the named barrier: warpgroups take 15, 14, … downwards, so begin with 1",
  },
  W6523: {
    message: (a: { what: string; given: string; wanted: string }) =>
      `the function given to \`${a.what}\` returns ${a.given}, and it combines ${a.wanted}`,
    fix: () => "let it return what it is given two of: the same fields, each of the same type",
  },
  W6524: {
    message: (a: { what: string; called: string }) =>
      `${a.called} stands in the function given to \`${a.what}\`, where each thread combines two values by itself`,
    fix: () => "do what threads do together before, and let the function take its result",
  },
});
