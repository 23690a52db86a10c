import { describe, expect, it } from "vitest";
import { parametersOf } from "../../../../src/base/diag/parameters.ts";

/** As a text is read, with what stands behind it. */
const of = (f: object): readonly [string, boolean] => {
  const { names, takesMore } = parametersOf(f);
  return [names.join("; "), takesMore];
};

class Base {
  readonly both: readonly unknown[];
  constructor(a: number, b = "),") {
    this.both = [a, b];
  }
  method(x: number, { pred = true, of: [first] = [1] } = {}): unknown {
    return [x, pred, first];
  }
  async later(x = [1, Math.max(2, 3)]): Promise<unknown> {
    return x;
  }
  static *each(x: string, /* a, b */ y = `,${")"}`): Iterable<unknown> {
    yield [x, y];
  }
}
class Same extends Base {}
class None {}

describe("the parameters of a function", () => {
  it.each<[string, object, string, boolean]>([
    ["none", () => 1, "", false],
    ["some", (a: number, b: number) => a + b, "a; b", false],
    ["with default values", (a = 1, b = a > 1 ? "," : ")") => [a, b], "a; b", false],
    ["patterns", ({ a, b }: { a: 1; b: 2 }, [c] = [1, 2]) => [a, b, c], "{ a, b }; [c]", false],
    ["that takes all that follow", (a: number, ...rest: number[]) => [a, rest], "a; ...rest", true],
    ["with a function as default value", (a: number, b = (x: number, y: number) => x + y) => [a, b], "a; b", false],
    [
      "a function by name",
      function named(a: number) {
        return a;
      },
      "a",
      false,
    ],
    ["a method", Base.prototype.method, "x; { pred = true, of: [first] = [1] }", false],
    ["asynchronous", Base.prototype.later, "x", false],
    ["a generator", Base.each, "x; y", false],
    ["a class", Base, "a; b", false],
    ["a class that has its constructor from another one", Same, "a; b", false],
    ["a class without a constructor", None, "", false],
    ["not in JavaScript", Math.max, "", true],
    ["bound", ((a: number) => a).bind(null), "", true],
  ])("%s", (_, f, names, takesMore) => {
    expect(of(f)).toEqual([names, takesMore]);
  });

  it("is read once", () => {
    const f = (a: number): number => a;
    expect(parametersOf(f)).toBe(parametersOf(f));
  });

  it("one arrow without brackets", () => {
    expect(of(new Function("return a => a")() as object)).toEqual(["a", false]);
    expect(of(new Function("return async a => a")() as object)).toEqual(["a", false]);
  });
});
