import { describe, expect, it } from "vitest";
import { type Graph, type Op, type Value, walkOps } from "../../../../src/ir/index.ts";
import { parseGraph } from "../../../../src/ir/parse.ts";
import { type Facts, factsOf } from "../../../../src/passes/facts/index.ts";
import { rotating } from "../../../support/amount.ts";

/** Values of a graph by number. */
function valuesOf(graph: Graph): (id: number) => Value {
  const all = new Map<number, Value>();
  const see = (list: readonly Value[]): void => {
    for (const value of list) all.set(value.id, value);
  };
  see(graph.body.params);
  walkOps(graph.body, (op) => {
    see(op.results);
    for (const { params } of op.regions) see(params);
  });
  return (id) => {
    const value = all.get(id);
    if (!value) throw new Error(`no %${id}`);
    return value;
  };
}

interface Asked {
  readonly facts: Facts;
  readonly of: (id: number) => Value;
}

function ask(ops: string, block = "128, 1, 1"): Asked {
  const graph = parseGraph(
    `kernel @k(scalar "n" %0: i32, scalar "u" %1: u32, scalar "l" %2: i64, scalar "p" %3: pred, scalar "f" %4: f32) block(${block}) cluster(1, 1, 1) {\n${ops}\n}\n`,
  );
  return { facts: factsOf(graph), of: valuesOf(graph) };
}

/** Literals %10 = 0, %11 = 1, %12 = 2, %13 = 3, %14 = 4, %15 = 5, %16 = 16, %17 = 7, %18 = 12, %19 = -4. */
const literals = [0, 1, 2, 3, 4, 5, 16, 7, 12, -4].map((n, i) => `%${10 + i} = const {value = ${n}} : i32`).join("\n");
const thread = `${literals}\n%20 = sreg {reg = "tid.x"} : i32\n%21 = sreg {reg = "laneid"} : i32\n%22 = warp.index : i32`;

