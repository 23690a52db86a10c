import { describe, expect, it } from "vitest";
import { fastest } from "../../bench/contenders.ts";
import { flushed, flushedRounds, orderOf, sustained, warm } from "../../bench/measure.ts";
import { limitsOf, monitor, noMonitor } from "../../bench/power.ts";
import { figureOf, geometricMean, quantile } from "../../bench/stats.ts";
import type { Timer } from "../../bench/timer.ts";

/** A device whose clock is a number. */
class FakeTimer implements Timer {
  readonly log: string[] = [];
  now = 0;
  cold = false;
  #marks = new Map<bigint, number>();
  #count = 0n;

  flush(): void {
    this.log.push("flush");
    this.now += 57;
    this.cold = true;
  }

  mark(): bigint {
    this.#marks.set(++this.#count, this.now);
    return this.#count;
  }

  release(): void {}
  reach(): void {}
  wait(): void {}
  settle(): void {}

  between(from: bigint, to: bigint): number {
    return (this.#marks.get(to) ?? Number.NaN) - (this.#marks.get(from) ?? Number.NaN);
  }

  batch(launch: () => void, launches: number) {
    const replay = () => {
      for (let i = 0; i < launches; i++) launch();
    };
    return { launches, replay, free: () => void this.log.push("free") };
  }

  /** Takes `us`, and `more` with a cold cache. */
  contender(name: string, us: number, more = 0) {
    const launch = () => {
      this.log.push(name);
      this.now += us + (this.cold ? more : 0);
      this.cold = false;
    };
    return { name, launch };
  }
}

describe("measuring", () => {
  it("lets everybody be first, and go after everybody else", () => {
    const orders = Array.from({ length: 6 }, (_, iteration) => orderOf(["a", "b", "c"], iteration).join(""));
    expect(orders).toEqual(["abc", "bca", "cab", "cba", "acb", "bac"]);
  });

  it("flushes before each launch and times the launch alone", () => {
    const timer = new FakeTimer();
    const samples = flushedRounds(timer, [timer.contender("a", 10, 2), timer.contender("b", 20, 3)], 4);
    expect(Object.fromEntries(samples)).toEqual({ a: [12, 12, 12, 12], b: [23, 23, 23, 23] });
    const launches = timer.log.flatMap((what, i) => (what === "flush" ? [] : [timer.log[i - 1]]));
    expect(new Set(launches)).toEqual(new Set(["flush"]));
  });

  it("fills its time and no more", () => {
    const timer = new FakeTimer();
    const { a } = flushed(timer, [timer.contender("a", 1000), timer.contender("b", 886)], 0.5);
    expect(a).toMatchObject({ median: 1000, p10: 1000, p90: 1000 });
    expect(timer.now / 1e6).toBeGreaterThan(0.45);
    expect(timer.now / 1e6).toBeLessThan(0.55);
  });

  it("measures warm launches back to back", () => {
    const timer = new FakeTimer();
    expect(warm(timer, [timer.contender("a", 5, 100), timer.contender("b", 7, 100)], 0.05)).toMatchObject({
      a: { median: 5 },
      b: { median: 7 },
    });
    expect(timer.log.filter((what) => what === "free")).toHaveLength(2);
    expect(timer.log).not.toContain("flush");
  });

  it("sustains each for its seconds, in both orders", () => {
    const timer = new FakeTimer();
    const result = sustained(timer, [timer.contender("a", 100), timer.contender("b", 200)], 0.4, () => noMonitor);
    expect(result).toEqual({ a: { us: 100 }, b: { us: 200 } });
    // A try of each, then a, b, b, a.
    const order = timer.log.filter((what, i) => what !== timer.log[i - 1] && what !== "free");
    expect(order.join("")).toBe("ababa");
    expect(timer.log.filter((what) => what === "a").length * 100).toBeGreaterThanOrEqual(0.4e6);
  });

  it("chooses the fastest algorithm that runs", () => {
    const timer = new FakeTimer();
    const broken = () => {
      throw new Error("status 15");
    };
    const launches = [30, 20, 0, 19, 25, 40].map((us) => (us === 0 ? broken : timer.contender("x", us).launch));
    expect(fastest(timer, launches, 0.001)).toEqual({ index: 3, tried: 5 });
    expect(() => fastest(timer, [broken], 0.001)).toThrow("none of the algorithms");
  });
});

describe("statistics", () => {
  it("takes quantiles between neighbours", () => {
    expect([0, 0.1, 0.5, 0.9, 1].map((q) => quantile([5, 1, 3, 2, 4], q))).toEqual([1, 1.4, 3, 4.6, 5]);
    expect(quantile([2, 1], 0.5)).toBe(1.5);
    expect(figureOf([1, 2, 3])).toEqual({ median: 2, p10: 1.2, p90: 2.8, samples: 3 });
    expect(geometricMean([2, 8])).toBeCloseTo(4, 12);
  });
});

describe("the monitor", () => {
  const gauges = {
    clockMHz: () => 1400,
    watts: () => 690,
    celsius: () => undefined,
    millijoules: (): number | undefined => undefined,
    limits: () => limitsOf(0x4n | 0x1n),
  };

  it("leaves out what was before the load had settled", () => {
    let now = 0;
    const seen = monitor({ ...gauges, clockMHz: () => (now < 150 ? 1980 : 1400) }, () => now);
    seen.start();
    for (now = 0; now < 500; now += 5) seen.sample();
    seen.stop();
    expect(seen.reading()).toEqual({ clockMHz: 1400, watts: 690, limits: ["power cap"] });
  });

  it("prefers the energy used to samples of power", () => {
    let now = 0;
    const seen = monitor({ ...gauges, millijoules: () => now * 700 }, () => now);
    for (let run = 0; run < 2; run++) {
      seen.start();
      for (const end = now + 600; now < end; now += 10) seen.sample();
      seen.stop();
    }
    expect(seen.reading().watts).toBe(700);
  });

  it("says nothing where nothing was seen", () => {
    const seen = monitor(gauges, () => 0);
    seen.start();
    seen.stop();
    expect(seen.reading()).toEqual({ limits: [] });
  });
});
