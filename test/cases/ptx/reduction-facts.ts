/** Reductions in memory (PTX ISA 9.7.13.6, 9.7.13.7, 9.7.9.25.4): what each unit makes of the edges of a type. */
import type { TiledMap } from "../../../src/base/tensor-map.ts";
import { defineFact, type Fact, waitFor } from "./fact.ts";
import { bytesOfBits, edgesOf, floatShapes, pairsOf } from "./float-edges.ts";

type Float = keyof typeof floatShapes;
const isFloat = (type: string): type is Float => type in floatShapes;

const widthOf = (type: string): number => (isFloat(type) ? floatShapes[type].bits : Number(type.slice(1)));

/** Zero, one, the extremes and their neighbours. */
function integerEdges(bits: number): readonly bigint[] {
  const top = 1n << BigInt(bits - 1);
  return [0n, 1n, 2n, 3n, 100n, top - 2n, top - 1n, top, top + 1n, 2n * top - 2n, 2n * top - 1n, (2n * top) / 3n];
}

interface Pairs {
  /** What the memory holds; what comes to it. */
  readonly cells: Uint8Array;
  readonly given: Uint8Array;
  readonly count: number;
  readonly bytes: number;
}

function pairsFor(type: string, block: number): Pairs {
  const bits = widthOf(type);
  const pairs = pairsOf(isFloat(type) ? edgesOf(floatShapes[type]) : integerEdges(bits));
  const count = Math.ceil(pairs.length / block) * block;
  const padded = Array.from({ length: count }, (_, i) => pairs[i % pairs.length] ?? ([0n, 0n] as const));
  return {
    cells: bytesOfBits(
      padded.map(([a]) => a),
      bits,
    ),
    given: bytesOfBits(
      padded.map(([, b]) => b),
      bits,
    ),
    count,
    bytes: bits / 8,
  };
}

const block = 128;

/** `red` or `atom` by a thread for each pair; the packed types take two pairs at a time. */
function inMemory(instruction: "red" | "atom", space: "global" | "shared", op: string, type: string): Fact {
  const scalar = type.replace("x2", "");
  const { cells, given, count, bytes } = pairsFor(scalar, 2 * block);
  const each = type === scalar ? bytes : 2 * bytes;
  const threads = (count * bytes) / each;
  const register = each === 2 ? "%h1" : each === 4 ? (type === "f32" ? "%f1" : "%r2") : type === "f64" ? "%g1" : "%d5";
  const old = each === 2 ? "%h2" : each === 4 ? (type === "f32" ? "%f2" : "%r3") : type === "f64" ? "%g2" : "%d6";
  const load = `${type === "f32" || type === "f64" ? type : `b${8 * each}`}`;
  const apply = (place: string): string =>
    instruction === "red"
      ? `red.${space}.${op}.${type} [${place}], ${register};`
      : `atom.${space}.${op}.${type} ${old}, [${place}], ${register};`;
  return defineFact({
    name: `reduce/${instruction}-${space}-${op.replace(".", "-")}-${type}`,
    question: `What does ${instruction}.${space}.${op}.${type} make of the edges of the type?`,
    input: given,
    before: cells,
    words: cells.length / 4,
    block,
    body: `mov.u32 %r10, %thread;
next:
  mul.wide.u32 %d1, %r10, ${each};
  add.u64 %d2, %in, %d1; add.u64 %d3, %out, %d1;
  ld.global.${load} ${register}, [%d2];
  ${
    space === "global"
      ? apply("%d3")
      : `mad.lo.u32 %r11, %thread, 8, %smem;
  ld.global.${load} ${old}, [%d3]; st.shared.${load} [%r11], ${old};
  ${apply("%r11")}
  ld.shared.${load} ${old}, [%r11]; st.global.${load} [%d3], ${old};`
  }
  add.u32 %r10, %r10, ${block};
  setp.lt.u32 %p1, %r10, ${threads};
  @%p1 bra next;`,
  });
}

/** Copies the input to shared memory, and says so to the asynchronous proxy. */
const stage = (bytes: number): string => `mov.u32 %r20, 0;
stage:
  cvt.u64.u32 %d20, %r20; add.u64 %d21, %in, %d20; add.u32 %r21, %smem, %r20;
  ld.global.v4.u32 {%r22, %r23, %r24, %r25}, [%d21];
  st.shared.v4.u32 [%r21], {%r22, %r23, %r24, %r25};
  add.u32 %r20, %r20, 16;
  setp.lt.u32 %p1, %r20, ${bytes};
  @%p1 bra stage;
  fence.proxy.async;`;
const drain = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";

/** A bulk reduction of all pairs at once, to global memory. */
function bulk(op: string, type: string): Fact {
  const { cells, given } = pairsFor(type, 16);
  return defineFact({
    name: `reduce/bulk-${op.replace(".", "-")}-${type}`,
    question: `What does cp.reduce.async.bulk.global.shared::cta….${op}.${type} make of the edges of the type?`,
    input: given,
    before: cells,
    words: cells.length / 4,
    sharedBytes: given.length,
    body: `${stage(given.length)}
  cp.reduce.async.bulk.global.shared::cta.bulk_group.${op}.${type} [%out], [%smem], ${given.length};
  ${drain}`,
  });
}