describe("integers", () => {
  it("an address of warps and lanes: bits, range and divisors", () => {
    const { facts, of } = ask(`${thread}
      %30 = mul %22, %16 : i32
      %31 = shr %21, %12 : i32
      %32 = add %30, %31 : i32
      %33 = shl %32, %14 : i32
      exit`);
    expect(facts.range(of(32))).toEqual([0, 55]);
    expect(facts.bits(of(32))).toBe(0b110111);
    expect(facts.divisor(of(33), 64)).toBe(16);
    expect(facts.bits(of(33))).toBe(0b1101110000);
  });

  it("sums that wrap keep powers of two, sums that do not keep everything", () => {
    const { facts, of } = ask(`${thread}
      %30 = mul %0, %18 : i32
      %31 = mul %20, %18 : i32
      %32 = add %31, %18 : i32
      %33 = add %30, %18 : i32
      exit`);
    expect([30, 31, 32, 33].map((id) => facts.divisor(of(id), 12))).toEqual([4, 12, 12, 4]);
    expect(facts.nonNegative(of(30))).toBe(false);
    expect(facts.nonNegative(of(32))).toBe(true);
  });

  it("0 is a multiple of everything, and n of itself alone", () => {
    const { facts, of } = ask(`${literals}\n%20 = mul %0, %10 : i32\nexit`);
    expect([10, 18, 0, 20].map((id) => facts.divisor(of(id), 24))).toEqual([24, 12, 1, 24]);
  });

  it("shift counts go around the width", () => {
    const { facts, of } = ask(`%20 = const {value = 33} : i32\n%21 = shl %0, %20 : i32\n%22 = shr %1, %20 : u32\nexit`);
    expect(facts.divisor(of(21), 2 ** 20)).toBe(1);
    expect(facts.range(of(22))).toEqual([0, 2 ** 32 - 1]);
  });

  it("floats that become integers are rounded and clamped: nothing divides them", () => {
    const { facts, of } = ask(`%20 = const {value = 16} : f32\n%21 = mul %4, %20 : f32\n%22 = convert %21 : i32\nexit`);
    expect(facts.divisor(of(22), 16)).toBe(1);
  });

  it("what a conversion cuts off takes odd divisors and the sign along", () => {
    const { facts, of } = ask(`%20 = const {value = 48} : i64
      %21 = mul %2, %20 : i64
      %22 = convert %21 : i32
      %23 = const {value = 300} : i32
      %24 = convert %23 : u8
      %25 = convert %1 : i64
      %26 = convert %3 : i32
      exit`);
    expect([21, 22].map((id) => facts.divisor(of(id), 48))).toEqual([16, 16]);
    expect(facts.literal(of(24))).toBe(44);
    expect(facts.range(of(25))).toEqual([0, 2 ** 32 - 1]);
    expect(facts.range(of(26))).toEqual([0, 1]);
  });

  it("64 bits: signs, and literals that a double does not hold", () => {
    const { facts, of } = ask(`%20 = const {value = 0} : i64
      %21 = max %2, %20 : i64
      %22 = add %21, %21 : i64
      %23 = const {value = 9007199254740993n} : i64
      %24 = mul %23, %23 : i64
      exit`);
    expect([2, 21, 22].map((id) => facts.nonNegative(of(id)))).toEqual([false, true, false]);
    expect(facts.literal(of(24))).toBe(BigInt.asIntN(64, 9007199254740993n ** 2n));
  });

  it("masks, remainders and quotients", () => {
    const { facts, of } = ask(`${thread}
      %30 = const {value = -8} : i32
      %31 = and %0, %30 : i32
      %32 = rem %20, %15 : i32
      %33 = rem %0, %15 : i32
      %34 = div %20, %15 : i32
      %35 = mul %20, %18 : i32
      %36 = div %35, %13 : i32
      %37 = or %31, %17 : i32
      %38 = or %35, %13 : i32
      exit`);
    expect(facts.divisor(of(31), 64)).toBe(8);
    expect([32, 33, 34].map((id) => facts.range(of(id)))).toEqual([
      [0, 4],
      [-4, 4],
      [0, 25],
    ]);
    expect(facts.divisor(of(36), 12)).toBe(4);
    expect(facts.range(of(38))).toEqual([3, 127 * 12 + 3]);
  });

  it("a division by -1, and by what may be 0", () => {
    const { facts, of } = ask(`%20 = const {value = -1} : i32\n%21 = div %0, %20 : i32\n%22 = div %1, %1 : u32\nexit`);
    expect(facts.range(of(21))).toEqual([-(2 ** 31), 2 ** 31 - 1]);
    expect(facts.range(of(22))[0]).toBe(0);
  });
});

