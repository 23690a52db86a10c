/** What lanes do together (PTX ISA 9.7.9.5, 9.7.13), and what a block knows of itself. */
import { bytesOf, count, defineFact, type Fact, type FactOptions, script } from "./fact.ts";

const storeLane = (register: string, row: number): string =>
  `mad.lo.u32 %r230, ${row}, 32, %thread; mul.wide.u32 %d50, %r230, 4; add.u64 %d50, %out, %d50; st.global.u32 [%d50], ${register};`;

/** A warp keeps registers; `keep` gives a row of 32 words. */
function rows(write: (keep: (register: string) => string) => readonly string[]): Pick<FactOptions, "body" | "words" | "block"> {
  let row = 0;
  const body = write((register) => storeLane(register, row++)).join("\n");
  return { body, words: 32 * row, block: 32 };
}

const masks = [0xffffffff, 0xfffffffe, 0x80000000, 0x00ff00f0, 0x00000001];
const hex = (x: number): string => `0x${(x >>> 0).toString(16)}`;

const lanes = count(32);
const has = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) === 1;
const lowest = (mask: number): number => lanes.find((lane) => has(mask, lane)) ?? 0;
const untouched = 0xffffffff;

const elect = defineFact({
  name: "warp/elect",
  question: "Whom does elect.sync elect, for each mask?",
  ...rows((keep) => [
    "mov.u32 %r1, 1; shl.b32 %r2, %r1, %thread;",
    ...masks.flatMap((mask) => [
      `and.b32 %r3, %r2, ${hex(mask)}; setp.ne.u32 %p1, %r3, 0;`,
      "mov.u32 %r4, 0xffffffff; mov.u32 %r5, 0xffffffff;",
      `@%p1 elect.sync %r4|%p2, ${hex(mask)};`,
      "@%p1 selp.u32 %r5, 1, 0, %p2;",
      keep("%r4"),
      keep("%r5"),
    ]),
  ]),
  expected: masks.flatMap((mask) => [
    ...lanes.map((lane) => (has(mask, lane) ? lowest(mask) : untouched)),
    ...lanes.map((lane) => (has(mask, lane) ? Number(lane === lowest(mask)) : untouched)),
  ]),
});

const modes = ["up", "down", "bfly", "idx"] as const;
const distances = [0, 1, 3, 15, 16, 31, 32, 33];
const bounds = [0, 31, 0x1f00, 0x1c07, 0x1803, 0x101f, 0x1e00];

const shuffle = defineFact({
  name: "warp/shfl",
  question: "Where do shfl.up, .down, .bfly and .idx take their values from, for many distances and bounds?",
  ...rows((keep) => [
    "add.u32 %r1, %thread, 100;",
    ...modes.flatMap((mode) =>
      distances.flatMap((b) =>
        bounds.flatMap((c) => [
          `shfl.sync.${mode}.b32 %r2|%p1, %r1, ${b}, ${c}, 0xffffffff;`,
          "selp.u32 %r3, 1000, 0, %p1; add.u32 %r2, %r2, %r3;",
          keep("%r2"),
        ]),
      ),
    ),
  ]),
});

const inactive = defineFact({
  name: "warp/shfl-inactive",
  question: "What does a shuffle give from a lane that is not there? (Undefined by the manual.)",
  ...rows((keep) => [
    "add.u32 %r1, %thread, 100; mov.u32 %r2, 7; mov.u32 %r3, 0;",
    "setp.lt.u32 %p1, %thread, 16;",
    "@!%p1 bra on;",
    "xor.b32 %r4, %thread, 16;",
    "shfl.sync.idx.b32 %r2|%p2, %r1, %r4, 31, 0x0000ffff;",
    "selp.u32 %r3, 1, 0, %p2;",
    "on:",
    keep("%r2"),
    keep("%r3"),
  ]),
});

const matches = defineFact({
  name: "warp/match-redux-vote",
  question: "What do match, redux and vote give over part of a warp?",
  ...rows((keep) => [
    "and.b32 %r1, %thread, 3; sub.u32 %r2, %thread, 20; setp.gt.s32 %p3, %r2, -4;",
    "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0; mov.u32 %r15, 0;",
    "setp.lt.u32 %p1, %thread, 24;",
    "@!%p1 bra on;",
    "match.any.sync.b32 %r10, %r1, 0x00ffffff;",
    "match.all.sync.b32 %r11|%p4, %r1, 0x00ffffff;",
    "redux.sync.add.s32 %r12, %r2, 0x00ffffff;",
    "redux.sync.min.s32 %r13, %r2, 0x00ffffff;",
    "redux.sync.max.u32 %r14, %r2, 0x00ffffff;",
    "vote.sync.ballot.b32 %r15, %p3, 0x00ffffff;",
    "selp.u32 %r16, 1, 0, %p4;",
    "vote.sync.uni.pred %p5, %p3, 0x00ffffff; selp.u32 %r17, 1, 0, %p5;",
    "on:",
    ...[10, 11, 12, 13, 14, 15].map((r) => keep(`%r${r}`)),
  ]),
});

