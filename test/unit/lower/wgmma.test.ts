import { describe, expect, it } from "vitest";
import { type AccType, type Attrs, type Graph, isAcc, type Value } from "../../../src/ir/index.ts";
import { lowerGraph } from "../../../src/lower/index.ts";
import { type Instruction, type PtxModule, printPtx, type Reg } from "../../../src/ptx/index.ts";
import { assemble, noPtxas } from "../../support/ptxas.ts";
import { checkedPtx } from "./check.ts";
import { GraphBuilder } from "./graph-builder.ts";

const acc = (dtype: AccType["dtype"], rows: number, cols: number): AccType => ({ kind: "acc", dtype, rows, cols });

/** 128 rows of 64 f16 in 128B swizzle: K steps of 32 bytes, 64 rows are 8 KiB apart. B as [64, 128] in two panels, MN-major. */
const product: Attrs<"wgmma.mma_async"> = {
  aType: "f16",
  bType: "f16",
  k: 64,
  aKSteps: [0, 2, 4, 6],
  bKSteps: [0, 128, 256, 384],
  aRowStep: 512,
  aMajor: "k",
  bMajor: "mn",
  negateA: false,
  negateB: false,
  saturate: false,
};
const stages = 7;
const stageBytes = 16384;

function setUp(b: GraphBuilder) {
  const [a, bt] = [b.buffer("a", stages * stageBytes, 0), b.buffer("b", stages * stageBytes, stages * stageBytes)];
  return {
    a: b.op("wgmma.descriptor", { ptr: a }, { swizzle: "128B", leading: 16, stride: 1024 }),
    b: b.op("wgmma.descriptor", { ptr: bt }, { swizzle: "128B", leading: 8192, stride: 1024 }),
  };
}

function mma(b: GraphBuilder, into: Value, x: Value, y: Value, accumulate?: Value, attrs = product): Value {
  b.all("wgmma.fence", {}, {});
  const out = b.op("wgmma.mma_async", { acc: into, a: x, b: y, accumulate }, attrs);
  b.all("wgmma.commit_group", {}, {});
  return out;
}

function store(b: GraphBuilder, value: Value, to: Value): void {
  if (!isAcc(value.type)) return;
  const type = value.type.dtype;
  const elements = b.all(
    "acc.unpack",
    { acc: value },
    { columns: undefined },
    Array.from({ length: (value.type.rows * value.type.cols) / 128 }, () => type),
  );
  for (const [i, v] of elements.entries()) b.all("st.shared", { ptr: to, values: [v], pred: undefined }, { offset: 512 * i });
}

/** Chapter 4: seven stages, an accumulator of 128 × 128 carried round the loop, one product left running. `trips`: known or a parameter. */
function multistage(trips: number | undefined, waitAfter = true): Graph {
  const b = new GraphBuilder();
  const n = trips === undefined ? b.param("n", "i32") : b.const("i32", trips);
  const [mapA, mapB] = [b.param("a", "tensormap"), b.param("b", "tensormap")];
  const d = setUp(b);
  const [zero, one, count] = [b.const("i32", 0), b.const("i32", 1), b.const("i32", stages)];
  const bars = b.buffer("bars", 8 * stages, 2 * stages * stageBytes);
  const tid = b.op("sreg", {}, { reg: "tid.x" });
  const leader = b.op("cmp", { a: tid, b: zero }, { is: "eq" });
  b.if(
    leader,
    [],
    () => {
      b.for(zero, count, one, [], (i) => {
        b.all(
          "mbarrier.init",
          { bar: b.op("ptr.add", { ptr: bars, by: b.op("mul", { a: i, b: b.const("i32", 8) }, {}) }, {}), count: one },
          {},
        );
        return [];
      });
      return [];
    },
    () => [],
  );
  b.all("fence.mbarrier_init", {}, {});
  b.all("bar.sync", { id: b.const("i32", 0) }, { count: 0 });
  const start = b.op("acc.zero", {}, {}, [acc("f32", 128, 128)]);
  const [sum] = b.for(zero, n, one, [start, b.const("pred", false)], (k, carried, phase) => {
    const stage = b.op("rem", { a: k, b: count }, {});
    const bar = b.op("ptr.add", { ptr: bars, by: b.op("mul", { a: stage, b: b.const("i32", 8) }, {}) }, {});
    b.all("mbarrier.wait", { bar, parity: phase as Value }, {});
    const by = b.op("mul", { a: stage, b: b.const("i32", stageBytes / 16) }, {});
    const next = mma(
      b,
      carried as Value,
      b.op("wgmma.advance", { desc: d.a, by }, {}),
      b.op("wgmma.advance", { desc: d.b, by }, {}),
    );
    b.all("wgmma.wait_group", {}, { pending: 1 });
    b.all("bar.sync", { id: b.const("i32", 0) }, { count: 0 });
    b.if(
      leader,
      [],
      () => {
        const dst = b.op(
          "ptr.add",
          { ptr: b.op("shared.buffer", {}, { buffer: 0 }), by: b.op("mul", { a: stage, b: b.const("i32", stageBytes) }, {}) },
          {},
        );
        b.all("mbarrier.arrive.expect_tx", { bar, tx: b.const("i32", 2 * stageBytes), pred: undefined }, {});
        for (const map of [mapA, mapB])
          b.all(
            "tma.load",
            { dst, map, bar, coords: [k, zero], offsets: [], multicast: undefined, pred: undefined },
            { cacheHint: "" },
          );
        return [];
      },
      () => [],
    );
    const last = b.op("cmp", { a: stage, b: b.const("i32", stages - 1) }, { is: "eq" });
    return [next, b.op("xor", { a: phase as Value, b: last }, {})];
  });
  if (waitAfter) b.all("wgmma.wait_group", {}, { pending: 0 });
  store(b, sum as Value, b.op("shared.buffer", {}, { buffer: 0 }));
  return b.graph(128);
}

