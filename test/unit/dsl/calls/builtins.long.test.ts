/**
 * Every constructor and static function of JavaScript, and the methods of its containers, called in a kernel with values of the GPU
 * in every place: either an error with a code, or the very structure that JavaScript makes, whatever the values are.
 */
import { expect, test } from "vitest";
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { Staged } from "../../../../src/dsl/trace/staged.ts";

type Callable = (...args: unknown[]) => unknown;
type Template = (i: unknown, j: unknown) => readonly unknown[];

function only(i: unknown) {
  "use kernel";
  return [i];
}
function both(i: unknown, j: unknown) {
  "use kernel";
  return [i, j];
}
function list(i: unknown, j: unknown) {
  "use kernel";
  return [[i, j]];
}
function pairs(i: unknown, j: unknown) {
  "use kernel";
  return [
    [
      [i, 1],
      [j, 2],
    ],
  ];
}
function values(i: unknown, j: unknown) {
  "use kernel";
  return [
    [
      ["a", i],
      ["b", j],
    ],
  ];
}
function fields(i: unknown, j: unknown) {
  "use kernel";
  return [{ a: i, b: j }];
}
function onto(i: unknown) {
  "use kernel";
  return [{}, { a: i }];
}
function key(i: unknown) {
  "use kernel";
  return [{ a: 1 }, i];
}
function callback(i: unknown) {
  "use kernel";
  return [[1, 2], () => i];
}
function callbackFirst(i: unknown) {
  "use kernel";
  return [() => i];
}
function over(i: unknown, j: unknown) {
  "use kernel";
  return [[i, j], (v: unknown) => v];
}
function lengthOf(i: unknown) {
  "use kernel";
  return [{ length: i }];
}
function held(i: unknown, j: unknown) {
  "use kernel";
  return [new Map([["a", i]]).values(), j];
}
function nothing() {
  "use kernel";
  return [];
}
const templates: Readonly<Record<string, Template>> = {
  only,
  both,
  list,
  pairs,
  values,
  fields,
  onto,
  key,
  callback,
  callbackFirst,
  over,
  lengthOf,
  held,
  nothing,
};

interface Case {
  readonly name: string;
  readonly template: Template;
  /** Makes what the function is called on. */
  readonly receiver: (i: unknown, j: unknown) => unknown;
  readonly method: PropertyKey | undefined;
}

const owners = [
  "Object Array Map Set WeakMap WeakSet WeakRef Reflect JSON Number String Boolean BigInt Symbol Date RegExp Proxy Error TypeError",
  "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array",
  "ArrayBuffer DataView parseInt parseFloat isNaN isFinite structuredClone encodeURIComponent",
].flatMap((line) => line.split(" "));

const functionsIn = (owner: object): readonly PropertyKey[] =>
  Reflect.ownKeys(owner).filter((name) => {
    const value: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
    return typeof value === "function" && name !== "constructor" && name !== "prototype";
  });

function containers(i: unknown, j: unknown) {
  "use kernel";
  return {
    array: [i, j],
    text: ["a", "b"],
    map: new Map<unknown, unknown>([
      ["a", i],
      ["b", j],
    ]),
    set: new Set<unknown>([1, 2]),
    bytes: new Uint8Array([1, 2]),
    iterator: [1, 2].values(),
  };
}
const prototypes: Readonly<Record<string, object>> = {
  array: Array.prototype,
  text: Array.prototype,
  map: Map.prototype,
  set: Set.prototype,
  bytes: Object.getPrototypeOf(Uint8Array.prototype) as object,
  iterator: Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object,
};

function* casesOf(owner: string): Generator<Case> {
  const whole = Reflect.get(globalThis, owner) as object;
  for (const [kind, template] of Object.entries(templates)) {
    if (typeof whole === "function")
      for (const method of [undefined, "call"])
        yield { name: `${method ?? "new"} ${owner} ${kind}`, template, receiver: () => whole, method };
    for (const method of functionsIn(whole))
      yield { name: `${owner}.${String(method)} ${kind}`, template, receiver: () => whole, method };
  }
}

function* casesOn(container: string): Generator<Case> {
  for (const [kind, template] of Object.entries(templates))
    for (const method of functionsIn(prototypes[container] ?? {}))
      yield {
        name: `${container}.${String(method)} ${kind}`,
        template,
        receiver: (i, j) => (containers(i, j) as Record<string, unknown>)[container],
        method,
      };
}

