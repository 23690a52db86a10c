/** Random objects of all kinds that hold numbers, ways in which code can read these, and changes to the objects. */
import { createRandom, type Random } from "../../fuzz/random.ts";

/** One step from a value to something in it, or to what it says of itself: see `take`. */
export interface Step {
  readonly how: How;
  readonly key?: PropertyKey;
  readonly other?: PropertyKey;
  readonly at?: number;
}
export type How =
  | "field"
  | "optional"
  | "get"
  | "call"
  | "same"
  | "has"
  | "own"
  | "sum"
  | "spread"
  | "first"
  | "reduce"
  | "rest"
  | "keys"
  | "in"
  | "values"
  | "json"
  | "text"
  | "number"
  | "plain"
  | "copied"
  | "listed"
  | "chosen";

export type Path = readonly Step[];

/** An object, with ways to numbers in it and changes to it. */
export interface Built {
  readonly value: object;
  readonly paths: readonly Path[];
  readonly changes: readonly (() => void)[];
}

const mark = Symbol("mark");

/** What code of a class alone can see. */
class Private {
  #n: number;
  constructor(n: number) {
    this.#n = n;
  }
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

class Open {
  n: number;
  constructor(n: number) {
    this.n = n;
  }
  get double(): number {
    return this.n * 2;
  }
  read(): number {
    return this.n + 1;
  }
}

/** Assigns a field. */
const set =
  (on: object, key: PropertyKey, value: () => unknown): (() => void) =>
  () =>
    void Reflect.set(on, key, value());
const step = (how: How, key?: PropertyKey, more: Partial<Step> = {}): Step => ({
  how,
  ...(key === undefined ? {} : { key }),
  ...more,
});
const field = (key: PropertyKey): Path => [step("field", key)];

type Kind = (random: Random, number: () => number, child: () => Built) => Built;

/** What a child gives, behind a step. */
const behind = (first: Step, { paths }: Built): readonly Path[] => paths.map((path) => [first, ...path]);

const ofFields: readonly Path[] = [
  ...(["keys", "in", "values", "json", "rest", "plain", "chosen"] as const).map((how) => [step(how, "n")]),
  ...(["has", "own"] as const).flatMap((how) => ["n", "late"].map((key) => [step(how, key)])),
  ...["n", "late"].map((key) => [step("optional", key)]),
];

/** Changes to the fields of any object that can be extended. */
const changesOf = (value: Record<PropertyKey, unknown>, number: () => number): readonly (() => void)[] => [
  set(value, "n", number),
  set(value, "late", number),
  () => void Object.defineProperty(value, "n", { get: () => 5, configurable: true, enumerable: true }),
  () => void Object.defineProperty(value, "n", { enumerable: false }),
  () => void Reflect.deleteProperty(value, "n"),
  () => void Object.freeze(value),
  () => void Object.setPrototypeOf(value, { late: number() }),
];

const plain: Kind = (_, number, child) => {
  const inner = child();
  const value: Record<PropertyKey, unknown> = { n: number(), inner: inner.value };
  const replaced = set(value, "inner", () => child().value);
  return {
    value,
    paths: [field("n"), ...behind(step("field", "inner"), inner), ...ofFields],
    changes: [...changesOf(value, number), ...inner.changes, replaced],
  };
};

const shared: Kind = (_, number, child) => {
  const inner = child();
  const other = { z: number() };
  const value: Record<PropertyKey, unknown> = { n: number(), a: other, b: other, inner: inner.value };
  value.self = value;
  return {
    value,
    paths: [
      [step("same", "a", { other: "b" })],
      [step("field", "self"), step("field", "a"), step("field", "z")],
      ...behind(step("field", "inner"), inner),
    ],
    changes: [
      set(value, "b", () => ({ ...other })),
      set(other, "z", number),
      set(value, "a", () => value.b),
      set(value, "self", () => ({ ...value })),
      ...inner.changes,
    ],
  };
};

const unlisted: Kind = (_, number) => {
  const value: Record<PropertyKey, unknown> = { [mark]: number() };
  Object.defineProperty(value, "n", { value: number(), writable: true, configurable: true });
  return {
    value,
    paths: [field("n"), field(mark), ...ofFields],
    changes: [...changesOf(value, number), set(value, mark, number)],
  };
};

const answering: Kind = (_, number) => {
  let n = number();
  const list = [n];
  const value = {
    get n() {
      return n;
    },
    get list() {
      return list;
    },
    get fresh() {
      return { n };
    },
  };
  return {
    value,
    paths: [
      field("n"),
      [step("field", "list"), step("sum")],
      [step("field", "fresh"), step("field", "n")],
      [step("json")],
      [step("plain")],
      [step("rest", "list")],
    ],
    changes: [
      () => {
        n = number();
      },
      set(list, 0, number),
      () => void list.push(number()),
    ],
  };
};

const inheriting: Kind = (_, number, child) => {
  const inner = child();
  const prototype: Record<PropertyKey, unknown> = { n: number(), inner: inner.value };
  const value = Object.create(Object.create(prototype)) as Record<PropertyKey, unknown>;
  value.own = number();
  return {
    value,
    paths: [
      field("n"),
      field("own"),
      ...behind(step("field", "inner"), inner),
      [step("in")],
      [step("plain")],
      [step("has", "late")],
    ],
    changes: [set(prototype, "n", number), set(value, "n", number), set(prototype, "late", () => 1), ...inner.changes],
  };
};

const ofClass: Kind = (random, number) => {
  const value = new Open(number());
  const paths = [
    field("n"),
    field("double"),
    [step("call", "read")],
    [step("json")],
    [step("plain")],
    [step("copied"), step("field", "n")],
  ];
  const changes = [set(value, "n", number), () => void Object.setPrototypeOf(value, { read: () => 77, double: number() })];
  return { value, paths: [...paths, [step(random.pick(["keys", "values"]))]], changes };
};

const ofPrivate: Kind = (_, number) => {
  const value = new Private(number());
  return { value, paths: [field("n"), [step("call", "read")]], changes: [() => value.grow()] };
};

const array: Kind = (_, number, child) => {
  const inner = child();
  const value: unknown[] & { n?: number } = Object.assign([number(), number()], { n: number() });
  const whole = (["sum", "spread", "first", "reduce", "json", "text", "plain", "copied"] as const).map(
    (how): Path => (how === "copied" ? [step(how), step("field", 0)] : [step(how)]),
  );
  const nested = [inner.value];
  return {
    value: [value, nested],
    paths: [
      ...[...whole, field(1), field("n"), field("length")].map((path) => [step("field", 0), ...path]),
      ...behind(step("field", 0), inner).map((path) => [step("field", 1), ...path]),
    ],
    changes: [
      set(value, 0, number),
      set(value, "n", number),
      () => void value.push(number()),
      () => void value.reverse(),
      set(value, "length", () => 1),
      set(nested, 0, () => child().value),
      ...inner.changes,
    ],
  };
};

const map: Kind = (_, number, child) => {
  const inner = child();
  const value = new Map<string, unknown>([
    ["a", number()],
    ["inner", inner.value],
  ]);
  return {
    value,
    paths: [
      [step("get", "a")],
      [step("get", "late")],
      [step("listed")],
      field("size"),
      ...behind(step("get", "inner"), inner),
      [step("plain")],
    ],
    changes: [
      () => void value.set("a", number()),
      () => void value.set("late", number()),
      () => void value.delete("a"),
      ...inner.changes,
    ],
  };
};

const collection: Kind = (_, number) => {
  const value = new Set<number>([number(), number()]);
  return {
    value,
    paths: [[step("sum")], [step("spread")], field("size"), [step("first")]],
    changes: [() => void value.add(number()), () => value.clear()],
  };
};

const bytes: Kind = (random, number) => {
  const buffer = new ArrayBuffer(16);
  const [view, list] = [new DataView(buffer, 4), new Int32Array(buffer, 8, 2)];
  view.setInt32(0, number());
  list.set([number(), number()]);
  const changes = [() => void view.setInt32(0, number()), set(list, 1, number), () => void list.reverse()];
  if (random.chance(0.5))
    return { value: view, paths: [[step("call", "getInt32", { at: 0 })], [step("call", "getInt32", { at: 8 })]], changes };
  return {
    value: list,
    paths: [field(1), [step("sum")], [step("spread")], [step("first")], [step("text")], [step("call", "at", { at: 1 })]],
    changes,
  };
};

const date: Kind = (_, number) => {
  const value = new Date(number());
  return {
    value,
    paths: [[step("call", "getTime")], [step("number")], [step("json")], [step("plain")]],
    changes: [() => void value.setTime(number())],
  };
};

const callable: Kind = (_, number, child) => {
  const inner = child();
  const value = Object.assign(() => 0, { n: number(), inner: inner.value, late: 0 });
  return {
    value: { value },
    paths: [field("n"), field("late"), ...behind(step("field", "inner"), inner)]
      .map((path) => [step("field", "value"), ...path])
      .concat([[step("plain")]]),
    changes: [set(value, "n", number), set(value, "late", number), ...inner.changes],
  };
};

const found: Kind = (_, number) => {
  const value = /b/.exec("aab") ?? [];
  return { value, paths: [field("index"), [step("first")]], changes: [() => void Object.assign(value, { index: number() })] };
};

const proxy: Kind = (_, number) => {
  const target = { n: number() };
  return {
    value: new Proxy(target, {}),
    paths: [field("n"), [step("keys")], [step("json")], [step("has", "late")]],
    changes: [set(target, "n", number), () => void Object.assign(target, { late: 1 })],
  };
};

const kinds: readonly Kind[] = [
  ...[plain, plain, shared, unlisted, answering, inheriting, ofClass, ofPrivate],
  ...[array, array, map, collection, bytes, date, callable, found, proxy],
];

/** Objects that hold objects, so many deep at most. */
export function randomValue(random: Random, depth = 3): Built {
  const number = (): number => random.between(1, 999);
  const leaf = (): Built => ({ value: { n: number() }, paths: [field("n")], changes: [] });
  const child = (): Built => (depth > 0 && random.chance(0.7) ? randomValue(random, depth - 1) : leaf());
  return random.pick(kinds)(random, number, child);
}

/** How the object comes to the kernel. */
export type Way = "argument" | "in an argument" | "twice" | "around" | "in a function" | "as an equal";

/** One thing to try: a value, a way in which a kernel reads a number from it, and changes between its launches. */
export interface Trial {
  readonly built: Built;
  /** The same once more, of other objects. */
  readonly equal: Built;
  readonly path: Path;
  readonly way: Way;
  readonly changes: readonly (() => void)[];
}

export function randomTrial(seed: number): Trial {
  const built = randomValue(createRandom(seed));
  const random = createRandom(seed ^ 0x5bd1e995);
  const path = random.pick(built.paths);
  const way = random.pick<Way>(["argument", "in an argument", "twice", "around", "around", "in a function", "as an equal"]);
  const none = (): void => {};
  const changes = Array.from({ length: 3 }, () => (random.chance(0.85) ? random.pick([...built.changes, none]) : none));
  return { built, equal: randomValue(createRandom(seed)), path, way, changes };
}