const regsOf = (i: Instruction): readonly Reg[] =>
  i.operands.flatMap((o) => (o?.kind === "reg" ? [o] : o?.kind === "vec" ? o.items.filter((x) => x.kind === "reg") : []));
const products = (m: PtxModule): readonly Instruction[] =>
  m.entry.body.filter((s) => s.kind === "instruction").filter((s) => s.form.startsWith("wgmma.mma_async"));
const accumulatorsOf = (m: PtxModule): ReadonlySet<string> =>
  new Set(
    products(m)
      .flatMap((i) => (i.operands[0]?.kind === "vec" ? regsOf({ ...i, operands: [i.operands[0]] }) : []))
      .map((r) => `${r.cls}${r.id}`),
  );

/** Instructions from the first product to the last that write or read an accumulator and are no products. */
function touches(m: PtxModule): readonly Instruction[] {
  const own = accumulatorsOf(m);
  const body = m.entry.body;
  const isProduct = (s: (typeof body)[number]) => s.kind === "instruction" && s.form.startsWith("wgmma.mma_async");
  const [from, to] = [body.findIndex(isProduct), body.findLastIndex(isProduct)];
  const back = body.findIndex(
    (s, i) =>
      i > to &&
      s.kind === "instruction" &&
      s.form === "bra" &&
      s.operands[0]?.kind === "label" &&
      /^(for|while)_\d+$/.test(s.operands[0].name),
  );
  return body
    .slice(from, Math.max(to, back) + 1)
    .filter((s) => s.kind === "instruction")
    .filter((s) => !s.form.startsWith("wgmma.mma_async") && regsOf(s).some((r) => own.has(`${r.cls}${r.id}`)));
}