describe("choices", () => {
  it("what a comparison says holds on its side of a select", () => {
    const { facts, of } = ask(`${thread}
      %30 = cmp %20, %15 {is = "lt"} : pred
      %31 = select %30, %20, %15 : i32
      %32 = select %30, %10, %20 : i32
      exit`);
    expect([31, 32].map((id) => facts.range(of(id)))).toEqual([
      [0, 5],
      [0, 127],
    ]);
  });

  const holds = {
    eq: (a: number, b: number) => a === b,
    ne: (a: number, b: number) => a !== b,
    lt: (a: number, b: number) => a < b,
    le: (a: number, b: number) => a <= b,
    gt: (a: number, b: number) => a > b,
    ge: (a: number, b: number) => a >= b,
  } as const;
  const comparisons = Object.keys(holds) as readonly (keyof typeof holds)[];

  it.each(comparisons)("each side of a select by %s, with the literal on either side", (is) => {
    for (let n = 0; n < 8; n++) {
      const { facts, of } = ask(
        `%10 = const {value = ${n}} : i32
        %11 = const {value = 3} : i32
        %20 = sreg {reg = "tid.x"} : i32
        %30 = cmp %20, %10 {is = "${is}"} : pred
        %31 = cmp %10, %20 {is = "${is}"} : pred
        %40 = select %30, %20, %11 : i32
        %41 = select %30, %11, %20 : i32
        %42 = select %31, %20, %11 : i32
        %43 = select %31, %11, %20 : i32
        exit`,
        "8, 1, 1",
      );
      const threads = [0, 1, 2, 3, 4, 5, 6, 7];
      const values = [
        threads.map((t) => (holds[is](t, n) ? t : 3)),
        threads.map((t) => (holds[is](t, n) ? 3 : t)),
        threads.map((t) => (holds[is](n, t) ? t : 3)),
        threads.map((t) => (holds[is](n, t) ? 3 : t)),
      ];
      // "All but n" has no end of its own.
      const exact = (list: readonly number[]) =>
        is === "eq" || is === "ne" ? undefined : [Math.min(...list), Math.max(...list)];
      values.forEach((list, i) => {
        const [least, most] = facts.range(of(40 + i));
        expect([least, most]).toEqual(exact(list) ?? [least, most]);
        expect(least <= Math.min(...list) && most >= Math.max(...list)).toBe(true);
      });
    }
  });

  it("comparisons that ranges decide are literals, and so is what hangs on them", () => {
    const { facts, of } = ask(`${thread}
      %30 = const {value = 128} : i32
      %31 = cmp %20, %30 {is = "lt"} : pred
      %32 = or %3, %31 : pred
      %33 = not %32 : pred
      %34 = select %33, %0, %17 : i32
      %35 = cmp %4, %4 {is = "eq"} : pred
      %36 = cmp %0, %0 {is = "eq"} : pred
      exit`);
    expect([31, 32, 33, 34, 35, 36].map((id) => facts.literal(of(id)))).toEqual([true, true, false, 7, undefined, true]);
  });

  it("an if gives what one of its sides yields; a side that ends the thread gives nothing", () => {
    const { facts, of } = ask(`${literals}
      %20 = if %3 : i32 yes {
        yield values=[%16]
      } no {
        yield values=[%18]
      }
      %21 = if %3 : i32 yes {
        yield values=[%16]
      } no {
        exit
      }
      exit`);
    expect(facts.range(of(20))).toEqual([12, 16]);
    expect(facts.divisor(of(20), 8)).toBe(4);
    expect(facts.literal(of(21))).toBe(16);
  });
});

