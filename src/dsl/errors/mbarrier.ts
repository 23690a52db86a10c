import { defineErrors } from "../../base/diag/index.ts";

/** W5xxx: mbarriers. */
export const mbarrierErrors = defineErrors({
  W5001: {
    message: (a: { given: string }) => `there cannot be ${a.given} mbarriers: their number is known when the kernel is compiled`,
    fix: () => "use a whole positive number: a literal, a constant or a `Static<number>` parameter",
  },
  W5002: {
    message: (a: { index: number; length: number }) => `there is no mbarrier ${a.index} among ${a.length}`,
    fix: (a) => `use an index from 0 to ${a.length - 1}`,
  },
  W5003: {
    message: (a: { count: string; what: string }) => `${a.what} of an mbarrier cannot be ${a.count}: it is from 1 to 1048575`,
    fix: () => "count the arrivals of one phase: threads that call `arrive`, not bytes",
  },
  W5004: {
    message: (a: { bytes: string }) => `an mbarrier cannot expect ${a.bytes} bytes in a phase: it counts from 0 to 1048575`,
    fix: () => "give the bytes of the loads that complete on it, `view.bytes`; spread larger loads over several barriers",
  },
  W5006: {
    message: (a: { count: string }) => `an arrival that expects bytes is one arrival, not ${a.count}`,
    fix: () => "call `expectTx(bytes)`, then `arrive({ count })`",
  },
  W5007: {
    message: (a: { given: string }) =>
      `the parity of a phase is a boolean, or a whole number whose lowest bit counts, not ${a.given}`,
    fix: () => "start from `let phase = false` and flip it with `phase = !phase` after each round",
  },
  W5008: {
    message: (a: { rank: number; size: number }) => `there is no block ${a.rank} in a cluster of ${a.size}`,
    fix: (a) => (a.size === 1 ? "give the kernel a `cluster`, or leave `rank` out" : `use a rank from 0 to ${a.size - 1}`),
  },
  W5009: {
    message: (a: { what: string; given: string; most: number }) =>
      `\`${a.what}\` of a pipeline cannot be ${a.given}: it is a whole number from 1 to ${a.most}, known when the kernel is compiled`,
    fix: () => "use a whole number in that range: a literal, a constant or a `Static<number>` parameter",
  },
  W5010: {
    message: (a: { peers: number; size: number }) =>
      `a pipeline cannot have ${a.peers} peers in a cluster of ${a.size}: its stages are one block's own, or shared by the whole cluster`,
    fix: (a) =>
      a.size === 1
        ? `give the kernel \`cluster: ${a.peers}\`, or leave \`peers\` out`
        : `use \`peers: ${a.size}\` or \`peers: 1\``,
  },
  W5011: {
    message: (a: { by: string }) => `a stage that is ${a.by} places further on lies behind: a pipeline only goes forward`,
    fix: () => "use a distance of 0 or more; keep the earlier stage in a variable, `previous = get`, where it is still needed",
  },
  W5020: {
    message: () => "`grid.sync()` needs every thread of the block, and only those of a partition run here",
    fix: () => "call it outside of `warpgroup.specialize`",
  },
});