describe("accumulators", () => {
  for (const trips of [64, undefined]) {
    it(`stay in place through a loop of ${trips ?? "any number of"} trips`, () => {
      const graph = multistage(trips);
      const m = lowerGraph(graph);
      expect(products(m).length).toBe(8);
      expect(accumulatorsOf(m).size).toBe(128);
      expect(touches(m)).toEqual([]);
      checkedPtx(graph);
    });
  }

  it("are waited for only where the author waits", () => {
    for (const trips of [64, undefined])
      expect(checkedPtx(multistage(trips)).match(/wait_group\.sync\.aligned 0;/g)?.length).toBe(1);
  });

  it("are not read early without anyone noticing: the check finds C75xx", (context) => {
    const assembled = assemble(printPtx(lowerGraph(multistage(64, false))));
    if (!assembled) return context.skip(noPtxas);
    expect(assembled.warnings.join("\n")).toMatch(/C75\d\d/);
  });

  it("that are needed again are copied, the others are not", () => {
    const b = new GraphBuilder();
    const d = setUp(b);
    const first = mma(b, b.op("acc.zero", {}, {}, [acc("f32", 64, 64)]), d.a, d.b, b.const("pred", false));
    b.all("wgmma.wait_group", {}, { pending: 0 });
    const second = mma(b, first, d.a, d.b);
    b.all("wgmma.wait_group", {}, { pending: 0 });
    const out = b.buffer("out", 65536, 0);
    store(b, first, out);
    store(b, second, out);
    const m = lowerGraph(b.graph(128));
    expect(accumulatorsOf(m).size).toBe(64);
    expect(touches(m).length).toBe(32);
    checkedPtx(b.graph(128));
  });

  it("that hold nothing are not written before a product does", () => {
    const b = new GraphBuilder();
    const d = setUp(b);
    const sum = mma(b, b.op("acc.undef", {}, {}, [acc("f32", 64, 64)]), d.a, d.b, b.const("pred", false));
    b.all("wgmma.wait_group", {}, { pending: 0 });
    store(b, sum, b.buffer("out", 65536, 0));
    const text = checkedPtx(b.graph(128));
    expect(text).not.toContain("0f00000000");
    expect([...text.matchAll(/wgmma\.mma_async[^\n]*, (\d), 1, 1, 0, 1;/g)].map((m) => m[1])).toEqual(["0", "1", "1", "1"]);
  });

  it("are begun by the first turn of a loop", () => {
    const b = new GraphBuilder();
    const d = setUp(b);
    const [zero, one, n] = [b.const("i32", 0), b.const("i32", 1), b.const("i32", 64)];
    const [sum = zero] = b.for(zero, n, one, [b.op("acc.undef", {}, {}, [acc("f32", 64, 64)])], (i, x = zero) => {
      const next = mma(b, x, d.a, d.b, b.op("cmp", { a: i, b: zero }, { is: "gt" }));
      b.all("wgmma.wait_group", {}, { pending: 1 });
      return [next];
    });
    b.all("wgmma.wait_group", {}, { pending: 0 });
    store(b, sum, b.buffer("out", 65536, 0));
    expect(checkedPtx(b.graph(128))).not.toContain("0f00000000");
  });

  it("change places without being lost", () => {
    const b = new GraphBuilder();
    const d = setUp(b);
    const [zero, one, n] = [b.const("i32", 0), b.const("i32", 1), b.const("i32", 9)];
    const starts = [0, 1].map(() => b.op("acc.zero", {}, {}, [acc("f32", 64, 64)]));
    const sums = b.for(zero, n, one, starts, (_i, x, y) => {
      const next = mma(b, x as Value, d.a, d.b);
      b.all("wgmma.wait_group", {}, { pending: 0 });
      return [y as Value, next];
    });
    for (const s of sums) store(b, s, b.op("shared.buffer", {}, { buffer: 0 }));
    const m = lowerGraph(b.graph(128));
    // a swap through a third register; of its three moves, two touch the set that the product works in
    expect(touches(m).filter((i) => i.form === "mov").length).toBe(2 * 32);
    checkedPtx(b.graph(128));
  });

  it("stay in place through branches, while loops and loops in loops", () => {
    const b = new GraphBuilder();
    const d = setUp(b);
    const n = b.param("n", "i32");
    const [zero, one] = [b.const("i32", 0), b.const("i32", 1)];
    const again = b.param("again", "pred");
    const start = b.op("acc.zero", {}, {}, [acc("f32", 64, 64)]);
    const [outer] = b.for(zero, n, one, [start], (_i, s) => {
      const [inner] = b.while(
        [s as Value, zero],
        (x, k) => ({ go: b.op("cmp", { a: k as Value, b: n }, { is: "lt" }), values: [x as Value, k as Value] }),
        (x, k) => [mma(b, x as Value, d.a, d.b), b.op("add", { a: k as Value, b: one }, {})],
      );
      b.all("wgmma.wait_group", {}, { pending: 0 });
      return b.if(
        again,
        [acc("f32", 64, 64)],
        () => [mma(b, inner as Value, d.a, d.b)],
        () => [inner as Value],
      );
    });
    b.all("wgmma.wait_group", {}, { pending: 0 });
    store(b, outer as Value, b.op("shared.buffer", {}, { buffer: 0 }));
    const m = lowerGraph(b.graph(128));
    expect(accumulatorsOf(m).size).toBe(32);
    expect(touches(m)).toEqual([]);
    checkedPtx(b.graph(128));
  });
});