describe("loops", () => {
  it("an index lies between its ends, upwards and downwards", () => {
    const { facts, of } = ask(`${thread}
      for %10, %20, %14 body(%30: i32) {
        yield values=[]
      }
      for %18, %10, %19 body(%31: i32) {
        yield values=[]
      }
      for %22, %0, %16 body(%32: i32) {
        yield values=[]
      }
      exit`);
    expect(facts.range(of(30))).toEqual([0, 124]);
    expect(facts.divisor(of(30), 16)).toBe(4);
    expect(facts.range(of(31))).toEqual([4, 12]);
    expect(facts.nonNegative(of(32))).toBe(true);
  });

  it("what is carried keeps what every iteration keeps", () => {
    const { facts, of } = ask(`${thread}
      %40, %41, %42 = for %10, %0, %11, carried=[%10, %10, %15] : i32, i32, i32 body(%30: i32, %31: i32, %32: i32, %33: i32) {
        %34 = add %31, %16 : i32
        %35 = add %32, %31 : i32
        %36 = and %33, %18 : i32
        %37 = add %36, %13 : i32
        yield values=[%34, %35, %37]
      }
      exit`);
    expect([31, 32, 40, 41].map((id) => facts.divisor(of(id), 64))).toEqual([16, 16, 16, 16]);
    expect(facts.nonNegative(of(40))).toBe(false);
    expect(facts.range(of(42))).toEqual([3, 7]);
  });

  it("a count that goes around stays below where it does", () => {
    const { facts, of } = ask(`${thread}
      %40 = for %10, %0, %11, carried=[%10] : i32 body(%30: i32, %31: i32) {
        %32 = add %31, %11 : i32
        %33 = cmp %32, %15 {is = "ge"} : pred
        %34 = select %33, %10, %32 : i32
        yield values=[%34]
      }
      exit`);
    expect(facts.range(of(31))).toEqual([0, 4]);
  });

  it("loops in loops, and values that change places", () => {
    const { facts, of } = ask(`${thread}
      %50, %51 = for %10, %0, %11, carried=[%16, %18] : i32, i32 body(%30: i32, %31: i32, %32: i32) {
        %40, %41 = while carried=[%32, %31] : i32, i32 test(%33: i32, %34: i32) {
          condition %3, values=[%34, %33]
        } body(%35: i32, %36: i32) {
          %37 = add %35, %18 : i32
          yield values=[%36, %37]
        }
        yield values=[%41, %40]
      }
      exit`);
    expect([50, 51, 33, 36].map((id) => facts.divisor(of(id), 16))).toEqual([4, 4, 4, 4]);
  });

  /** A place `%60` that starts at a multiple of 16 and is moved on by `%9` in every iteration; `%61` is where it ends. */
  const walks: Readonly<Record<string, string>> = {
    for: `%61 = for %10, %0, %11, carried=[%5] : i32 body(%30: i32, %60: i32) {
        %31 = add %60, %9 : i32
        yield values=[%31]
      }`,
    downwards: `%61 = for %0, %10, %19, carried=[%5] : i32 body(%30: i32, %60: i32) {
        %31 = sub %60, %9 : i32
        yield values=[%31]
      }`,
    while: `%61 = while carried=[%5] : i32 test(%60: i32) {
        condition %3, values=[%60]
      } body(%30: i32) {
        %31 = add %30, %9 : i32
        yield values=[%31]
      }`,
    "by the index": `%61 = for %10, %0, %11, carried=[%5] : i32 body(%30: i32, %60: i32) {
        %31 = mul %30, %9 : i32
        %32 = add %31, %60 : i32
        yield values=[%32]
      }`,
    "two loops": `%61 = for %10, %0, %11, carried=[%5] : i32 body(%30: i32, %31: i32) {
        %32 = for %10, %0, %11, carried=[%31] : i32 body(%33: i32, %60: i32) {
          %34 = add %60, %9 : i32
          yield values=[%34]
        }
        yield values=[%32]
      }`,
    "where a condition holds": `%61 = for %10, %0, %11, carried=[%5] : i32 body(%30: i32, %60: i32) {
        %31 = if %3 : i32 yes {
          %32 = add %60, %9 : i32
          yield values=[%32]
        } no {
          yield values=[%60]
        }
        yield values=[%31]
      }`,
    "by another that the loop carries": `%61, %62 = for %10, %0, %11, carried=[%5, %10] : i32, i32 body(%30: i32, %60: i32, %31: i32) {
        %32 = add %60, %31 : i32
        %33 = add %31, %9 : i32
        yield values=[%32, %33]
      }`,
  };

  it.each(Object.keys(walks))("a place that every iteration moves on, %s: what divides it and the step is known", (name) => {
    const known = [16, 8, 2, 1].map((step) => {
      const { facts, of } = ask(`${literals}
        %5 = mul %0, %16 : i32
        %6 = const {value = ${step}} : i32
        %9 = mul %0, %6 : i32
        ${walks[name]}
        exit`);
      return [60, 61].map((id) => facts.divisor(of(id), 16));
    });
    expect(known).toEqual([16, 8, 2, 1].map((step) => [step, step]));
  });

  it("a value that only goes around is what came in", () => {
    const { facts, of } = ask(`${thread}
      %50, %51 = for %10, %0, %11, carried=[%17, %17] : i32, i32 body(%30: i32, %31: i32, %32: i32) {
        yield values=[%32, %31]
      }
      %52 = add %50, %51 : i32
      exit`);
    expect(facts.literal(of(52))).toBe(14);
  });

  it("a loop that never ends an iteration carries what comes in", () => {
    const { facts, of } = ask(`${thread}
      %50 = for %10, %0, %11, carried=[%17] : i32 body(%30: i32, %31: i32) {
        exit
      }
      exit`);
    expect(facts.literal(of(31))).toBe(7);
  });

  it("in the first iteration parameters are what comes in", () => {
    const { facts, of } = ask(`${thread}
      %50 = for %10, %0, %11, carried=[%17] : i32 body(%30: i32, %31: i32) {
        %32 = add %31, %30 : i32
        yield values=[%32]
      }
      exit`);
    expect(facts.literal(of(32))).toBeUndefined();
    const loop = facts.maker(of(50)) as Op;
    expect(facts.firstIteration(loop).literal(of(32))).toBe(7);
    expect(facts.firstIteration().literal(of(32))).toBe(7);
    expect(facts.literal(of(32))).toBeUndefined();
  });

  it("a chain of twenty thousand sums is no deeper than one", rotating, () => {
    const sums = Array.from({ length: 20_000 }, (_, i) => `%${101 + i} = add %${100 + i}, %16 : i32`);
    const { facts, of } = ask(`${literals}\n%100 = mul %0, %16 : i32\n${sums.join("\n")}\nexit`);
    expect(facts.divisor(of(20_100), 64)).toBe(16);
  });
});