function callIt(c: Case, i: unknown, j: unknown): unknown {
  const whole = c.receiver(i, j) as Record<PropertyKey, Callable>;
  const args = c.template(i, j);
  if (c.method === undefined) return Reflect.construct(whole as unknown as Callable, [...args]);
  if (c.method === "call") return (whole as unknown as Callable)(...args);
  return [whole[c.method]?.(...args), whole];
}

/** The same in a kernel; gives the result, or what was thrown. */
function traced(c: Case): { readonly result: unknown } | { readonly error: unknown } {
  const { template, method, name } = c;
  const receiver = c.receiver;
  const isContainer = !Object.hasOwn(
    globalThis,
    name.split(/[. ]/)[name.startsWith("new ") || name.startsWith("call ") ? 1 : 0] ?? "",
  );
  const [container = ""] = name.split(".");
  const fixed = isContainer ? undefined : receiver(0, 0);
  const kept: unknown[] = [];
  const run = kernel({ block: 32, grid: 1 }, function run(x: Tensor<"i32", 1>) {
    const i = x[threadIdx.x];
    const j = x[0];
    const whole = (fixed ?? (containers(i, j) as Record<string, unknown>)[container]) as Record<PropertyKey, Callable>;
    const args = template(i, j);
    if (method === undefined) kept.push(new (whole as unknown as new (...a: unknown[]) => unknown)(...args));
    else if (method === "call") kept.push((whole as unknown as Callable)(...args));
    else {
      const own = whole as unknown as Record<PropertyKey, Callable>;
      kept.push([own[method as string]?.(...args), whole]);
    }
    x[0] = 1;
  });
  try {
    run.trace(tensorSpec("i32", [32]));
    return { result: kept[0] };
  } catch (error) {
    return { error };
  }
}

/** What a value is made of, with a "?" for each of the values that were given. */
function structureOf(x: unknown, given: readonly unknown[], within: readonly unknown[] = []): unknown {
  if (x instanceof Staged || given.some((value) => Object.is(value, x))) return "?";
  if (typeof x !== "object" || x === null) return typeof x === "function" ? `function ${x.name}` : String(x);
  if (within.includes(x)) return "…";
  const inner = (y: unknown): unknown => structureOf(y, given, [...within, x]);
  if (x instanceof Map) return ["Map", ...[...x].map(inner)];
  if (x instanceof Set) return ["Set", ...[...x].map(inner)];
  if (Array.isArray(x)) return ["Array", x.length, ...Array.from({ length: Math.min(x.length, 20) }, (_, at) => inner(x[at]))];
  if (x instanceof Error) return ["Error", x.message];
  if (Symbol.iterator in x && "next" in x) return ["Iterator", ...[...(x as Iterable<unknown>)].map(inner)];
  return [Object.prototype.toString.call(x), ...Object.entries(x).map(([name, value]) => [name, inner(value)])];
}

const pairsOfNumbers = [
  [1234567, 7654321],
  [1234567, 1234567],
  [-1234567.5, 1234567],
  [7654321, 1234567],
] as const;

function inJavaScript(c: Case): readonly unknown[] {
  return pairsOfNumbers.map(([i, j]) => {
    try {
      return structureOf(callIt(c, i, j), [i, j]);
    } catch (error) {
      return `throws ${(error as Error).name}`;
    }
  });
}

function wrong(c: Case): string | undefined {
  const outcome = traced(c);
  if ("error" in outcome && outcome.error instanceof WarpsmithError) return undefined;
  const got = "error" in outcome ? `throws ${(outcome.error as Error).name}` : structureOf(outcome.result, []);
  for (const want of inJavaScript(c)) {
    if (JSON.stringify(got) !== JSON.stringify(want))
      return `${c.name}: ${JSON.stringify(got)}, JavaScript has ${JSON.stringify(want)}`;
  }
  return undefined;
}

test.each(owners)("%s", (owner) => {
  expect([...casesOf(owner)].flatMap((c) => wrong(c) ?? [])).toEqual([]);
});

test.each(Object.keys(prototypes))("methods of containers: %s", (container) => {
  expect([...casesOn(container)].flatMap((c) => wrong(c) ?? [])).toEqual([]);
});
