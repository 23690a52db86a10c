import { describe, expect, it } from "vitest";
import { lookThrough, ValueKeys } from "../../../../src/dsl/objects/value-key.ts";

const key = (value: unknown): string => new ValueKeys().key(value, "x");

class Config {
  readonly n: number;
  constructor(n: number) {
    this.n = n;
  }
}

/** With a field that an assignment would not have made. */
const defined = (field: PropertyKey, more: PropertyDescriptor, on: object = {}): object => Object.defineProperty(on, field, more);

describe("the key of a static argument", () => {
  it("is that of its value for plain data", () => {
    const pairs: [unknown, unknown][] = [
      [{ a: [1, "x", { b: null }] }, { a: [1, "x", { b: null }] }],
      [3n, 3n],
      [Number.NaN, Number.NaN],
      [undefined, undefined],
      [Object.freeze([1]), Object.freeze([1])],
      [Object.assign([5], { n: 1 }), Object.assign([5], { n: 1 })],
    ];
    for (const [a, b] of pairs) expect(key(a)).toBe(key(b));
  });

  it("tells apart what JavaScript tells apart", () => {
    const [inner, s] = [{ z: 1 }, Symbol("s")];
    const values = [
      ...[0, -0, "0", 0n, null, undefined, "", [], {}, [0], ["0"], { a: 1 }, { b: 1 }, [[1], 2], [1, [2]], true, "true", "a,b"],
      ...[["a", "b"], Object.create(null), Object.freeze({}), Object.freeze([0]), { a: undefined }],
      ...[new Array(1), [undefined], Object.assign([5], { n: 1 }), Object.assign([5], { n: 2 }), [5]],
      ...[{ [s]: 1 }, { [s]: 2 }, { [Symbol("s")]: 1 }],
      ...[defined("a", { value: 1 }), defined("a", { value: 2 }), defined("a", { value: 1, enumerable: true })],
      ...[defined("a", { get: () => 1 }), defined("a", { get: () => 1 })],
      ...[/b/.exec("ab"), /b/.exec("aab")],
      ...[
        { a: inner, b: inner },
        { a: { z: 1 }, b: { z: 1 } },
      ],
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

  it("changes with what an instance, a collection or a buffer holds", () => {
    const config = new Config(1) as { n: number; hidden?: number };
    const map = new Map([["a", [1]]]);
    const set = new Set([1]);
    const numbers = Int32Array.of(1, 2);
    const large = new Uint8Array(1000);
    const view = new DataView(new ArrayBuffer(8), 4);
    const date = new Date(1);
    const changes: readonly (readonly [object, () => void])[] = [
      [config, () => (config.n = 2)],
      [config, () => defined("hidden", { value: 1 }, config)],
      [map, () => map.get("a")?.push(2)],
      [map, () => map.set("b", [])],
      [set, () => set.add(2)],
      [numbers, () => (numbers[1] = 3)],
      [large, () => (large[999] = 3)],
      [large.buffer, () => (large[0] = 3)],
      [view, () => view.setInt8(3, 1)],
      [date, () => date.setTime(2)],
      [config, () => Object.setPrototypeOf(config, {})],
      [config, () => Object.freeze(config)],
    ];
    for (const [value, change] of changes) {
      const before = key(value);
      expect(key(value)).toBe(before);
      change();
      expect(key(value), String(change)).not.toBe(before);
    }
  });

  it("does not look at bytes beside a view", () => {
    const bytes = new Uint8Array(16);
    const view = bytes.subarray(4, 8);
    const before = key(view);
    bytes[8] = 1;
    expect(key(view)).toBe(before);
  });

  it("ends for objects that hold themselves, and knows shared ones by their place", () => {
    const a: unknown[] = [1];
    a.push(a);
    expect(key(a)).toBe("[1,^0]");
    const keys = new ValueKeys();
    const shared = {};
    expect([shared, {}, shared].map((x) => keys.key(x, "x"))).toEqual(["{}", "{}", "^0"]);
  });

  it("goes 500 objects deep and no deeper, and knows an object inside itself", () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { next: value } : [value];
      return value;
    };
    expect(key(nested(500))).toBe(key(nested(500)));
    for (const depth of [501, 100_000]) expect(() => key(nested(depth))).toThrow();
    const around: { self?: unknown } = {};
    around.self = around;
    expect(key(around)).toBe(key({ self: around }.self));
  });
});

describe("what code can reach from a value", () => {
  it("has the fields of functions, and what objects inherit", () => {
    const f = Object.assign(() => 0, { n: 1 });
    const prototype = { n: 1 };
    const child = Object.create(prototype) as object;
    const before = [f, child, { f }, [child]].map((x) => lookThrough(x).text);
    f.n = 2;
    prototype.n = 2;
    const after = [f, child, { f }, [child]].map((x) => lookThrough(x).text);
    for (const [i, text] of after.entries()) expect(text).not.toBe(before[i]);
  });

  it("is hidden behind private fields, getters, proxies, iterators and weak collections, and behind nothing else", () => {
    class Private {
      #n = 1;
      get n(): number {
        return this.#n;
      }
    }
    class Child extends Private {}
    class Stepping {
      n = 1;
      #step(): void {
        this.n++;
      }
      step(): void {
        this.#step();
      }
    }
    const answering = {
      get n(): number {
        return 1;
      },
    };
    const hidden = [
      new Private(),
      new Child(),
      new Proxy({}, {}),
      [].values(),
      new WeakMap(),
      { a: [new Private()] },
      answering,
      new Map([[1, new Child()]]),
    ];
    for (const x of hidden) expect(lookThrough(x).hidden).toBe(true);
    const open = [
      {},
      [],
      new Config(1),
      new Stepping(),
      new Map(),
      new Date(),
      /a/,
      new Error("e"),
      new Uint8Array(2),
      () => 1,
      Object(1),
      null,
    ];
    for (const x of open) expect(lookThrough(x).hidden).toBe(false);
  });
});