const ldmatrix = defineFact({
  name: "warp/ldmatrix-addresses",
  question: "Does ldmatrix.x1 look at the addresses of lanes 8 to 31? (They hold one outside shared memory.)",
  input: bytesOf(Uint16Array.from({ length: 64 }, (_, i) => i)),
  mayTrap: true,
  ...rows((keep) => [
    "shl.b32 %r1, %thread, 2; add.u32 %r2, %smem, %r1; cvt.u64.u32 %d1, %r1; add.u64 %d1, %in, %d1;",
    "ld.global.u32 %r3, [%d1]; st.shared.u32 [%r2], %r3; bar.sync 0;",
    "setp.lt.u32 %p1, %thread, 8; shl.b32 %r4, %thread, 4; add.u32 %r5, %smem, %r4;",
    "selp.u32 %r6, %r5, 0x7fffff0, %p1;",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r6];",
    keep("%r7"),
  ]),
  expected: lanes.map((lane) => 2 * lane + ((2 * lane + 1) << 16)),
});

const copySizes = count(17);
const partial = defineFact({
  name: "warp/cp-async-source-bytes",
  question: "What does cp.async of 16 bytes leave for each number of source bytes from 0 to 16?",
  input: bytesOf(Uint8Array.from({ length: 16 }, (_, i) => i + 1)),
  ...script((keep) =>
    copySizes.flatMap((n) => [
      "st.shared.v4.u32 [%smem], {0xdddddddd, 0xdddddddd, 0xdddddddd, 0xdddddddd};",
      `cp.async.cg.shared.global [%smem], [%in], 16, ${n};`,
      "cp.async.wait_all;",
      ...count(4).flatMap((i) => [`ld.shared.u32 %r1, [%smem+${4 * i}];`, keep("%r1")]),
    ]),
  ),
  expected: copySizes.flatMap((n) => [...new Uint32Array(Uint8Array.from({ length: 16 }, (_, i) => (i < n ? i + 1 : 0)).buffer)]),
});

const blockFacts = defineFact({
  name: "block/shared-memory",
  question:
    "Where does shared memory begin, and how much is there by %dynamic_smem_size, %total_smem_size and %aggr_smem_size? (100 bytes static, 200 dynamic of .align 1024.)",
  module: ".shared .align 4 .b8 static[100];",
  sharedBytes: 200,
  ...script((keep) => [
    "mov.u32 %r1, static;",
    keep("%r1"),
    keep("%smem"),
    "mov.u32 %r1, %dynamic_smem_size;",
    keep("%r1"),
    "mov.u32 %r1, %total_smem_size;",
    keep("%r1"),
    "mov.u32 %r1, %aggr_smem_size;",
    keep("%r1"),
    "cvta.shared.u64 %d1, 0x400; cvta.to.shared.u64 %d2, %d1; cvt.u32.u64 %r1, %d2;",
    keep("%r1"),
    "st.shared.u32 [static], 5; isspacep.shared %p1, %d1; selp.u32 %r1, 1, 0, %p1;",
    keep("%r1"),
    "isspacep.global %p1, %d1; selp.u32 %r1, 1, 0, %p1;",
    keep("%r1"),
    "isspacep.global %p1, %in; selp.u32 %r1, 1, 0, %p1;",
    keep("%r1"),
    "isspacep.shared::cluster %p1, %d1; selp.u32 %r1, 1, 0, %p1;",
    keep("%r1"),
  ]),
  expected: [0x400, 0x800, 200, 1280, 0x400 + 1224, 0x400, 1, 0, 1, 1],
});

/** `begins`: of dynamic shared memory, from the beginning of static. */
const dynamicPlaces = [
  { bytes: 80, align: 2048, begins: 2048 },
  { bytes: 80, align: 4, begins: 80 },
  { bytes: 80, align: 32, begins: 96 },
  { bytes: 80, align: 64, begins: 128 },
  { bytes: 7, align: 1, begins: 16 },
  { bytes: 1100, align: 1024, begins: 2048 },
];
const dynamicFacts = dynamicPlaces.map(({ bytes, align, begins }) => {
  const id = `${bytes}_${align}`;
  return defineFact({
    name: `block/dynamic-${bytes}-align-${align}`,
    question: `Where does dynamic shared memory of .align ${align} begin behind ${bytes} static bytes, and what do %total_smem_size and %aggr_smem_size count?`,
    module: `.extern .shared .align ${align} .b8 dynamic${id}[];\n.shared .align 1 .b8 static${id}[${bytes}];`,
    dynamic: `dynamic${id}`,
    sharedBytes: 64,
    ...script((keep) => [
      `mov.u32 %r1, static${id};`,
      keep("%r1"),
      keep("%smem"),
      "mov.u32 %r1, %total_smem_size;",
      keep("%r1"),
      "mov.u32 %r1, %aggr_smem_size;",
      keep("%r1"),
    ]),
    expected: [0x400, 0x400 + begins, Math.ceil((begins + 64) / 128) * 128, 0x400 + begins + 64],
  });
});

