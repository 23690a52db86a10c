import { beforeAll, describe, expect, it } from "vitest";
import {
  autotune,
  type Device,
  helper,
  i32,
  type Kernel,
  kernel,
  openDevice,
  type Static,
  sharedMemory,
  type Tensor,
  tensorSpec,
  threadIdx,
} from "warpsmith";
import { sortArguments } from "../../../src/kernel/arguments.ts";
import { Instances, shapeOf } from "../../../src/kernel/instance.ts";
import { kernelSource } from "../../../src/kernel/source.ts";

// biome-ignore lint/suspicious/noExplicitAny: static values of every kind
type Any = any;

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator");
});

async function result(made: Kernel<Any[]>, ...args: unknown[]): Promise<number> {
  using x = device.zeros("i32", [4]);
  made.launch({}, x, ...args);
  return (await x.read())[0] ?? Number.NaN;
}

let traced = 0;
/** Runs while a kernel is traced: a function of the host. */
const counted = (): number => ++traced * 0;
/** How often kernels that call `counted` are traced meanwhile. */
async function traces(work: () => Promise<unknown>): Promise<number> {
  const before = traced;
  await work();
  return traced - before;
}

const s = Symbol("s");
class Private {
  #n = 1;
  get n(): number {
    return this.#n;
  }
  read(): number {
    return this.#n;
  }
  grow(): void {
    this.#n++;
  }
}
class Unlisted {
  constructor(n: number) {
    Object.defineProperty(this, "n", { value: n, writable: true, enumerable: false });
  }
}

/** Plain code: what it looks at is seen in what it is given. */
const plainSum = (list: readonly number[]): number => list.reduce((a, b) => a + b);
const plainFirst = (...[first = 0]: number[]): number => first;
function plainField(this: { n: number }): number {
  return this.n;
}

const field = kernel({ block: 1, grid: 1 }, function field(x: Tensor<"i32", 1>, c: Static<Any>) {
  x[0] = i32(c.n);
});
const symbolField = kernel({ block: 1, grid: 1 }, function symbolField(x: Tensor<"i32", 1>, c: Static<Any>, key: Static<symbol>) {
  x[0] = i32(c[key]);
});
const index = kernel({ block: 1, grid: 1 }, function index(x: Tensor<"i32", 1>, c: Static<Any>) {
  x[0] = i32(c.index);
});
const shared = kernel({ block: 1, grid: 1 }, function shared(x: Tensor<"i32", 1>, c: Static<Any>) {
  x[0] = i32(c.a === c.b ? 1 : 2);
});
const twoOf = kernel({ block: 1, grid: 1 }, function twoOf(x: Tensor<"i32", 1>, a: Static<Any>, b: Static<Any>) {
  x[0] = i32(a === b ? 1 : 2);
});
const asked = kernel(
  { block: 1, grid: 1 },
  function asked(x: Tensor<"i32", 1>, c: Static<Any>, method: Static<string>, at: Static<Any>) {
    x[0] = i32(c[method](at));
  },
);

