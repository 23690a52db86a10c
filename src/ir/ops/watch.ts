import { defineOps } from "./define-ops.ts";

const site = { attrs: { site: "number" }, references: { site: "waits" }, effects: ["io"], level: "machine" } as const;

/** What a watched kernel records for the host: where its warps are (src/base/watch-layout.ts). A pass writes these ops; authors do not. */
export const watchOps = defineOps({
  "watch.begin": {
    doc: "The warp has begun: its block, its number, its lanes.",
    operands: {},
    effects: ["io"],
    level: "machine",
  },
  "watch.end": { doc: "The lanes that are here end.", operands: {}, effects: ["io"], level: "machine" },
  "watch.wait": {
    doc: "The lanes that are here begin to wait at site `site`. `id`: the number of the barrier.",
    operands: { id: "i32?" },
    ...site,
  },
  "watch.leave": { doc: "Nobody of the warp waits at site `site` any more.", operands: {}, ...site },
  "watch.mbarrier.wait": {
    doc: "`mbarrier.wait`, which records site `site` where its first try fails.",
    ptx: "9.7.13.15.16",
    operands: { bar: "ptr.shared", parity: "scalar" },
    attrs: { site: "number" },
    references: { site: "waits" },
    effects: ["read.barrier", "sync", "io"],
    level: "machine",
  },
  "watch.look": {
    doc: "A loop has looked at ptr + offset and found `value`: site `site` is recorded at one of 256 looks. Of an mbarrier: which one, and the parity that was asked for.",
    operands: { ptr: "ptr", value: "scalar?", parity: "scalar?" },
    attrs: { site: "number", offset: "number" },
    references: { site: "waits" },
    effects: ["io"],
    level: "machine",
  },
  "watch.left": { doc: "The loop around the looks at site `site` is over.", operands: {}, ...site },
});