describe("uniformity", () => {
  it("of numbers of threads, and of what is left of them", () => {
    const { facts, of } = ask(
      `${thread}
      %30 = shr %20, %15 : i32
      %31 = shr %20, %17 : i32
      %32 = const {value = 96} : i32
      %33 = and %20, %32 : i32
      %34 = div %20, %14 : i32
      %35 = const {value = 8} : i32
      %36 = div %34, %35 : i32
      %37 = shr %22, %12 : i32
      %38 = mul %22, %16 : i32
      %39 = add %38, %0 : i32
      %40 = add %38, %21 : i32
      %41 = and %20, %10 : i32
      %42 = sreg {reg = "ctaid.x"} : i32
      exit`,
      "256, 1, 1",
    );
    const groups = [0, 20, 21, 22, 30, 31, 33, 34, 36, 37, 39, 40, 41, 42].map((id) => facts.uniformity(of(id)));
    expect(groups).toEqual(
      "block thread thread warp warp warpgroup warp thread warp warpgroup warp thread block block".split(" "),
    );
  });

  it("of coordinates", () => {
    const ops = `%5 = sreg {reg = "tid.x"} : i32\n%6 = sreg {reg = "tid.y"} : i32\n%7 = sreg {reg = "tid.z"} : i32\nexit`;
    const groups = (block: string): string => {
      const { facts, of } = ask(ops, block);
      return [5, 6, 7].map((id) => facts.uniformity(of(id))).join(" ");
    };
    expect(groups("128, 2, 1")).toBe("thread warpgroup block");
    expect(groups("32, 2, 4")).toBe("thread warp warp");
    expect(groups("96, 2, 1")).toBe("thread warp block");
    expect(groups("16, 2, 2")).toBe("thread thread warp");
    expect(groups("1, 128, 1")).toBe("block thread block");
  });

  it("memory is its own, but what nobody writes; a vote and a reduction are their warp's", () => {
    const graph = parseGraph(`kernel @k(tensor "x" %0: ptr.global) block(128, 1, 1) cluster(1, 1, 1) {
      %1 = ld.global %0 {offset = 0, cache = ""} : i32
      %2 = ld.global %0 {offset = 0, cache = "nc"} : i32
      %3 = elect.sync : pred
      %4 = vote.ballot %3 : u32
      %5 = vote %3 {mode = "any"} : pred
      %6 = redux.sync %1 {op = "add"} : i32
      %7 = match.all %1 : pred
      %8 = match.any %1 : u32
      exit
    }
    `);
    const [facts, of] = [factsOf(graph), valuesOf(graph)];
    const found = ["thread", "block", "thread", "warp", "warp", "warp", "warp", "thread"];
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((id) => facts.uniformity(of(id)))).toEqual(found);
  });

  it("a shuffle gives what is the same in a warp, and makes it so where all lanes read one", () => {
    const graph = parseGraph(`kernel @k(tensor "x" %0: ptr.global, scalar "n" %1: i32) block(128, 1, 1) cluster(1, 1, 1) {
      %2 = sreg {reg = "tid.x"} : i32
      %3 = warp.index : i32
      %4 = const {value = 1} : i32
      %5 = shfl %2, %4 {mode = "idx"} : i32
      %6 = shfl %2, %2 {mode = "idx"} : i32
      %7 = shfl %2, %4 {mode = "up"} : i32
      %8 = shfl %3, %2 {mode = "down"} : i32
      %9 = shfl %1, %2 {mode = "bfly"} : i32
      exit
    }
    `);
    const [facts, of] = [factsOf(graph), valuesOf(graph)];
    const found = ["warp", "thread", "thread", "warp", "block"];
    expect([5, 6, 7, 8, 9].map((id) => facts.uniformity(of(id)))).toEqual(found);
  });

  it("who decides how often a loop goes, and which side an if takes, decides what they give", () => {
    const { facts, of } = ask(`${thread}
      %30 = cmp %20, %15 {is = "lt"} : pred
      %31 = if %30 : i32 yes {
        yield values=[%10]
      } no {
        yield values=[%0]
      }
      %32 = cmp %22, %12 {is = "lt"} : pred
      %33 = if %32 : i32 yes {
        yield values=[%10]
      } no {
        yield values=[%0]
      }
      %34 = for %10, %20, %11, carried=[%0] : i32 body(%40: i32, %41: i32) {
        %42 = add %41, %40 : i32
        yield values=[%42]
      }
      %35 = for %10, %0, %11, carried=[%10] : i32 body(%50: i32, %51: i32) {
        %52 = add %51, %22 : i32
        yield values=[%52]
      }
      exit`);
    expect([31, 33, 34, 41, 42, 35, 50, 51].map((id) => facts.uniformity(of(id)))).toEqual(
      "thread warp thread block block warp block warp".split(" "),
    );
  });

  it("what threads choose for themselves has no bits of a number of its own", () => {
    const { facts, of } = ask(`${thread}
      %30 = const {value = 32} : i32
      %31 = const {value = 64} : i32
      %32 = and %20, %30 : i32
      %33 = and %20, %31 : i32
      %34 = cmp %21, %14 {is = "lt"} : pred
      %35 = if %34 : i32 yes {
        yield values=[%32]
      } no {
        yield values=[%33]
      }
      exit`);
    expect([32, 33, 35].map((id) => facts.uniformity(of(id)))).toEqual(["warp", "warp", "thread"]);
  });

  it("PTX of the author's may read the number of its thread, also where it only computes", () => {
    const { facts, of } = ask(`
      %5 = ptx.pure values=[%0] {text = "mad.lo.s32 $0, %laneid, $1, 1;", literals = []} : i32
      %6 = ptx.inline values=[%0] {text = "not.b32 $0, $1;", literals = []} : i32
      exit`);
    expect([5, 6].map((id) => facts.uniformity(of(id)))).toEqual(["thread", "thread"]);
  });
});