describe("static arguments", () => {
  const first = { z: 1 };
  const pairs: Readonly<Record<string, readonly [Kernel<Any[]>, readonly unknown[], readonly unknown[]]>> = {
    "a getter": [
      field,
      [
        {
          get n() {
            return 1;
          },
        },
      ],
      [
        {
          get n() {
            return 2;
          },
        },
      ],
    ],
    "a symbol": [symbolField, [{ [s]: 1 }, s], [{ [s]: 2 }, s]],
    "a field that is not listed": [field, [new Unlisted(1)], [new Unlisted(2)]],
    "a field that is not listed, of a plain object": [
      field,
      [Object.defineProperty({}, "n", { value: 1 })],
      [Object.defineProperty({}, "n", { value: 2 })],
    ],
    "a field of an array": [field, [Object.assign([5], { n: 1 })], [Object.assign([5], { n: 2 })]],
    "where an expression was found": [index, [/b/.exec("ab")], [/b/.exec("aab")]],
    "one object twice": [shared, [{ a: first, b: first }], [{ a: { z: 1 }, b: { z: 1 } }]],
    "one object as two arguments": [twoOf, [first, first], [{ z: 1 }, { z: 1 }]],
  };
  it.each(Object.entries(pairs))("are told apart by %s", async (_, [made, one, two]) => {
    expect([await result(made, ...one), await result(made, ...two), await result(made, ...one)]).toEqual([1, 2, 1]);
  });

  const base = { n: 1 };
  const date = new Date(1);
  const view = new DataView(new ArrayBuffer(4));
  view.setInt32(0, 1);
  const map = new Map([["a", { n: 1 }]]);
  const own = new Private();
  const answers = new Private();
  const bytes = new Uint8Array([0, 1]);
  const fn = Object.assign(() => 0, { n: 1 });
  const unlisted = new Unlisted(1) as unknown as { n: number };
  const target = { n: 1 };
  const around: { n: number; self?: unknown } = { n: 1 };
  around.self = around;
  const changes: Readonly<Record<string, readonly [Kernel<Any[]>, readonly unknown[], () => unknown]>> = {
    "a private field behind a getter": [field, [own], () => own.grow()],
    "a private field behind a method": [asked, [answers, "read", undefined], () => answers.grow()],
    "an inherited field": [field, [Object.create(base)], () => (base.n = 2)],
    "a field that is not listed": [field, [unlisted], () => (unlisted.n = 2)],
    "a field of a function": [field, [fn], () => (fn.n = 2)],
    "a Date": [asked, [date, "getTime", undefined], () => date.setTime(2)],
    "a DataView": [asked, [view, "getInt32", 0], () => view.setInt32(0, 2)],
    "a typed array": [asked, [bytes, "at", 1], () => (bytes[1] = 2)],
    "a map": [field, [map.get("a")], () => map.set("a", Object.assign(map.get("a") ?? {}, { n: 2 }))],
    "a proxy": [field, [new Proxy(target, {})], () => (target.n = 2)],
    "an object that holds itself": [field, [around], () => (around.n = 2)],
  };
  it.each(Object.entries(changes))("are looked at again when there is a change to %s", async (_, [made, args, change]) => {
    expect(await result(made, ...args)).toBe(1);
    expect(await result(made, ...args)).toBe(1);
    change();
    expect([await result(made, ...args), made.compile(tensorSpec("i32", [4]), ...args).ptx.includes(", 2;")]).toEqual([2, true]);
  });

  it("are compared with objects around the kernel by what they are", async () => {
    const special = { z: 1 };
    const known = new Map<object, number>([[special, 1]]);
    const compare = kernel({ block: 1, grid: 1 }, function compare(x: Tensor<"i32", 1>, c: Static<object>) {
      x[0] = i32(c === special ? 1 : 2);
    });
    const find = kernel({ block: 1, grid: 1 }, function find(x: Tensor<"i32", 1>, c: Static<object>) {
      x[0] = i32(known.get(c) ?? 2);
    });
    for (const made of [compare, find])
      expect([await result(made, special), await result(made, { z: 1 }), await result(made, special)]).toEqual([1, 2, 1]);
  });
});

interface Outer {
  list: number[];
  deep: { n: number };
  map: Map<string, number>;
  set: Set<number>;
  bytes: Uint8Array;
  fn: (() => number) & { n: number };
  own: Private;
  date: Date;
  shape: number[];
}

const outer = (): Outer => ({
  list: [1, 0],
  deep: { n: 1 },
  map: new Map([["a", 1]]),
  set: new Set([1]),
  bytes: new Uint8Array([1]),
  fn: Object.assign(() => 0, { n: 1 }),
  own: new Private(),
  date: new Date(1),
  shape: [1],
});

/** A kernel over objects around it. */
type Made = (around: Outer) => Kernel<Any[]>;