describe("products", () => {
  const cases: readonly (readonly [AccType["dtype"], Partial<typeof product>, string])[] = [
    ["f32", {}, "m64n64k16.f32.f16.f16"],
    ["f32", { aType: "bf16", bType: "bf16", aMajor: "mn", negateA: true }, "m64n64k16.f32.bf16.bf16"],
    ["f16", {}, "m64n64k16.f16.f16.f16"],
    ["f32", { aType: "tf32", bType: "tf32", bMajor: "k", k: 32 }, "m64n64k8.f32.tf32.tf32"],
    ["f32", { aType: "e4m3", bType: "e5m2", bMajor: "k", k: 128 }, "m64n64k32.f32.e4m3.e5m2"],
    ["f16", { aType: "e5m2", bType: "e5m2", bMajor: "k", k: 128 }, "m64n64k32.f16.e5m2.e5m2"],
    ["i32", { aType: "i8", bType: "u8", bMajor: "k", k: 128, saturate: true }, "m64n64k32.satfinite.s32.s8.u8"],
  ];
  for (const [dtype, change, form] of cases) {
    for (const fromRegisters of [false, true].filter((r) => !r || change.aMajor !== "mn")) {
      it(`${form}${fromRegisters ? " with A from registers" : ""}`, () => {
        const b = new GraphBuilder();
        const d = setUp(b);
        const attrs = { ...product, ...change };
        const start = b.op("acc.zero", {}, {}, [acc(dtype, 128, 64)]);
        const flag = b.param("accumulate", "pred");
        const words = Array.from({ length: 32 }, (_, i) =>
          b.op(
            "ld.shared",
            { ptr: b.op("shared.buffer", {}, { buffer: 0 }), pred: undefined, other: undefined },
            { offset: 128 * i },
            [attrs.aType === "tf32" ? "f32" : "u32"],
          ),
        );
        b.all("wgmma.fence", {}, {});
        const sum = fromRegisters
          ? b.op("wgmma.mma_async.rs", { acc: start, a: words, b: d.b, accumulate: flag }, attrs)
          : b.op("wgmma.mma_async", { acc: start, a: d.a, b: d.b, accumulate: flag }, attrs);
        b.all("wgmma.commit_group", {}, {});
        b.all("wgmma.wait_group", {}, { pending: 0 });
        const type = dtype === "f32" ? "f32" : dtype === "f16" ? "f16" : "i32";
        const values = b.all(
          "acc.unpack",
          { acc: sum },
          { columns: undefined },
          Array.from({ length: 64 }, () => type),
        );
        const packed = b.op("acc.pack", { values }, {}, [acc(dtype, 128, 64)]);
        store(b, packed, b.op("shared.buffer", {}, { buffer: 0 }));
        const text = checkedPtx(b.graph(128));
        expect(text.match(new RegExp(`wgmma\\.mma_async\\.sync\\.aligned\\.${form.replaceAll(".", "\\.")} `, "g"))?.length).toBe(
          8,
        );
      });
    }
  }
});

describe("descriptors", () => {
  it("are put together from the address, the offsets and the swizzle", () => {
    const b = new GraphBuilder();
    const d = setUp(b);
    const sum = mma(
      b,
      b.op("acc.zero", {}, {}, [acc("f32", 64, 64)]),
      b.op("wgmma.advance", { desc: d.a, by: b.const("i32", 1024) }, {}),
      d.b,
    );
    b.all("wgmma.wait_group", {}, { pending: 0 });
    store(b, sum, b.op("shared.buffer", {}, { buffer: 0 }));
    const text = checkedPtx(b.graph(128));
    expect(text).toContain(`mov.b32 %r0, smem;`.replace("%r0", /mov\.b32 (%r\d+), smem;/.exec(text)?.[1] ?? "?"));
    // stride 1024 / 16, mode 1 in the top bits
    expect(text).toContain(`, ${0x40000040};`);
    // A: leading 1, 1024 on; then the K steps
    for (const step of [0, 2, 4, 6]) expect(text).toContain(`, ${0x10000 + 1024 + step};`);
    // B: leading 512, behind seven stages of A
    expect(text).toContain(`, ${(512 << 16) + 7168};`);
  });

  it("keep their high word out of loops, and carry it where it differs", () => {
    for (const same of [true, false]) {
      const b = new GraphBuilder();
      const d = setUp(b);
      const other = b.op(
        "wgmma.descriptor",
        { ptr: b.op("shared.buffer", {}, { buffer: 0 }) },
        { swizzle: same ? "128B" : "64B", leading: 16, stride: same ? 1024 : 512 },
      );
      const [zero, one, n] = [b.const("i32", 0), b.const("i32", 1), b.const("i32", 9)];
      const [sum, last] = b.for(zero, n, one, [b.op("acc.zero", {}, {}, [acc("f32", 64, 64)]), d.a], (_i, s, x) => {
        const next = mma(b, s as Value, x as Value, d.b);
        b.all("wgmma.wait_group", {}, { pending: 0 });
        return [next, other];
      });
      const total = mma(
        b,
        sum as Value,
        b.op("select", { condition: b.param("p", "pred"), yes: last as Value, no: d.a }, {}),
        d.b,
      );
      b.all("wgmma.wait_group", {}, { pending: 0 });
      store(b, total, b.op("shared.buffer", {}, { buffer: 0 }));
      const loop = checkedPtx(b.graph(128)).split("$for_0:")[1]?.split("bra $for_0;")[0] ?? "";
      expect(loop.match(/\n {2}mov\.b32 /g)?.length).toBe(same ? undefined : 1);
    }
  });
});

describe("registers", () => {
  it("are known at entry where setmaxnreg moves them", () => {
    const b = new GraphBuilder();
    b.all("setmaxnreg", {}, { count: 40, action: "dec" });
    expect(checkedPtx(b.graph(384))).toContain(".minnctapersm 1");
  });
});
