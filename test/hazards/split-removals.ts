import { type KernelRemoval, under } from "./kernel-removal.ts";

/** What blocks that split K give each other. */
export const splitRemovals: readonly KernelRemoval[] = under(
  ["split"],
  [
    { file: "kernel/gemm", text: "    if (exchange) cluster.arrive();", instead: "", codes: ["W9226"], at: "cluster.wait" },
    { file: "kernel/gemm", text: "          syncWarp();", instead: "", codes: ["W9224"], at: "" },
    {
      file: "kernel/gemm",
      text: "          cluster.wait();",
      instead: "",
      codes: [],
      harmless: "threads that load have arrived, and use nothing of other blocks",
    },
    { file: "kernel/stages", text: '  fence.proxyAsync({ space: "shared::cta" });', instead: "", codes: ["W9202"], at: "" },
    { file: "kernel/compute", text: "    clearRest(stages, geometry, wg);", instead: "", codes: ["W9209"], at: "D.mma" },
    { file: "kernel/compute", text: "    started.sync();", instead: "", codes: ["W9201"], at: "D.mma" },
    { file: "kernel/compute", text: "  if (exchange) cluster.wait();", instead: "", codes: ["W9212"], at: "asyncCopy.store" },
    { file: "kernel/compute", text: "  if (exchange) finish(0);", instead: "", codes: ["W6001"], at: "" },
    { file: "kernel/exchange", text: "      full.at(i).init(1);", instead: "", codes: ["W9102"], at: "" },
    { file: "kernel/exchange", text: "      empty.at(i).init(splits * (threads / 32));", instead: "", codes: ["W9102"], at: "" },
    {
      file: "kernel/exchange",
      text: "  if (thread === 0) full.arrive({ tx: splits * fours * threads * 16 });",
      instead: "",
      codes: ["W9001"],
      at: "full.wait",
    },
    { file: "kernel/exchange", text: "  empty.wait(!parity);", instead: "", codes: ["W9215"], at: "" },
    { file: "kernel/exchange", text: "  full.wait(parity);", instead: "", codes: ["W9204"], at: "" },
    {
      file: "kernel/exchange",
      text: '  fence.proxyAsync({ space: "shared::cta" });',
      instead: "",
      codes: ["W9203"],
      at: "",
      strictOnly: true,
    },
    { file: "kernel/exchange", text: "  syncWarp();\n", instead: "", codes: ["W9204"], at: "asyncCopy.store" },
    {
      file: "kernel/exchange",
      text: "  empty.arrive({ rank: warp.lane, pred: warp.lane < splits && pred && part.follows });",
      instead: "",
      codes: ["W9001"],
      at: "empty.wait",
    },
  ],
);