const made = {
  "an element": ({ list }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(list[0] ?? 0);
    }),
  "a field of a field": (o) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(o.deep.n);
    }),
  "a loop": ({ list }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      let sum = 0;
      for (const v of list) sum += v;
      x[0] = i32(sum);
    }),
  "a method of arrays": ({ list }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(list.map((v) => v * 3).reduce((a, b) => a + b) / 3);
    }),
  "what is spread": ({ list }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      const copy = [...list];
      x[0] = i32(copy[0] ?? 0);
    }),
  "what is taken apart": ({ list, deep }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      const [a = 0] = list;
      const { n } = deep;
      x[0] = i32(a + n - 1);
    }),
  "fields that are listed": ({ deep }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(Object.values(deep)[0] ?? 0);
    }),
  "a text of it": ({ deep }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(Number(JSON.stringify(deep).slice(5, 6)));
    }),
  "a map": ({ map }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(map.get("a") ?? 0);
    }),
  "a set": ({ set }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(set.has(2) ? 2 : 1);
    }),
  "a typed array": ({ bytes }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(bytes[0] ?? 0);
    }),
  "a field of a function": ({ fn }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(fn.n);
    }),
  "a private field behind a getter": ({ own }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(own.n);
    }),
  "a private field behind a method": ({ own }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(own.read());
    }),
  "a Date": ({ date }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(date.getTime());
    }),
  "a Date as a number": ({ date }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(+date);
    }),
  "what plain code is given": ({ list }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(plainSum(list));
    }),
  "what plain code is given in an object": (o) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(plainSum([o.deep].map((d) => d.n)));
    }),
  "a size that the language is given": ({ shape }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      const m = sharedMemory.alloc("i32", shape);
      x[0] = i32(m.shape[0] ?? 0);
    }),
  "a list that is applied": ({ list }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(Math.max.apply(null, list));
    }),
  "a list that plain code is applied to": ({ list }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(plainFirst.apply(null, list));
    }),
  "what a function is bound to": ({ map }) => {
    const get = map.get.bind(map);
    return kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(get("a") ?? 0);
    });
  },
  "what plain code is bound to": ({ list }) => {
    const sum = plainSum.bind(null, list);
    return kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(sum());
    });
  },
  "the this of a callback": ({ set, deep }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32([1, 2].filter(Set.prototype.has, set).length + [0].map(plainField, deep).length - 1);
    }),
  "the this of plain code": ({ deep }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32([0].map(plainField, deep)[0] ?? 0);
    }),
  "a private static field": (o) => {
    class Hidden {
      static #n = 1;
      static n(): number {
        return Hidden.#n;
      }
      static grow(): void {
        Hidden.#n = 2;
      }
    }
    o.date.setTime = (time) => {
      Hidden.grow();
      return time;
    };
    return kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      x[0] = i32(Hidden.n());
    });
  },
  "what a class answers to instanceof": ({ deep }) => {
    class Kind {
      static of = deep;
      static [Symbol.hasInstance](_: unknown): boolean {
        return this.of.n === 2;
      }
    }
    return kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      const thing: object = { v: 1 };
      x[0] = i32(thing instanceof Kind ? 2 : 1);
    });
  },
  "the prototype of a literal": ({ deep }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      const o = { __proto__: deep } as unknown as { n: number };
      x[0] = i32(o.n);
    }),
  "a choice of the GPU": ({ deep }) =>
    kernel({ block: 1, grid: 1 }, function k(x: Tensor<"i32", 1>) {
      let d = deep;
      if (threadIdx.x > 0) d = { n: 7 };
      x[0] = i32(d.n);
    }),
} satisfies Record<string, Made>;

function change(o: Outer): void {
  o.list[0] = 2;
  o.deep.n = 2;
  o.map.set("a", 2);
  o.set.add(2);
  o.bytes[0] = 2;
  o.fn.n = 2;
  o.own.grow();
  o.date.setTime(2);
  o.shape[0] = 2;
}

describe("objects around a kernel", () => {
  it.each(Object.entries<Made>(made))("are looked at again: %s", async (what, make) => {
    const around = outer();
    const compiled = make(around);
    expect([await result(compiled), await result(compiled)]).toEqual([1, 1]);
    const before = String(compiled.trace(tensorSpec("i32", [4])));
    change(around);
    expect(await result(compiled)).toBe(what === "what is taken apart" ? 3 : 2);
    expect(String(compiled.trace(tensorSpec("i32", [4])))).not.toBe(before);
  });

  it("are looked at in all that a kernel does: compile, autotune, functions that it is given", async () => {
    const taps = [1];
    const f = helper(() => taps[0] ?? 0);
    const tuned = autotune([1, 2], (block: number) =>
      kernel({ block, grid: 1 }, function tuned(x: Tensor<"i32", 1>) {
        x[0] = i32(taps[0] ?? 0);
      }),
    );
    const calls = kernel({ block: 1, grid: 1 }, function calls(x: Tensor<"i32", 1>, g: Static<() => number>) {
      x[0] = i32(g());
    });
    const all = async (): Promise<unknown[]> => [
      await result(tuned),
      await result(calls, f),
      tuned.compile(tensorSpec("i32", [4])).ptx.includes(", 9;"),
    ];
    expect(await all()).toEqual([1, 1, false]);
    taps[0] = 9;
    expect(await all()).toEqual([9, 9, true]);
  });

  it("change with a kernel that changes them, as in plain JavaScript", async () => {
    const counter = { n: 0, last: 0 };
    const counts = kernel({ block: 1, grid: 1 }, function counts(x: Tensor<"i32", 1>) {
      counter.n++;
      counter.last = 5;
      x[0] = i32(counter.n);
    });
    expect([await result(counts), await result(counts), await result(counts)]).toEqual([1, 2, 3]);
  });
});

