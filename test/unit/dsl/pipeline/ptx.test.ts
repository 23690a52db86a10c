import { beforeAll, describe, expect, it } from "vitest";
import { kernel, Pipeline, range, type Static, sharedMemory, type Tensor, TMA, tensorSpec, threadIdx } from "warpsmith";
import { assemble } from "../../../support/ptxas.ts";

/** A loop on either side of a pipeline, and a second variable one stage behind. */
const ringKernel = kernel(
  { block: 64, grid: 2, cluster: (_x, _out, _stages, peers) => peers },
  function ringKernel(x: TMA<"f32", 2>, out: Tensor<"f32", 1>, stages: Static<number>, peers: Static<number>) {
    const tiles = sharedMemory.alloc("f32", [stages, 1, 32], { align: 128 });
    const pipeline = new Pipeline({ stages, peers });
    pipeline.init();
    if (threadIdx.x < 32) {
      if (threadIdx.x === 0) {
        let put = pipeline.producer();
        for (const t of range(4))
          for (const k of range(100)) {
            x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [t, k]);
            put = put.next();
          }
        put.drain();
      }
    } else {
      let get = pipeline.consumer(),
        previous = get,
        sum = 0;
      for (const _ of range(4)) {
        for (const k of range(100)) {
          get.wait();
          sum += tiles.at(get.index, 0, threadIdx.x - 32).load();
          previous.release({ pred: threadIdx.x === 32 && k > 0 });
          previous = get;
          get = get.next();
        }
        previous.release({ pred: threadIdx.x === 32 });
      }
      out[threadIdx.x] = sum;
    }
  },
);

/** The instructions of the innermost loop that waits, without registers and source locations. */
function loops(ptx: string): string[][] {
  const lines = ptx.split("\n").map((line) => line.trim());
  const found: string[][] = [];
  lines.forEach((line, i) => {
    const start = /^\$(for_\d+):$/.exec(line)?.[1];
    const end = start ? lines.findIndex((other, j) => j > i && other.includes(`bra $${start};`)) : -1;
    const body = lines.slice(i + 1, end).filter((l) => !l.startsWith(".loc") && !l.startsWith("//"));
    if (end > 0 && !body.some((l) => l.startsWith("$for"))) found.push(body);
  });
  return found;
}

const operations = (body: readonly string[], pattern: RegExp): string[] =>
  body.map((line) => line.replace(/^@!?%p\d+ /, "")).filter((line) => pattern.test(line));

describe.each([
  [4, 1],
  [3, 1],
  [4, 2],
] as const)("the loops of a pipeline of %i stages for %i peers", (stages, peers) => {
  let ptx: string;
  beforeAll(() => {
    const x = new TMA(tensorSpec("f32", [100, 128]), { box: [1, 32] });
    ptx = ringKernel.compile(x, tensorSpec("f32", [64]), stages, peers).ptx;
  });

  it("go to the next stage in five instructions, and to a barrier in two", () => {
    const [producer = [], consumer = []] = loops(ptx);
    for (const body of [producer, consumer]) {
      // the second selp and the xor are for the phase
      expect(operations(body, /^selp\./)).toHaveLength(2);
      expect(operations(body, /^xor\./)).toHaveLength(1);
      expect(operations(body, /^(rem|div|mul|shr|cvt)\./)).toEqual([]);
    }
    // shifts: to the barriers of the stage, to its tile; in the consumer also to the barrier of the stage before
    expect(operations(producer, /^shl\./)).toHaveLength(2);
    expect(operations(consumer, /^shl\./)).toHaveLength(3);
  });

  it("find addresses in other blocks before they begin", () => {
    expect(ptx.match(/mapa\./g) ?? []).toHaveLength(peers > 1 ? peers : 0);
    for (const body of loops(ptx)) expect(operations(body, /^mapa\./)).toEqual([]);
  });

  it("do not order all memory of the GPU by an arrival", () => {
    expect(ptx).not.toMatch(/mbarrier\.arrive\.release\.cluster|barrier\.cluster\.arrive\.release/);
    expect(ptx).toMatch(peers > 1 ? /mbarrier\.arrive\.shared::cluster\.b64 _/ : /mbarrier\.arrive\.shared::cta\.b64 _/);
  });

  it("are assembled", () => {
    const assembled = assemble(ptx);
    if (assembled) expect(assembled).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});
