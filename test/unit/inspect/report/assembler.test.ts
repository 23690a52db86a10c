import { describe, expect, it } from "vitest";
import {
  fence,
  kernel,
  Mbarriers,
  range,
  sharedMemory,
  staticRange,
  syncThreads,
  type Tensor,
  TMA,
  tensorSpec,
  threadIdx,
  WGMMAMatrix,
} from "warpsmith";
import { gemmWarpSpecialized } from "../../../../examples/ch5/kernel.ts";
import { readAssemblerLog, type Serialisation } from "../../../../src/inspect/report/index.ts";
import { assemblerRemarks } from "../../../../src/inspect/report/remarks.ts";
import type { Graph } from "../../../../src/ir/index.ts";
import { sortArguments } from "../../../../src/kernel/arguments.ts";
import { shapeOf } from "../../../../src/kernel/instance.ts";
import { partsOf } from "../../../../src/kernel/value.ts";
import { noPtxas } from "../../../support/ptxas.ts";

const loss = (code: string, text: string): string => `ptxas info    : (${code}) Potential Performance Loss: ${text}\n`;
const serialised = (why: string): string =>
  `wgmma.mma_async instructions are serialized due to ${why} in the function 'gemmWarpSpecialized'`;

/** The texts of ptxas 13.0. */
const texts: readonly (readonly [Serialisation, string])[] = [
  ["calls of extern functions", "the presence of Extern calls"],
  ["a call of a function", "wgmma pipeline crossing function boundary at a function call"],
  ["registers of the pipeline", "insufficient register resources for the wgmma pipeline"],
  [
    "registers of A are written",
    "non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage",
  ],
  [
    "accumulators are read",
    "non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage",
  ],
  [
    "accumulators are written",
    "non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage",
  ],
  ["an ill-formed stage", "ill formed pipeline stage"],
  ["waits in a branch", "program dependence on compiler-inserted WG.DP in divergent path"],
  ["fences in a branch", "program dependence on compiler-inserted WG.AR in divergent path"],
];

describe("what ptxas prints", () => {
  it("is read: registers, barriers, memory", () => {
    const log = readAssemblerLog(
      "ptxas info    : Function properties for k\n    336 bytes stack frame, 680 bytes spill stores, 692 bytes spill loads\nptxas info    : Used 24 registers, used 2 barriers, 336 bytes cumulative stack size, 128 bytes smem\n",
    );
    expect(log).toEqual({
      ...{ registers: 24, barriers: 2, staticSharedBytes: 128, stackBytes: 336, spillStoreBytes: 680, spillLoadBytes: 692 },
      losses: [],
    });
  });

  it("says nothing of what it does not say", () => {
    const { losses, ...figures } = readAssemblerLog(loss("C7510", serialised("the presence of Extern calls")));
    expect(Object.values(figures)).toEqual(Array(6).fill(undefined));
    expect(losses).toHaveLength(1);
  });

  it.each(texts)("%s", (reason, text) => {
    const { losses } = readAssemblerLog(loss("C7599", serialised(text)));
    expect(losses).toEqual([{ code: "C7599", about: "wgmma", reason, text: serialised(text) }]);
  });

  it("for the function is not for the pipeline", () => {
    const text = "wgmma.mma_async instructions are serialized due to insufficient register resources for the function 'k'";
    expect(readAssemblerLog(loss("C7512", text)).losses[0]?.reason).toBe("registers of the function");
  });

  it("without a code, and of another kind", () => {
    const log = "info: Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.\n";
    expect(readAssemblerLog(log).losses).toMatchObject([{ code: "", about: "setmaxnreg", reason: undefined }]);
    expect(readAssemblerLog(loss("C7000", "something new")).losses[0]?.about).toBe("other");
  });
});

/** The graph of a kernel after all passes, with the author's places. */
function graphOf(of: unknown, ...args: readonly unknown[]): Graph {
  const parts = partsOf(of);
  if (!parts) throw new Error("no kernel");
  const { source, instances } = parts;
  return instances.get(sortArguments(source, args), shapeOf(source, args).options).artifact().graph;
}

