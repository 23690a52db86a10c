import { describe, expect, it } from "vitest";
import { exact, exactMembers, exactMethods, refuseMore, uncheckedOf } from "../../../../src/base/diag/index.ts";

const two = exact(function two(a: unknown, b: unknown = 1): unknown[] {
  return [a, b];
});
// biome-ignore lint/suspicious/noExplicitAny: surplus arguments are what this is about
const call = (f: unknown): ((...args: any[]) => any) => f as never;

function declared(a: number): number {
  refuseMore(declared, arguments);
  return a;
}

class Base {
  readonly at = 1;
  below(a: number): number[] {
    return [this.at, a];
  }
}
class Counted extends Base {
  constructor(a?: number) {
    refuseMore(Counted, arguments);
    super();
    this.given = a;
  }
  readonly given: number | undefined;
  static of(a: number): number {
    return a;
  }
  own(): number {
    return this.at;
  }
  all(...more: number[]): number {
    return more.length;
  }
  get value(): number {
    return 7;
  }
  async later(a: number): Promise<number> {
    return a;
  }
}
exactMethods(Counted);

describe("a function with a check of its arguments", () => {
  it("takes what it has parameters for, and no more", () => {
    expect(call(two)(1)).toEqual([1, 1]);
    expect(call(two)(1, 2)).toEqual([1, 2]);
    expect(() => call(two)(1, 2, 3)).toThrow("`two` takes 2 arguments (`a, b`), and is given 3");
    expect(() => call(two)(1, 2, { pred: false })).toThrow("if (…) two(…, …)");
  });

  it("keeps its name, its length and what it is without the check", () => {
    expect([two.name, two.length]).toEqual(["two", 1]);
    expect(exact(two)).toBe(two);
    expect(call(uncheckedOf(two))(1, 2, 3)).toEqual([1, 2]);
    expect(uncheckedOf(call)).toBe(call);
  });

  it("takes trailing undefined, which says nothing", () => {
    expect(call(two)(1, 2, undefined)).toEqual([1, 2]);
    expect(() => call(two)(1, 2, undefined, 3)).toThrow("is given 4");
  });

  it("is a callback of JavaScript's own methods", () => {
    const one = exact((x: number) => x + 1);
    expect([1, Number.NaN].map(one)).toEqual([2, Number.NaN]);
    expect([...Float32Array.of(1, 2).map(one)]).toEqual([2, 3]);
    expect([1, 2].reduce(exact((a: number, b: number) => a + b))).toBe(3);
    new Map([["a", 1]]).forEach(one);
    new Set([1]).forEach(one);
    expect(() => call(one)(1, 0, [2])).toThrow("W2078");
  });

  it("is declared", () => {
    expect(declared(1)).toBe(1);
    expect(() => call(declared)(1, 2)).toThrow("`declared` takes 1 argument (`a`), and is given 2");
  });

  it("is a member of an object, whose getters stay", () => {
    let reads = 0;
    const members = exactMembers({
      f: (a: number) => a,
      get g() {
        return ++reads;
      },
    });
    expect([members.f(2), members.g, reads]).toEqual([2, 1, 1]);
    expect(() => call(members.f)(1, 2)).toThrow("`f` takes 1 argument");
  });
});

describe("a class with checks of its methods' arguments", () => {
  const it2 = new Counted();
  it("those of its parents, static and asynchronous ones, and its constructor", async () => {
    expect([it2.below(3), it2.own(), Counted.of(2), it2.all(1, 2, 3), it2.value]).toEqual([[1, 3], 1, 2, 3, 7]);
    expect(() => call(it2.own).call(it2, 1)).toThrow("`own` takes no arguments, and is given 1");
    expect(() => call(it2.below).call(it2, 1, 2)).toThrow("`below` takes 1 argument");
    expect(() => call(Counted.of)(1, 2)).toThrow("`Counted.of` takes 1 argument");
    expect(() => Reflect.construct(Counted, [1, 2])).toThrow("`new Counted` takes 1 argument");
    await expect(call(it2.later).call(it2, 1, 2)).rejects.toThrow("`later` takes 1 argument");
    await expect(it2.later(4)).resolves.toBe(4);
  });

  it("leaves a class that extends it alone", () => {
    class Further extends Counted {
      more(a: number): number {
        return a;
      }
    }
    expect(call(new Further(1).more)(1, 2)).toBe(1);
  });
});
