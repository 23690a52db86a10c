import { describe, expect, it } from "vitest";
import { type Substitution, staticValue } from "../../../src/kernel/static-key.ts";

const nothing: Substitution = { replace: () => undefined };
const key = (value: unknown): string => staticValue(value, "x", nothing).key;

class Config {
  readonly n: number;
  constructor(n: number) {
    this.n = n;
  }
}

describe("the key of a static argument", () => {
  it("is that of its value for plain data", () => {
    const pairs: [unknown, unknown][] = [
      [{ a: [1, "x", { b: null }] }, { a: [1, "x", { b: null }] }],
      [3n, 3n],
      [Number.NaN, Number.NaN],
      [undefined, undefined],
    ];
    for (const [a, b] of pairs) expect(key(a)).toBe(key(b));
  });

  it("tells apart what JavaScript tells apart", () => {
    const values = [
      0,
      -0,
      "0",
      0n,
      null,
      undefined,
      "",
      [],
      {},
      [0],
      ["0"],
      { a: 1 },
      { b: 1 },
      [[1], 2],
      [1, [2]],
      true,
      "true",
      "a,b",
      ["a", "b"],
    ];
    expect(new Set(values.map(key)).size).toBe(values.length);
  });

  it("is that of the identity for functions and instances of classes", () => {
    const f = () => 1;
    expect(key(f)).toBe(key(f));
    expect(key(() => 1)).not.toBe(key(() => 1));
    const c = new Config(1);
    expect(key({ c })).toBe(key({ c }));
    expect(key(new Config(1))).not.toBe(key(new Config(1)));
  });

  it("changes with what an instance holds", () => {
    const c = { inner: new Config(1) } as { inner: { n: number } };
    const map = new Map([["a", [1]]]);
    const numbers = Int32Array.of(1, 2);
    const before = [c.inner, map, numbers].map(key);
    expect([c.inner, map, numbers].map(key)).toEqual(before);
    c.inner.n = 2;
    map.get("a")?.push(2);
    numbers[1] = 3;
    const after = [c.inner, map, numbers].map(key);
    for (const [i, k] of after.entries()) expect(k).not.toBe(before[i]);
  });

  it("ends for objects that hold themselves", () => {
    const a: unknown[] = [1];
    a.push(a);
    expect(key(a)).toBe("[1,^1]");
  });
});

describe("replacements", () => {
  const substitution: Substitution = {
    replace: (value, path) => (value instanceof Map ? { key: `M@${path}`, value: path } : undefined),
  };

  it("are put in copies; what holds none stays the very same object", () => {
    const kept = { z: 1 };
    const given = { a: [new Map(), kept], kept };
    const { key: text, value } = staticValue(given, "x", substitution);
    expect(text).toBe('{"a":[M@x.a[0],{"z":1}],"kept":{"z":1}}');
    expect(value).toEqual({ a: ["x.a[0]", kept], kept });
    expect((value as typeof given).kept).toBe(kept);
    expect(given.a[0]).toBeInstanceOf(Map);
    expect(staticValue(kept, "k", substitution).value).toBe(kept);
  });

  it("reach into instances of classes and keep the class", () => {
    const c = new Config(2);
    Object.assign(c, { map: new Map() });
    const { value } = staticValue(c, "c", substitution);
    expect(value).toBeInstanceOf(Config);
    expect(value).toMatchObject({ n: 2, map: "c.map" });
    expect(value).not.toBe(c);
  });

  it("goes 500 objects deep and no deeper, and knows an object inside itself", () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { next: value } : [value];
      return value;
    };
    expect(key(nested(500))).toBe(key(nested(500)));
    for (const depth of [501, 100_000]) expect(() => key(nested(depth))).toThrow(/^W2056 /);
    const around: { self?: unknown } = {};
    around.self = around;
    expect(key(around)).toBe(key({ self: around }.self));
  });
});