describe("who is missing", () => {
  it("under conditions on the numbers of threads and warps", () => {
    const { facts, of } = ask(`${thread}
      %30 = const {value = 32} : i32
      %31 = cmp %20, %30 {is = "lt"} : pred
      %32 = cmp %20, %10 {is = "eq"} : pred
      %33 = not %32 : pred
      %34 = and %3, %31 : pred
      %35 = elect.sync : pred
      %36 = mul %16, %12 : i32
      %37 = cmp %20, %36 {is = "ge"} : pred
      exit`);
    const both = (missing: string | undefined) => ({ yes: missing, no: missing });
    expect([31, 32, 33, 35, 3].map((id) => facts.parted(of(id)))).toEqual(
      ["warpgroup", "warp", "warp", "warp", undefined].map(both),
    );
    expect(facts.parted(of(34))).toEqual({ yes: "warpgroup", no: undefined });
    expect(facts.parted(of(37))).toEqual(both("warpgroup"));
  });
});

describe("told by the writer", () => {
  it("ops that were made after the graph, and ops that take the place of others", () => {
    const { facts, of } = ask(`${literals}\n%20 = add %0, %16 : i32\nexit`);
    const [type, spans] = ["i32" as const, [] as const];
    const made: Value = { id: 900, type };
    const op = (result: Value, a: Value, b: Value): Op =>
      ({ name: "and", operands: { a, b }, attrs: {}, results: [result], regions: [], spans }) as Op;
    expect(facts.range(made)).toEqual([-(2 ** 31), 2 ** 31 - 1]);
    facts.define(op(made, of(0), of(18)));
    expect(facts.range(made)).toEqual([0, 12]);
    expect(facts.divisor(of(20), 4)).toBe(1);
    facts.define(op(of(20), of(0), of(19)));
    expect(facts.divisor(of(20), 4)).toBe(4);
  });
});
