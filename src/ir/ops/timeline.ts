import { defineOps } from "./define-ops.ts";

/** Which groups a wait or a commit is of, and whether every warp records it. */
const ofGroups = {
  group: ["", "wgmma", "bulk", "cp.async"],
  pending: "number?",
  commits: "string?",
  by: ["warp", "warpgroup"],
} as const;

const records = { effects: ["io"], level: "machine" } as const;
/** What lanes or warps do together, or one for another. */
const meets = { effects: ["io", "sync"], level: "machine" } as const;

/**
 * What a kernel that is compiled for a timeline records as it runs: the pass `record-timeline` puts these ops in, and nothing else does.
 * Each warp of each block has a slice of a buffer in device memory; src/base/timeline-layout.ts says what lies where.
 */
export const timelineOps = defineOps({
  "timeline.begin": {
    doc: "At the beginning of the kernel: finds the warp's slice, writes when and where the warp begins. `words`: shared memory for the warp that observes landings, which is cleared before any thread goes on.",
    operands: { words: "ptr.shared?" },
    ...meets,
    participants: "whole block",
    called: "the beginning of a recorded kernel",
  },
  "timeline.end": {
    doc: "Before a thread ends: writes when. `words`: counts the thread as one that has ended.",
    operands: { words: "ptr.shared?" },
    ...meets,
  },
  "timeline.clock": {
    doc: "The low 32 bits of the clock of the multiprocessor, read here and not earlier or later.",
    ptx: "10",
    operands: {},
    result: "u32",
    ...records,
  },
  "timeline.record": {
    doc: "Records site `site`: a time, an mbarrier and its parity or the number `id` of a barrier, at most two words: of a wait when it ended. It takes the place `ahead` places behind the warp's next one, which `timeline.advance` moves. All lanes that are here write the same; `pred`: those that do. `by`: every warp, or of each warpgroup the first one for all four, which `pred` then says.",
    operands: { time: "scalar", bar: "ptr.shared?", parity: "scalar?", id: "i32?", values: "scalar*", pred: "pred?" },
    attrs: {
      site: "number",
      what: ["wait", "load", "store", "commit", "mark", "more", "landing"],
      name: "string",
      map: "string?",
      ...ofGroups,
      ahead: "number",
    },
    ...records,
    verify: ({ operands: { values } }) => (Array.isArray(values) && values.length > 2 ? "records at most two words" : undefined),
  },
  "timeline.advance": {
    doc: "Moves the warp's next place by `places`.",
    operands: {},
    attrs: { places: "number" },
    ...records,
  },
  "timeline.carry": {
    doc: "At the end of a loop's body: keeps a wait that has ended for `timeline.carried` of the next round, or of what follows the loop. Without operands, before the loop: keeps nothing.",
    operands: { time: "scalar?", end: "scalar?" },
    attrs: {
      site: "number?",
      name: "string",
      ...ofGroups,
    },
    ...records,
  },
  "timeline.carried": {
    doc: "Records what was kept, `ahead` places behind the warp's next one; the place stays empty where nothing was. `pred`: lanes that do.",
    operands: { pred: "pred?" },
    attrs: { ahead: "number" },
    ...records,
  },
  "timeline.join": {
    doc: "Behind a branch or a loop that lanes of a warp take apart: all that are here again have the next place of the one that is furthest. `leaves`: the site that says that one side was not recorded.",
    ptx: "9.7.13.12",
    operands: {},
    attrs: { leaves: "number?" },
    ...meets,
    participants: "warp",
    called: "the place where lanes of a recorded warp meet",
  },
  "timeline.start": {
    doc: "Before loads are issued: says to the warp that observes landings that the barriers are there.",
    operands: { words: "ptr.shared" },
    ...meets,
  },
  "timeline.observe": {
    doc: "One warp, which has nothing else to do, looks at barriers until all other threads of the block have ended, and records each phase that ends as site `site`. `counts`: mbarriers from each address of `bars` on, together at most 32.",
    operands: { bars: "ptr.shared*", words: "ptr.shared" },
    attrs: { site: "number", counts: "number[]" },
    effects: ["io", "sync", "read.barrier"],
    participants: "warp",
    called: "the warp that observes landings",
    level: "machine",
  },
});
