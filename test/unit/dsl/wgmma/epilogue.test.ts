import { describe, expect, it } from "vitest";
import {
  type Accumulator,
  fence,
  kernel,
  range,
  type SharedView,
  type Static,
  sharedMemory,
  staticRange,
  syncThreads,
  type Tensor,
  TMA,
  tensorSpec,
  tma,
  WGMMAMatrix,
  warpgroup,
  wgmma,
} from "warpsmith";
import { assemble } from "../../../support/ptxas.ts";

type Finish = (panel: Accumulator, bias: Tensor<"f32", 1>, col: number, shared: SharedView<"f16", 2>) => Accumulator;
const width = 64;

/** Two warpgroups share tiles of 128 x 256 and store them by panels, as the fastest kernels do; what is loaded does not matter here. */
const tiles = kernel({ block: 384, grid: 132 }, function tiles(d: TMA<"f16", 2>, bias: Tensor<"f32", 1>, finish: Static<Finish>) {
  const a = sharedMemory.alloc("f16", [4, 128, 64], { swizzle: "128B" });
  const b = sharedMemory.alloc("f16", [4, 256, 64], { swizzle: "128B" });
  const panels = sharedMemory.alloc("f16", [2, 2, 64, width], { swizzle: "128B" });
  syncThreads();
  warpgroup.specialize({
    producer: { registers: 40, run: () => {} },
    consumer: {
      warpgroups: 2,
      registers: 232,
      run: (wg) => {
        const A = WGMMAMatrix.descriptor(a.subview([0, wg * 64, 0], [4, 64, 64]), [64, 64]);
        const B = WGMMAMatrix.descriptor(b.transpose(0, 2, 1), [64, 256]);
        const leader = warpgroup.thread === 0;
        for (const t of range(16)) {
          let D = WGMMAMatrix.accumulator("f32", [64, 256]);
          for (const k of range(64)) D = D.mma(A.at(k % 4), B.at(k % 4), { accumulate: k > 0, wait: 1 });
          wgmma.wait(0);
          for (const c0 of staticRange(0, 256, width)) {
            const panel = panels.at(wg).at((c0 / width) % 2);
            finish(D.columns(c0, width), bias, t * 256 + c0, panel)
              .convert("f16")
              .store(panel);
            fence.proxyAsync();
            if (leader) {
              d.store(panel, [t * 256 + c0, wg * 64]);
              tma.commit();
            }
          }
        }
        if (leader) tma.wait(0);
      },
    },
  });
});

const finishes: Readonly<Record<string, Finish>> = {
  plain: (panel) => {
    "use kernel";
    return panel;
  },
  biased: (panel, bias, col) => {
    "use kernel";
    return panel.map((v, _row, c) => Math.max(v + (bias.at(col + c).load() as number), 0));
  },
  residual: (panel, _bias, _col, shared) => {
    "use kernel";
    return panel.zip(WGMMAMatrix.load(shared).convert("f32"), (v, x) => v + x);
  },
};

/** The statements from the last product on, by opcode. */
function afterProducts(ptx: string): ReadonlyMap<string, number> {
  const lines = ptx.slice(ptx.lastIndexOf("wgmma.wait_group")).split("\n");
  const opcodes = lines.map(
    (l) =>
      l
        .trim()
        .replace(/^@!?%p\d+ /, "")
        .split(" ")[0] ?? "",
  );
  return new Map([...new Set(opcodes)].map((o) => [o, opcodes.filter((x) => x === o).length]));
}

const compiled = (name: string): string => {
  const map = new TMA(tensorSpec("f16", [128, 4096]), { box: [64, width], swizzle: "128B" });
  const { ptx } = tiles.compile(map, tensorSpec("f32", [4096]), finishes[name] as Finish);
  const assembled = assemble(ptx);
  if (assembled) expect([assembled.warnings, assembled.spills, assembled.registers]).toEqual([[], 0, 168]);
  return ptx;
};

describe("the epilogue of a tile of 64 x 256 to a warpgroup", () => {
  it("is a conversion for two elements and a store for sixteen columns, at four addresses", () => {
    const ptx = compiled("plain");
    const found = afterProducts(ptx);
    expect(found.get("cvt.rn.f16x2.f32")).toBe(64);
    expect(found.get("stmatrix.sync.aligned.m8n8.x4.shared.b16")).toBe(16);
    for (const none of ["mov.f32", "cvt.rn.f16.f32", "mov.b32", "or.b32", "shl.b32", "xor.b32"])
      expect([none, found.get(none)]).toEqual([none, undefined]);
    expect(ptx.match(/xor\.b32/g)?.length).toBeLessThanOrEqual(4);
    expect(ptx).not.toContain("mov.f32");
  });

  it("loads what goes with the columns from one address", () => {
    const ptx = compiled("biased");
    const addresses = [...ptx.matchAll(/ld\.global\.b32 %f\d+, \[(%rd\d+)[+\]]/g)].map((m) => m[1]);
    expect(addresses.length).toBe(128);
    expect(new Set(addresses).size).toBe(1);
  });

  it("reads a tile beside it as it is stored", () => {
    const found = afterProducts(compiled("residual"));
    expect(found.get("ldmatrix.sync.aligned.m8n8.x4.shared.b16")).toBe(16);
    expect(found.get("cvt.f32.f16")).toBe(128);
    expect(found.get("add.rn.f32")).toBe(128);
    expect(found.get("cvt.rn.f16x2.f32")).toBe(64);
  });
});