/** A bulk reduction of block 0 of a cluster into the shared memory of block 1. */
function bulkIntoPeer(op: string, type: string): Fact {
  const { cells, given } = pairsFor(type, 16);
  const bytes = given.length;
  const all = (name: string, each: (at: string, address: string) => string): string => `mov.u32 %r30, 0;
${name}:
  cvt.u64.u32 %d20, %r30; add.u64 %d21, %out, %d20; add.u32 %r31, %smem, %r30;
  ${each("%r31", "%d21")}
  add.u32 %r30, %r30, 16; setp.lt.u32 %p1, %r30, ${bytes}; @%p1 bra ${name};`;
  const four = "{%r22, %r23, %r24, %r25}";
  return defineFact({
    name: `reduce/bulk-peer-${op}-${type}`,
    question: `What does cp.reduce.async.bulk.shared::cluster.shared::cta….${op}.${type} make of the edges of the type?`,
    input: given,
    before: cells,
    words: cells.length / 4,
    cluster: [2, 1, 1],
    sharedBytes: 2 * bytes + 16,
    mayTrap: true,
    body: `${stage(bytes)}
  ${all("fill", (at, address) => `ld.global.v4.u32 ${four}, [${address}]; st.shared.v4.u32 [${at}+${bytes}], ${four};`)}
  add.u32 %r100, %smem, ${2 * bytes};
  mbarrier.init.shared::cta.b64 [%r100], 1;
  fence.mbarrier_init.release.cluster; fence.proxy.async;
  mov.u32 %r50, %cluster_ctarank; setp.eq.u32 %p5, %r50, 0;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  @!%p5 bra receive;
  add.u32 %r32, %smem, ${bytes};
  mapa.shared::cluster.u32 %r33, %r32, 1; mapa.shared::cluster.u32 %r34, %r100, 1;
  cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.${op}.${type} [%r33], [%smem], ${bytes}, [%r34];
  bra over;
receive:
  mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r100], ${bytes};
  ${waitFor("%r100", 0)}
  ${all("back", (at, address) => `ld.shared.v4.u32 ${four}, [${at}+${bytes}]; st.global.v4.u32 [${address}], ${four};`)}
over:
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;`,
  });
}

const dtypes = { f16: "f16", bf16: "bf16", f32: "f32", tf32: "tf32", u32: "u32", s32: "i32", u64: "u64", s64: "i64" } as const;

/** A reduction through a tensor map: rows of 16 bytes and more, as many as there are. */
function tensor(op: string, type: keyof typeof dtypes): Fact {
  const { cells, given, count, bytes } = pairsFor(type === "tf32" ? "f32" : type, 64);
  const [inner, outer] = [64, count / 64];
  const map: TiledMap = {
    mode: "tiled",
    dtype: dtypes[type],
    dims: [inner, outer],
    strides: [inner * bytes],
    box: [inner, outer],
    elementStrides: [1, 1],
    interleave: "none",
    swizzle: "none",
    l2Promotion: "none",
    oobFill: "zero",
  };
  return defineFact({
    name: `reduce/tensor-${op}-${type}`,
    question: `What does cp.reduce.async.bulk.tensor .${op} with a map of ${type} make of the edges of the type?`,
    input: given,
    before: cells,
    words: cells.length / 4,
    sharedBytes: given.length,
    maps: [{ of: "out", map }],
    body: `${stage(given.length)}
  mov.u32 %r40, 0;
  cp.reduce.async.bulk.tensor.2d.global.shared::cta.${op}.tile.bulk_group [%m0, {%r40, %r40}], [%smem];
  ${drain}`,
  });
}

const halves = ["f16", "bf16"] as const;
const integers = ["u32", "s32", "u64", "s64"] as const;

export const reductionFacts: readonly Fact[] = [
  inMemory("red", "global", "add", "f32"),
  inMemory("atom", "global", "add", "f32"),
  inMemory("red", "shared", "add", "f32"),
  inMemory("atom", "shared", "add", "f32"),
  inMemory("red", "global", "add", "f64"),
  inMemory("atom", "shared", "add", "f64"),
  ...halves.flatMap((type) => [
    inMemory("red", "global", "add.noftz", `${type}x2`),
    inMemory("red", "shared", "add.noftz", `${type}x2`),
    inMemory("atom", "global", "add.noftz", type),
    inMemory("atom", "shared", "add.noftz", type),
  ]),
  ...["inc", "dec"].map((op) => inMemory("atom", "global", op, "u32")),
  ...integers.flatMap((type) => ["min", "max"].map((op) => inMemory("red", "global", op, type))),

  bulk("add", "f32"),
  bulk("add", "f64"),
  ...halves.flatMap((type) => [bulk("add.noftz", type), bulk("min", type), bulk("max", type)]),
  ...["add", "min", "max", "inc", "dec"].map((op) => bulk(op, "u32")),
  ...["add", "min", "max"].map((op) => bulk(op, "s32")),
  ...["add", "min", "max"].map((op) => bulk(op, "u64")),
  ...["min", "max"].map((op) => bulk(op, "s64")),
  ...["and", "or", "xor"].flatMap((op) => [bulk(op, "b32"), bulk(op, "b64")]),

  ...["add", "inc", "dec", "min", "max"].map((op) => bulkIntoPeer(op, "u32")),
  ...["add", "min", "max"].map((op) => bulkIntoPeer(op, "s32")),
  bulkIntoPeer("add", "u64"),
  ...["and", "or", "xor"].map((op) => bulkIntoPeer(op, "b32")),

  ...(["f32", "tf32"] as const).map((type) => tensor("add", type)),
  ...halves.flatMap((type) => ["add", "min", "max"].map((op) => tensor(op, type))),
  ...["add", "min", "max", "inc", "dec"].map((op) => tensor(op, "u32")),
  ...["add", "min", "max"].map((op) => tensor(op, "s32")),
  ...["add", "min", "max"].map((op) => tensor(op, "u64")),
  ...["min", "max"].map((op) => tensor(op, "s64")),
];