describe("a kernel is traced again", () => {
  it("only where something has changed that it has read, and finds what it was before", async () => {
    const around = { n: 1, beside: 1 };
    const reads = kernel({ block: 1, grid: 1 }, function reads(x: Tensor<"i32", 1>) {
      x[0] = i32(around.n + counted());
    });
    const run = () => result(reads);
    expect(await traces(run)).toBe(1);
    around.beside = 2;
    expect(await traces(run)).toBe(0);
    around.n = 2;
    expect(await traces(run)).toBe(1);
    around.n = 1;
    expect(await traces(run)).toBe(0);
  });

  it("each time where it asks what cannot be seen, and is compiled once", async () => {
    const own = new Private();
    const source = kernelSource({ block: 1, grid: 1 }, body as never);
    const instances = new Instances(source);
    const find = () => instances.get(sortArguments(source, [x, own]), shapeOf(source, [x, own]).options);
    const first = find();
    expect(await traces(async () => expect(find()).toBe(first))).toBe(0 + 1);
    own.grow();
    expect(find()).not.toBe(first);
  });

  it("never where it reads nothing of outside that can change: nothing is looked at before a launch", () => {
    const source = kernelSource({ block: 32, grid: 1 }, nothingOutside as never);
    const instances = new Instances(source);
    const args = [x, { sizes: [1, 2], name: "n" }, ownHelper];
    expect(instances.find(sortArguments(source, args), shapeOf(source, args).options).reads).toBeUndefined();
  });

  it("not for objects around it where its author has said what it uses", () => {
    const source = kernelSource({ block: 32, grid: 1, cacheKey: "k" }, outsideList as never);
    const instances = new Instances(source, () => undefined);
    expect(instances.find(sortArguments(source, [x]), shapeOf(source, [x]).options).reads).toBeUndefined();
  });
});

const x = tensorSpec("i32", [32]);
const steps = [1, 2];
const fixed = Object.freeze({ n: 1, list: Object.freeze([1, 2]) });

function body(x: Tensor<"i32", 1>, c: Static<Private>) {
  "use kernel";
  x[0] = i32(c.read() + counted());
}

function outsideList(x: Tensor<"i32", 1>) {
  "use kernel";
  x[0] = i32(steps[0] ?? 0);
}

function ownHelper(v: number) {
  "use kernel";
  return v + 1;
}

function sum(...values: number[]) {
  "use kernel";
  let all = 0;
  while (values.length > 0) all += values.pop() ?? 0;
  return all;
}

function nothingOutside(x: Tensor<"i32", 1>, c: Static<{ sizes: number[]; name: string }>, f: Static<(v: number) => number>) {
  "use kernel";
  class Inner {
    n = 1;
    more = [1];
    grow() {
      this.n++;
      return this.n;
    }
  }
  const inner = new Inner();
  const list = [1, 2, 3];
  list.push(4);
  const [a = 0, ...rest] = list;
  const { sizes, ...others } = c;
  const words = "a,b".split(",");
  words[0] = "c";
  const entries = Object.entries(others).length;
  let total = inner.grow() + sum(1, 2, 3) + a + rest.length + entries + words.length + Math.max(...sizes) + (fixed.list[0] ?? 0);
  for (const v of sizes.map((size) => f(size))) total += v;
  const m = sharedMemory.alloc("i32", [x.shape[0] ?? 0]);
  m[threadIdx.x] = x[threadIdx.x] ?? 0;
  x[threadIdx.x] = i32(total) + (m[threadIdx.x] ?? 0);
  console.log(c.name, total, x.shape);
}
