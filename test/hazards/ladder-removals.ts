import type { Removal } from "./removals.ts";
import type { Change } from "./said.ts";

const of = (file: Removal["file"], entries: readonly Change[]): readonly Removal[] =>
  entries.map((entry) => ({ file, ...entry }));

/** What all of them have. */
const common: readonly Change[] = [
  { text: "    pipe.init();", instead: "", codes: ["W9102"], at: "" },
  { text: " + bTiles.at(0).bytes);", instead: ");", codes: ["W9215"], at: "b.load" },
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

/** What those with pairs of blocks have. */
const paired: readonly Change[] = [
  ...common,
  { text: "            put = put.next();", instead: "", codes: ["W9105"], at: "put.acquire" },
  { text: "            get.wait();", instead: "", codes: ["W9204"], at: "D.mma" },
  // one of the two has not begun, or not initialised, when the other's copy comes
  { text: "pipe.init();", instead: "pipe.init({ sync: false });", codes: ["W9217", "W9212", "W9102"], at: "" },
  { text: ", { multicast: 0b11 }", instead: "", codes: ["W9001"], at: "put.acquire" },
  { text: "        put.drain();", instead: "        //", codes: ["W9217"], at: ".release" },
];

const product =
  "            D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait: 0 });\n            get.release({ pred: lane < CLUSTER, rank: lane });";

/** Two consumers on a tile, two blocks that load for each other: with each piece of their synchronisation taken away. */
export const clusterRemovals = of("gemm/11-cluster", [
  ...paired,
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
  ...paired,
  { text: "        if (wg === 1) others.arrive();", instead: "", codes: ["W9001"], at: "" },
  { text: "          turn.sync();", instead: "", codes: ["W9226", "W9204", "W9207", "W9230"], at: "" },
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
  { text: "          get = get.next(iters);", instead: "", codes: ["W9204", "W9001"], at: "" },
]);

const leftWait = "          wgmma.wait(last);";
const rightWait = "              wgmma.wait(0);";
const kept = "              for (const end of ends) end.release({ pred: first });";

/** Left columns that are stored while the right ones are multiplied. */
export const leftFirstRemovals = of("gemm/14-left-first", [
  ...common,
  { text: "pipe.init();", instead: "pipe.init({ sync: false });", codes: ["W9212", "W9102"], at: "" },
  { text: "            put = put.next();", instead: "", codes: ["W9105", "W9208", "W9215"], at: "" },
  { text: "            get.wait();", instead: "", codes: ["W9204"], at: "L.mma" },
  { text: ", wait: 0 }", instead: " }", codes: ["W9207"], at: ".load" },
  // the left product of a stage is done, the right one is not
  { text: ", wait: 0 }", instead: ", wait: 1 }", codes: ["W9207"], at: ".load" },
  { text: "            get.release({ pred: first });\n", instead: "", codes: ["W9001"], at: "put.acquire" },
  { text: "          for (const end of ends) end.wait();", instead: "", codes: ["W9204"], at: "L.mma" },
  { text: "for (const end of ends) end.wait();", instead: "ends[0].wait();", codes: ["W9204"], at: "L.mma" },
  { text: leftWait, instead: "", codes: ["W6001"], at: ".store(panel)" },
  { text: "wgmma.wait(last);", instead: "wgmma.wait(last + 1);", codes: ["W6001"], at: ".store(panel)" },
  { text: rightWait, instead: "", codes: ["W6001"], at: ".store(panel)" },
  { text: kept, instead: "", codes: ["W9001"], at: "put.acquire" },
  {
    text: `${rightWait}                                           // … beneath the stores of L\n${kept}`,
    instead: `${kept}\n${rightWait}`,
    codes: ["W9207"],
    at: ".load",
  },
  // while the right products read them
  { text: leftWait, instead: `${leftWait}\n${kept}`, codes: ["W9207"], at: ".load" },
  { text: "          get = get.next(last);", instead: "", codes: ["W9204", "W9207", "W9001"], at: "" },
]);
