import { describe, expect, it } from "vitest";
import { type Replace, StaticArguments } from "../../../src/kernel/static-arguments.ts";

/** Maps stand for tensors here. */
const byPath: Replace = (value, path) => (value instanceof Map ? { key: `M@${path}`, value: path } : undefined);

function taken(given: unknown, name = "x"): { key: string; value: unknown } {
  const statics = new StaticArguments(byPath);
  const { key, value } = statics.add(given, name);
  return { key, value: statics.binder((replacement) => `${replacement}!`)(value) };
}

class Config {
  readonly n: number;
  constructor(n: number) {
    this.n = n;
  }
}

describe("what stands in for parts of a static argument", () => {
  it("is put in copies; what holds none stays the very same object", () => {
    const kept = { z: 1 };
    const given = { a: [new Map(), kept], kept };
    const { key, value } = taken(given);
    expect(key).toBe('{"a":[M@x.a[0],{"z":1}],"kept":^2}');
    expect(value).toEqual({ a: ["x.a[0]!", kept], kept });
    expect((value as typeof given).kept).toBe(kept);
    expect(given.a[0]).toBeInstanceOf(Map);
    expect(taken(kept).value).toBe(kept);
  });

  it("is found in fields of all kinds, and copies keep these: symbols, what is not listed, of arrays, getters", () => {
    const s = Symbol("s");
    const given = Object.assign([1, new Map()], { [s]: new Map(), more: { n: 1 } });
    Object.defineProperty(given, "unlisted", { value: new Map() });
    Object.defineProperty(given, "two", { get: () => 2 });
    const value = taken(given).value as unknown as typeof given & { unlisted: unknown; two: number };
    expect([...value]).toEqual([1, "x[1]!"]);
    expect([value[s], value.unlisted, value.more, value.two]).toEqual(["x.Symbol(s)!", "x.unlisted!", { n: 1 }, 2]);
    expect(Object.keys(value)).toEqual(["0", "1", "more"]);
  });

  it("is in one copy of what is shared, also of what holds itself", () => {
    const shared: { t: unknown; self?: unknown } = { t: new Map() };
    shared.self = shared;
    const value = taken({ a: shared, b: shared }).value as { a: typeof shared; b: unknown };
    expect(value.a).toBe(value.b);
    expect(value.a.self).toBe(value.a);
    expect(value.a.t).toBe("x.a.t!");
  });

  it("reaches into instances of classes, which keep their class", () => {
    const c = new Config(2);
    Object.assign(c, { map: new Map() });
    const { value } = taken(c, "c");
    expect(value).toBeInstanceOf(Config);
    expect(value).toMatchObject({ n: 2, map: "c.map!" });
    expect(value).not.toBe(c);
  });

  it("has the path by which an object was met first", () => {
    const statics = new StaticArguments(byPath);
    const shared = { t: [new Map()] };
    statics.add({ a: shared, b: { c: shared } }, "x");
    expect(["x.b.c.t[0]", "x.a.t[0]", "x.b.d"].map((path) => statics.firstPath(path))).toEqual(["x.a.t[0]", "x.a.t[0]", "x.b.d"]);
  });
});
