import type { Removal } from "./removals.ts";
import type { Change } from "./said.ts";

const of = (file: Removal["file"], entries: readonly Change[]): readonly Removal[] =>
  entries.map((entry) => ({ file, ...entry }));

/** What both kernels have. */
const common: readonly Change[] = [
  { text: "    ring.init();", instead: "", codes: ["W9102"], at: "" },
  // one of the two has not begun, or not initialised, when the other's copy comes
  { text: "ring.init();", instead: "ring.init({ sync: false });", codes: ["W9217", "W9212", "W9102"], at: "" },
  { text: " + bTiles.at(0).bytes);", instead: ");", codes: ["W9215"], at: "b.load" },
  { text: "            put = put.next();", instead: "", codes: ["W9105"], at: "put.acquire" },
  { text: ", { multicast: 0b11 }", instead: "", codes: ["W9001"], at: "put.acquire" },
  { text: "        put.drain();", instead: "        //", codes: ["W9217"], at: ".release" },
  { text: "            get.wait();", instead: "", codes: ["W9204"], at: "D.mma" },
  { text: "            get = get.next();", instead: "", codes: ["W9207", "W9215"], at: "a.load" },
  { text: '            fence.proxyAsync({ space: "shared::cta" });', instead: "", codes: ["W9202"], at: "d.store" },
  { text: "            if (leader) tma.wait(0, { read: true });", instead: "", codes: ["W9205"], at: ".store(panel)" },
  { text: "            warpgroup.sync();", instead: "", codes: ["W9201", "W9205"], at: ".store(panel" },
  { text: "              tma.commit();", instead: "", codes: ["W9205"], at: ".store(panel)" },
  {
    text: "        if (leader) tma.wait(0, { read: true });                       // shared",
    instead: "        // shared",
    codes: ["W9216"],
    at: "d.store",
  },
];

const product =
  "            D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait: 0 });\n            get.release({ pred: lane < CLUSTER, rank: lane });";

/** Two consumers on a tile, two blocks that load for each other: with each piece of their synchronisation taken away. */
export const clusterRemovals = of("gemm/11-cluster", [
  ...common,
  { text: ", wait: 0 }", instead: " }", codes: ["W6001"], at: ".store(panel)" },
  { text: product, instead: product.split("\n").toReversed().join("\n"), codes: ["W9207"], at: "a.load" },
  { text: "            get.release({ pred: lane < CLUSTER, rank: lane });", instead: "", codes: ["W9001"], at: "put.acquire" },
  // to the first block of the pair alone, by the first warp alone
  { text: "pred: lane < CLUSTER, rank", instead: "pred: lane < 1, rank", codes: ["W9001"], at: "put.acquire" },
  {
    text: "pred: lane < CLUSTER, rank",
    instead: "pred: lane < CLUSTER && warp.index % 4 === 0, rank",
    codes: ["W9001"],
    at: "put.acquire",
  },
  { text: "consumers: CONSUMERS * WARPS,", instead: "consumers: WARPS,", codes: ["W9207", "W9214", "W9215"], at: "" },
  { text: "WARPS, peers: CLUSTER", instead: "WARPS", codes: ["W9212", "W9217", "W9102"], at: "" },
]);

const early = "            held.release({ pred: lane < CLUSTER && k > 0, rank: lane });";
const last = "          held.release({ pred: lane < CLUSTER, rank: lane });";

/** Each consumer on a tile of its own, in turns. */
export const pingPongRemovals = of("gemm/12-ping-pong", [
  ...common,
  { text: "        if (wg === 1) others.arrive();", instead: "", codes: ["W9001"], at: "" },
  { text: "          turn.sync();", instead: "", codes: ["W9204", "W9207"], at: "" },
  { text: "          if (index + blocks < all) others.arrive();", instead: "", codes: ["W9001"], at: "" },
  {
    text: "if (index + blocks < all) others",
    instead: "others",
    codes: [],
    harmless: "an arrival that nobody waits for is gone with the block",
  },
  { text: ", wait: 1 }", instead: " }", codes: ["W9207"], at: "a.load" },
  { text: "          wgmma.wait(0);", instead: "", codes: ["W6001"], at: ".store(panel)" },
  { text: early, instead: "", codes: ["W9001"], at: "put.acquire" },
  { text: last, instead: "", codes: ["W9001"], at: "put.acquire" },
  { text: `          wgmma.wait(0);\n${last}`, instead: `${last}\n          wgmma.wait(0);`, codes: ["W9207"], at: "a.load" },
  { text: "          get = get.next(turns);", instead: "", codes: ["W9204", "W9001"], at: "" },
]);