const twoDynamic = defineFact({
  name: "block/two-dynamic",
  question: "Where do two extern shared variables of .align 16 and .align 256 lie behind 80 static bytes?",
  module:
    ".extern .shared .align 16 .b8 dynamicFirst[];\n.extern .shared .align 256 .b8 dynamicSecond[];\n.shared .align 8 .b8 staticOfTwo[80];",
  dynamic: "dynamicFirst",
  sharedBytes: 64,
  ...script((keep) => [
    "mov.u32 %r1, staticOfTwo;",
    keep("%r1"),
    keep("%smem"),
    "mov.u32 %r1, dynamicSecond;",
    keep("%r1"),
    "mov.u32 %r1, %total_smem_size;",
    keep("%r1"),
  ]),
  expected: [0x400, 0x450, 0x500, 384],
});

const staticOrder = defineFact({
  name: "block/static-order",
  question: "In which order do shared variables of the kernel and of the module lie?",
  module: ".shared .align 4 .b8 staticA[4];\n.shared .align 16 .b8 staticB[20];\n.shared .align 4 .b8 staticC[4];",
  ...script((keep) => [
    ".shared .align 8 .b8 own[12];",
    ...["own", "staticC", "staticB", "staticA"].flatMap((name) => [`mov.u32 %r1, ${name};`, keep("%r1")]),
  ]),
  expected: [0x400, 0x424, 0x410, 0x40c],
});

const reservedShared = defineFact({
  name: "block/reserved-shared",
  question: "Where is the reserved part of shared memory, and does it hold what is stored there? What does it hold before?",
  ...script((keep) => [
    ...["begin", "end", "cap", "0", "1"].flatMap((which) => [`mov.u32 %r1, %reserved_smem_offset_${which};`, keep("%r1")]),
    "mov.u32 %r1, %reserved_smem_offset_1; cvt.u64.u32 %d1, %r1; cvta.shared.u64 %d1, %d1;",
    "ld.u32 %r2, [%d1+4];",
    keep("%r2"),
    "mov.u32 %r2, 7; st.u32 [%d1+4], %r2; ld.u32 %r3, [%d1+4];",
    keep("%r3"),
    "ld.shared.u32 %r3, [%r1+4];",
    keep("%r3"),
  ]),
  expected: [0, 0x120, 0x400, 0, 0, 0, 7, 7],
});

const workspaceAddress =
  "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2; shl.b64 %d1, %d1, 32; or.b64 %d1, %d1, %d2;";

const gridWorkspace = defineFact({
  name: "grid/workspace",
  question: "What does a cooperative launch hold where %envreg1 and %envreg2 point?",
  cooperative: true,
  ...script((keep) => [
    workspaceAddress,
    ...[0, 4, 8, 12].flatMap((at) => [`ld.u32 %r3, [%d1+${at}];`, keep("%r3")]),
    "atom.add.release.gpu.u32 %r3, [%d1+4], 5; ld.acquire.gpu.u32 %r4, [%d1+4];",
    keep("%r3"),
    keep("%r4"),
  ]),
  expected: [16, 0, 1, 0, 0, 5],
});

const cluster = defineFact({
  name: "block/cluster-addresses",
  question: "What are the shared::cluster addresses of the blocks of a cluster, and which rank do they name?",
  cluster: [2, 1, 1],
  body: `mov.u32 %r1, %cluster_ctarank;
  mapa.shared::cluster.u32 %r2, %smem, 0;
  mapa.shared::cluster.u32 %r3, %smem, 1;
  getctarank.shared::cluster.u32 %r4, %r3;
  getctarank.shared::cluster.u32 %r5, %smem;
  mad.lo.u32 %r6, %r1, 20, 0; cvt.u64.u32 %d1, %r6; add.u64 %d1, %out, %d1;
  st.global.u32 [%d1], %smem; st.global.u32 [%d1+4], %r2; st.global.u32 [%d1+8], %r3;
  st.global.u32 [%d1+12], %r4; st.global.u32 [%d1+16], %r5;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;`,
  words: 10,
});

export const warpFacts: readonly Fact[] = [
  ...[elect, shuffle, inactive, matches, ldmatrix, partial, blockFacts, ...dynamicFacts, twoDynamic, staticOrder, cluster],
  ...[reservedShared, gridWorkspace],
];
