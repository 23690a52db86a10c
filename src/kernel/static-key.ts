import { fail } from "../diag/index.ts";

const identities = new WeakMap<object, number>();
let nextIdentity = 0;

function identity(value: object): string {
  let id = identities.get(value);
  if (id === undefined) {
    id = nextIdentity++;
    identities.set(value, id);
  }
  return `#${id}`;
}

/** Whether an object is of no class. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Symbols are told apart as functions are: two of one name are two. */
const symbols = new Map<symbol, number>();

function symbolKey(value: symbol): string {
  const id = symbols.get(value) ?? symbols.size;
  symbols.set(value, id);
  return `symbol#${id}`;
}

/** What stands in for parts of a static argument, such as a tensor inside an object: a value, with a key of its own. */
export interface Substitution {
  replace(value: object, path: string): { readonly key: string; readonly value: unknown } | undefined;
}

export interface StaticValue {
  /** Equal for arguments that compile to the same kernel. */
  readonly key: string;
  /** The argument with its replaced parts: the very same object where nothing was replaced. */
  readonly value: unknown;
  /** The key means the same in another process: there is no function, no class instance and no symbol in it. */
  readonly lasting: boolean;
}

function primitiveKey(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol") return symbolKey(value);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** How many objects may be inside one another. */
const deepest = 500;

/** Leaves the recursion, so that the author's call is near on the stack again when the error is made. */
class TooDeep {
  readonly path: string;
  constructor(path: string) {
    this.path = path.length > 40 ? `${path.slice(0, 32)}…` : path;
  }
}

/**
 * The key of a static argument: plain objects and arrays deeply by value, functions by identity, class instances by identity and by what
 * their fields, or the entries of a map or set, hold at the moment. W2056.
 */
export function staticValue(value: unknown, path: string, substitution: Substitution): StaticValue {
  try {
    return keyed(value, path, substitution, []);
  } catch (error) {
    if (error instanceof TooDeep) fail("W2056", { path: error.path, most: deepest });
    throw error;
  }
}

function keyed(value: unknown, path: string, substitution: Substitution, within: readonly object[]): StaticValue {
  if (typeof value === "function") return { key: identity(value), value, lasting: false };
  if (typeof value !== "object" || value === null) return { key: primitiveKey(value), value, lasting: typeof value !== "symbol" };
  const replaced = substitution.replace(value, path);
  if (replaced) return { ...replaced, lasting: true };
  if (within.length >= deepest) throw new TooDeep(path);
  if (within.includes(value)) return { key: `^${within.length - within.indexOf(value)}`, value, lasting: true };
  const inside = [...within, value];
  if (Array.isArray(value)) {
    const parts = value.map((v: unknown, i) => keyed(v, `${path}[${i}]`, substitution, inside));
    const same = parts.every((p, i) => Object.is(p.value, value[i]));
    const lasting = parts.every((p) => p.lasting);
    return { key: `[${parts.map((p) => p.key).join(",")}]`, value: same ? value : parts.map((p) => p.value), lasting };
  }
  return fields(value, path, substitution, inside);
}

function fields(value: object, path: string, substitution: Substitution, inside: readonly object[]): StaticValue {
  const plain = isPlain(value);
  const entries = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, d]) => d.enumerable && "value" in d);
  const parts = entries.map(([name, d]) => ({
    name,
    before: d.value as unknown,
    after: keyed(d.value, `${path}.${name}`, substitution, inside),
  }));
  const changed = parts.filter((p) => !Object.is(p.before, p.after.value));
  const entriesKey =
    value instanceof Map || value instanceof Set ? keyed([...value], path, { replace: () => undefined }, inside).key : "";
  const fieldsKey = `{${parts.map((p) => `${JSON.stringify(p.name)}:${p.after.key}`).join(",")}}`;
  const key = plain ? fieldsKey : `${identity(value)}${fieldsKey}${entriesKey}`;
  const lasting = plain && parts.every((p) => p.after.lasting);
  if (changed.length === 0) return { key, value, lasting };
  const copy: object = Object.assign(Object.create(Object.getPrototypeOf(value)), value);
  for (const p of changed)
    Object.defineProperty(copy, p.name, { value: p.after.value, enumerable: true, writable: true, configurable: true });
  return { key, value: copy, lasting };
}
