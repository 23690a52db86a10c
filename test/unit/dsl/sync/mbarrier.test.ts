import { describe, expect, it } from "vitest";
import { binary } from "../../../../src/dsl/operators/binary.ts";
import { type MbarrierObject, Mbarriers } from "../../../../src/dsl/sync/index.ts";
import { threadIdx } from "../../../../src/dsl/threads/launch-ids.ts";
import { structure } from "../../../../src/dsl/trace/staged.ts";
import { find, names, record } from "../evaluate.ts";

describe("mbarriers", () => {
  it("are eight bytes each, and a handle never changes", () => {
    const trace = record(() => {
      const bars = new Mbarriers(7);
      const [x, y] = [bars.at(0), bars.at(1)];
      x.init(1);
      y.init(2);
      bars.at(threadIdx.x).arrive();
    });
    expect(trace.shared[0]).toMatchObject({ bytes: 56, align: 8 });
    const [a, b] = find(trace, "mbarrier.init").map((o) => o.operands.bar);
    expect(a).not.toBe(b);
    expect(find(trace, "ptr.add")).toHaveLength(2);
  });

  it("emit what is asked", () => {
    const trace = record(
      () => {
        const bar = new Mbarriers().at(0);
        const first = binary("===", threadIdx.x, 0) as boolean;
        bar.arrive();
        bar.arrive({ count: 3 });
        bar.arrive({ tx: 32768, pred: first });
        bar.arrive({ pred: false });
        bar.arrive({ rank: 1, pred: first });
        bar.expectTx(16);
        bar.wait(true);
        bar.wait(threadIdx.x);
        bar.tryWait(3);
        bar.testWait(first);
        bar.invalidate();
      },
      { cluster: [2, 1, 1] },
    );
    expect(names(trace).filter((n) => n.startsWith("mbarrier"))).toEqual([
      "mbarrier.arrive",
      "mbarrier.arrive",
      "mbarrier.arrive.expect_tx",
      "mbarrier.arrive.remote",
      "mbarrier.expect_tx",
      "mbarrier.wait",
      "mbarrier.wait",
      "mbarrier.try_wait",
      "mbarrier.test_wait",
      "mbarrier.inval",
    ]);
    const [plain, counted] = find(trace, "mbarrier.arrive");
    expect([plain?.operands.count, counted?.operands.count?.type]).toEqual([undefined, "i32"]);
    expect(find(trace, "mbarrier.wait").map((w) => w.operands.parity.type)).toEqual(["pred", "i32"]);
    expect(find(trace, "mbarrier.arrive.expect_tx")[0]?.operands.pred?.type).toBe("pred");
  });

  it("are structures", () => {
    const trace = record(() => {
      const bars = new Mbarriers(4);
      const again = bars[structure].rebuild(bars[structure].leaves) as Mbarriers;
      expect(again).toBeInstanceOf(Mbarriers);
      expect(again.length).toBe(4);
      const bar = again.at(0) as MbarrierObject;
      expect((bar[structure].rebuild(bar[structure].leaves) as MbarrierObject).address).toBe(bar.address);
    });
    expect(trace.shared).toHaveLength(1);
  });
});

describe("errors", () => {
  const one = () => new Mbarriers(1).at(0);
  const wrong: [string, () => unknown][] = [
    ["W5001", () => new Mbarriers(0)],
    ["W5001", () => new Mbarriers(threadIdx.x)],
    ["W5002", () => new Mbarriers(2).at(2)],
    ["W5003", () => one().init(0)],
    ["W5003", () => one().init(2 ** 20)],
    ["W2602", () => one().arrive(1024 as never)],
    ["W5004", () => one().arrive({ tx: 2 ** 20 })],
    ["W5004", () => one().expectTx(-1)],
    ["W5006", () => one().arrive({ tx: 16, count: 2 })],
    ["W5007", () => one().wait(0.5)],
    ["W5007", () => one().wait("odd" as unknown as number)],
    ["W5008", () => one().arrive({ rank: 1 })],
    ["W2010", () => one().arrive({ pred: threadIdx.x as unknown as boolean })],
  ];
  it.each(wrong)("%s", (code, run) => {
    record(() => expect(run).toThrowError(expect.objectContaining({ code })));
  });
});