describe("remarks", () => {
  const map = (shape: readonly [number, number], box: readonly [number, number]) =>
    new TMA(tensorSpec("f16", shape), { box, swizzle: "128B" });
  const graph = graphOf(
    gemmWarpSpecialized,
    map([256, 256], [128, 64]),
    map([256, 256], [64, 64]),
    tensorSpec("f32", [256, 256]),
    4,
  );
  const of = (log: string) => assemblerRemarks(readAssemblerLog(log), [], graph);

  it.each(texts)("on products: %s", (_, text) => {
    const [remark, ...others] = of(loss("C7514", serialised(text)));
    expect(others).toEqual([]);
    expect(remark?.code).toBe("R6301");
    expect(remark?.message).toMatch(/^ptxas does the products of this kernel one after the other \(C7514\): [a-z].*\./);
    expect(remark?.advice.length).toBeGreaterThan(20);
    expect(String(remark)).toContain("D = D.mma(A.at(s), B.at(s), { wait: behind });");
  });

  it("name the lines that may be the cause", () => {
    const [read] = of(loss("C7514", serialised("non wgmma instructions reading accumulator registers of  a wgmma")));
    expect(String(read)).toMatch(/an accumulator is read at \S+kernel\.ts:\d+:\d+\n\s+\d+ \|\s+D\.store/);
    const [set] = of(loss("C7515", serialised("non wgmma instructions defining accumulator registers of a wgmma")));
    expect(String(set)).toMatch(/an accumulator is set at \S+kernel\.ts/);
    const [short] = of(loss("C7511", serialised("insufficient register resources for the wgmma pipeline")));
    expect(short?.message).toContain("The largest accumulator takes 128 registers of each thread.");
  });

  it("on setmaxnreg", () => {
    const [remark] = of(loss("C7508", "'setmaxnreg' ignored to maintain compatibility across compilation units."));
    expect(remark?.code).toBe("R6302");
    expect(remark?.message).toContain("(C7508): to maintain compatibility across compilation units.");
    expect(remark?.spans[0]?.file).toMatch(/ch5\/kernel\.ts$/);
  });

  it("on what is new", () => {
    const [remark] = of(loss("C7000", "something new."));
    expect(remark?.message).toBe("ptxas (C7000): something new.");
  });
});

describe.skipIf(noPtxas !== undefined)("with a ptxas", () => {
  const spills = kernel({ block: 1024, grid: 1, registers: 24 }, function spills(x: Tensor<"f32", 1>) {
    const values = Array.from({ length: 48 }, (_, i) => x[i * 1024 + threadIdx.x] as number);
    for (const _ of range(16))
      for (const i of staticRange(48)) values[i] = (values[i] as number) * (values[(i + 7) % 48] as number) + 1;
    for (const i of staticRange(48)) x[i * 1024 + threadIdx.x] = values[i] as number;
  });

  it("spills have lines, whose bytes are all that ptxas says", () => {
    const { assembled, remarks } = spills.compile(tensorSpec("f32", [48 * 1024])).report();
    if (!assembled) throw new Error("not assembled");
    const { registers, spillStoreBytes, spillLoadBytes, spillLines, by } = assembled;
    expect([by, registers]).toEqual(["ptxas", 24]);
    expect(spillStoreBytes).toBeGreaterThan(0);
    expect(spillLines.reduce((sum, { storeBytes }) => sum + storeBytes, 0)).toBe(spillStoreBytes);
    expect(spillLines.reduce((sum, { loadBytes }) => sum + loadBytes, 0)).toBe(spillLoadBytes);
    for (const { span } of spillLines) expect(span.file).toMatch(/assembler\.test\.ts$/);
    expect(remarks.map(({ code }) => code)).toEqual(["R6303"]);
    expect(String(remarks[0])).toContain("values[(i + 7) % 48]");
  });

  const crowded = kernel({ block: 128, grid: 1, registers: 72 }, function crowded(a: TMA<"f16", 2>, d: Tensor<"f32", 2>) {
    const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const bars = new Mbarriers(1);
    if (threadIdx.x === 0) {
      bars.at(0).init(1);
      fence.mbarrierInit();
      bars.at(0).arrive({ tx: tile.bytes });
      a.load(tile, bars.at(0), [0, 0]);
    }
    syncThreads();
    bars.at(0).wait(false);
    const [A, B] = [WGMMAMatrix.descriptor(tile, [64, 64]), WGMMAMatrix.descriptor(tile, [64, 64])];
    let [D, E] = [WGMMAMatrix.accumulator("f32", [64, 64]), WGMMAMatrix.accumulator("f32", [64, 64])];
    for (const _ of range(8)) {
      D = D.mma(A, B);
      E = E.mma(A, B, { wait: 0 });
    }
    D.store(d);
    E.store(d);
  });

  it("products are serialised where accumulators have no registers, and the report names their lines", () => {
    const report = crowded
      .compile(new TMA(tensorSpec("f16", [64, 64]), { box: [64, 64], swizzle: "128B" }), tensorSpec("f32", [64, 64]))
      .report();
    const remark = report.remarks.find(({ code }) => code === "R6301");
    expect(String(remark)).toContain("D = D.mma(A, B);");
    expect(String(remark)).toMatch(/\(C75\d\d\)/);
    expect(String(report)).toContain(remark?.message);
  });
});
