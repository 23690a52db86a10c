/** What a kernel reads of a value: code that is traced in a kernel, and plain JavaScript on the host. */
import { helper, i32, type Kernel, kernel, type Static, type Tensor, threadIdx } from "warpsmith";
import type { Path, Step } from "./values.ts";

// biome-ignore lint/suspicious/noExplicitAny: values of all kinds
type Any = any;

/** Code that is not traced: it looks at what it is given, through and through. */
function lookedThrough(x: unknown, seen = new Set<unknown>()): number {
  if (typeof x === "number") return x;
  if ((typeof x !== "object" && typeof x !== "function") || x === null || seen.has(x)) return 0;
  seen.add(x);
  let sum = 0;
  if (x instanceof Map) for (const [, v] of x) sum += lookedThrough(v, seen);
  for (const key in x) sum = (sum * 3 + lookedThrough((x as Any)[key], seen)) % 100_003;
  return sum;
}

function chosen(value: Any): Any {
  "use kernel";
  let one = value;
  if (threadIdx.x > 4) one = { ...value, n: value.n };
  return one.n;
}

/** One step. */
function take(value: Any, { how, key = "", other = "", at }: Step): Any {
  "use kernel";
  switch (how) {
    case "field":
      return value[key];
    case "optional":
      return value?.[key];
    case "get":
      return value.get(key);
    case "call":
      return value[key](at);
    case "same":
      return value[key] === value[other] ? 1 : 2;
    case "has":
      return key in value ? 1 : 2;
    case "own":
      return Object.hasOwn(value, key) ? 1 : 2;
    case "sum": {
      let sum = 0;
      for (const x of value) sum += x;
      return sum;
    }
    case "spread":
      return Math.max(...value);
    case "first": {
      const [one, two = 3] = value;
      return Number(one) * 7 + two;
    }
    case "reduce":
      return value.map((x: number) => x * 2).reduce((a: number, b: number) => a * 3 + b);
    case "rest": {
      const { [key as string]: one, ...rest } = value;
      return Object.keys(rest).length * 5 + (typeof one === "number" ? one : 1);
    }
    case "keys":
      return Object.keys(value).length;
    case "in": {
      let count = 0;
      for (const name in value) count += name.length;
      return count;
    }
    case "values": {
      let sum = 0;
      for (const x of Object.values(value)) if (typeof x === "number") sum += x;
      return sum;
    }
    case "json": {
      let sum = 0;
      const text = JSON.stringify(value) ?? "";
      for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 65_521;
      return sum;
    }
    case "text": {
      let sum = 0;
      const text = `${value}`;
      for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 65_521;
      return sum;
    }
    case "number":
      return +value;
    case "plain":
      return lookedThrough(value);
    case "copied":
      return Array.isArray(value) ? value.slice() : Object.assign({}, value);
    case "listed": {
      let sum = 0;
      for (const [name, x] of value.entries()) sum += name.length * (typeof x === "number" ? x : 1);
      return sum;
    }
    case "chosen":
      return chosen(value);
    default:
      return how satisfies never;
  }
}

/** The number at the end of a path. */
export function numberAt(value: Any, path: Path): Any {
  "use kernel";
  let at = value;
  for (const step of path) at = take(at, step);
  return at;
}

/** The number in memory: what is no number, or too large, has one, too. */
function kept(x: Any): Any {
  "use kernel";
  const isWhole = typeof x === "number" && x > -1e9 && x < 1e9;
  return isWhole ? x : x === undefined ? -1 : -2;
}

const options = { block: 1, grid: 1 };
export const byArgument = kernel(options, function byArgument(x: Tensor<"i32", 1>, value: Static<Any>, path: Static<Path>) {
  x[0] = i32(kept(numberAt(value, path)));
});
export const inArgument = kernel(options, function inArgument(x: Tensor<"i32", 1>, args: Static<Any>, path: Static<Path>) {
  x[0] = i32(kept(numberAt(args.list[1], path)));
});
export const twice = kernel(options, function twice(x: Tensor<"i32", 1>, a: Static<Any>, b: Static<Any>, path: Static<Path>) {
  x[0] = a === b ? i32(kept(numberAt(b, path))) : -3;
});
export const byFunction = kernel(options, function byFunction(x: Tensor<"i32", 1>, read: Static<() => number>) {
  x[0] = i32(kept(read()));
});
export const reader = (value: Any, path: Path) => helper(() => numberAt(value, path));
export const around = (value: Any, path: Path): Kernel<[Tensor<"i32", 1>]> =>
  kernel(options, function around(x: Tensor<"i32", 1>) {
    x[0] = i32(kept(numberAt(value, path)));
  });
/** What plain JavaScript finds. */
export const expected = (value: Any, path: Path): number => i32Of(kept(numberAt(value, path)));
const i32Of = (x: number): number => Math.trunc(x) | 0;
