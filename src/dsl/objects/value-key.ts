/** Texts that are equal for values which no code can tell apart, and differ as soon as anything in the values does. */

import { createHash } from "node:crypto";
import { types } from "node:util";
import { getOrMake } from "../../base/get-or-make.ts";
import { isOwnObject } from "../trace/staged.ts";
import { authorsPrototypes, hasHiddenState, hidesState, isNative } from "./intrinsics.ts";

const identities = new WeakMap<object, number>();
let nextIdentity = 0;

/** The same for one object as long as it lives, and for no other. */
function identityOf(value: object): string {
  const id = getOrMake(identities, value, () => nextIdentity++);
  return `#${id}`;
}

/** Symbols are told apart as functions are: two of one name are two. */
const symbols = new Map<symbol, number>();

function symbolKey(value: symbol): string {
  const id = symbols.get(value) ?? symbols.size;
  symbols.set(value, id);
  return `symbol#${id}`;
}

function primitiveKey(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol") return symbolKey(value);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** How many objects may be inside one another. */
export const deepest = 500;
/** How many objects are looked at for one value that a function is given. */
const mostObjects = 20_000;

/** Leaves the recursion, so that the author's call is near on the stack again when the error is made. */
export class TooDeep {
  readonly path: string;
  constructor(path: string) {
    this.path = path.length > 40 ? `${path.slice(0, 32)}…` : path;
  }
}

/**
 * What the key of an object has of it. "value": all that there is, so that another object may stand for it. "fields": which object it is, and its own fields and
 * entries as they are now; not its accessors, nor what it inherits. "identity": which object it is.
 */
export type Keyed = "value" | "fields" | "identity";

/** Whether an object is of no class. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || (prototype === Array.prototype && Array.isArray(value));
};

/** A tensor, on a device or described: it never changes. */
const isTensor = (x: object): boolean => "dtype" in x && "strides" in x && "rank" in x && "shape" in x;
const isFixed = (x: object): boolean => isOwnObject(x) || isTensor(x);

/** A part of a buffer; nothing where the buffer has been given away. */
function bytesKey(buffer: ArrayBufferLike, begin: number, length: number): string {
  if (length === 0) return "0:";
  const bytes = Buffer.from(buffer, begin, length);
  return `${length}:${length <= 256 ? bytes.toString("latin1") : createHash("sha256").update(bytes).digest("hex")}`;
}

/** A field that is as an assignment makes it has no flags. */
const flagsOf = ({ enumerable, writable, configurable }: PropertyDescriptor): string =>
  enumerable && writable !== false && configurable ? "" : `(${Number(enumerable)}${Number(writable)}${Number(configurable)})`;

/** Where an array has no element. */
const hole = "-";

/** An index as JavaScript lists it among an object's keys. */
const isIndex = (key: PropertyKey): boolean => typeof key === "string" && /^(?:0|[1-9]\d*)$/.test(key);

const ofEveryFunction: ReadonlySet<PropertyKey> = new Set(["length", "name", "prototype", "arguments", "caller"]);

/** What is done on the way through a value. */
export interface Looking {
  /** What stands in for a part, such as a tensor: its key. */
  readonly replace?: (value: object, path: string, within: object | undefined, key: PropertyKey) => string | undefined;
  /** Also looks at fields of functions and at what objects inherit, and finds out whether there is a state that cannot be seen. */
  readonly through?: boolean;
}

/** Keys of some values, in which one object has one place: shared and circular references are told apart from equal objects. */
export class ValueKeys {
  /** In the order in which they were met. */
  readonly places = new Map<object, number>();
  readonly kinds = new Map<object, Keyed>();
  /** Where an object was met first, and where again. */
  readonly aliases: (readonly [path: string, first: string])[] = [];
  /** Objects by the objects that hold them. */
  readonly holders = new Map<object, object[]>();
  /** The keys mean the same in another process: there is no function, no class instance and no symbol in them. */
  lasting = true;
  /** Something has a state that cannot be seen. */
  hidden = false;
  readonly #looking: Looking;
  readonly #paths = new Map<object, string>();
  readonly #buffers = new Map<object, number>();
  readonly #prototypes = new Map<object, number>();
  readonly #withAccessors = new Set<object>();
  #depth = 0;
  /** How many maps and sets are around: what these hold stays what it is, and nothing stands in for a tensor there. */
  #collections = 0;

  constructor(looking: Looking = {}) {
    this.#looking = looking;
  }

  /** `within`: the object whose field `name` this is. Throws `TooDeep`. */
  key(value: unknown, path: string, within?: object, name: PropertyKey = ""): string {
    if (typeof value === "function") return this.#function(value, path);
    if (typeof value !== "object" || value === null) {
      if (typeof value === "symbol") this.lasting = false;
      return primitiveKey(value);
    }
    const replaced = this.#collections > 0 ? undefined : this.#looking.replace?.(value, path, within, name);
    if (replaced !== undefined) return replaced;
    if (within) this.#note(within, value);
    const place = this.places.get(value);
    if (place === undefined) return this.#first(value, path);
    this.aliases.push([path, this.#paths.get(value) ?? path]);
    return `^${place}`;
  }

  #note(within: object, value: object): void {
    const holders = this.holders.get(value);
    if (holders) holders.push(within);
    else this.holders.set(value, [within]);
  }

  #identity(value: object): string {
    this.lasting = false;
    return identityOf(value);
  }

  #function(value: object, path: string): string {
    const id = this.#identity(value);
    if (this.kinds.has(value)) return id;
    this.kinds.set(value, "identity");
    if (!this.#looking.through) return id;
    if (types.isProxy(value) || hidesState(value)) this.hidden = true;
    return types.isProxy(value) ? id : `${id}{${this.#fields(value, path, (key) => ofEveryFunction.has(key))}}`;
  }

  #first(value: object, path: string): string {
    if (this.#depth >= deepest) throw new TooDeep(path);
    this.places.set(value, this.places.size);
    this.#paths.set(value, path);
    const isProxy = types.isProxy(value);
    if (this.#looking.through && (isProxy || this.places.size > mostObjects || hasHiddenState(value))) this.hidden = true;
    if (isProxy || isFixed(value) || (this.#looking.through && this.hidden)) {
      this.kinds.set(value, "identity");
      return this.#identity(value);
    }
    this.#depth++;
    const key = Array.isArray(value) ? this.#array(value, path) : this.#object(value, path);
    this.#depth--;
    return key;
  }

  #array(value: readonly unknown[], path: string): string {
    const elements = Array.from({ length: value.length }, (_, i) => this.#field(value, i, `${path}[${i}]`) ?? hole);
    const isList = Reflect.ownKeys(value).length === value.length + 1 && !elements.includes(hole);
    const isElement = (key: PropertyKey): boolean => key === "length" || (isIndex(key) && Number(key) < value.length);
    const extra = isList ? "" : this.#fields(value, path, isElement);
    return this.#whole(value, path, `[${elements.join(",")}${extra && `;${extra}`}]`);
  }

  #object(value: object, path: string): string {
    const isView = ArrayBuffer.isView(value);
    const fields = this.#fields(value, path, (key) => isView && isIndex(key));
    return this.#whole(value, path, `{${fields}}`);
  }

  /** By value, where it is of no class and has no accessors. */
  #whole(value: object, path: string, fields: string): string {
    const kind: Keyed = isPlain(value) && !this.#withAccessors.has(value) ? "value" : "fields";
    this.kinds.set(value, kind);
    const open = Object.isExtensible(value) ? "" : "!";
    if (kind === "value") return `${Object.getPrototypeOf(value) === null ? "null" : ""}${open}${fields}`;
    const prototype: object | null = Object.getPrototypeOf(value);
    const inherited = this.#looking.through ? authorsPrototypes(value).map((at) => this.#prototype(at, path)) : [];
    const of = prototype === null ? "null" : this.#identity(prototype);
    return `${this.#identity(value)}:${of}${open}${fields}${this.#content(value, path)}${inherited.join("")}`;
  }

  /** Of what an object inherits, what is no method. */
  #prototype(at: object, path: string): string {
    const place = this.#prototypes.get(at);
    if (place !== undefined) return `<${place}>`;
    this.#prototypes.set(at, this.#prototypes.size);
    const isMethod = (key: PropertyKey): boolean => typeof Object.getOwnPropertyDescriptor(at, key)?.value === "function";
    return `<${this.#fields(at, path, isMethod)}>`;
  }

  #fields(value: object, path: string, skip: (key: PropertyKey) => boolean): string {
    const parts: string[] = [];
    for (const key of Reflect.ownKeys(value)) {
      if (skip(key)) continue;
      if (typeof key === "symbol") this.lasting = false;
      const name = typeof key === "symbol" ? symbolKey(key) : JSON.stringify(key);
      const field = this.#field(value, key, `${path}.${String(key)}`);
      if (field !== undefined) parts.push(`${name}:${field}`);
    }
    return parts.join(",");
  }

  #field(value: object, key: PropertyKey, path: string): string | undefined {
    const field = Object.getOwnPropertyDescriptor(value, key);
    if (!field) return undefined;
    const flags = flagsOf(field);
    if ("value" in field) return `${flags}${this.key(field.value, path, value, key)}`;
    this.#withAccessors.add(value);
    // What a getter looks at is its own; one of a class looks at fields of the object.
    if (this.#looking.through && !this.#prototypes.has(value) && !isNative(field.get)) this.hidden = true;
    return `${flags}get ${this.key(field.get, path)} set ${this.key(field.set, path)}`;
  }

  /** What is in an object beside its fields. */
  #content(value: object, path: string): string {
    if (types.isMap(value)) return this.#entries("Map", Map.prototype.entries.call(value), path);
    if (types.isSet(value)) return this.#entries("Set", Set.prototype.entries.call(value), path);
    if (types.isDate(value)) return `Date ${Date.prototype.getTime.call(value)}`;
    if (types.isRegExp(value)) return `RegExp ${JSON.stringify([value.source, value.flags])}`;
    if (types.isBoxedPrimitive(value)) return `Boxed ${primitiveKey(unboxed(value))}`;
    if (types.isAnyArrayBuffer(value)) return `Buffer ${bytesKey(value, 0, value.byteLength)}`;
    if (!ArrayBuffer.isView(value)) return "";
    const { buffer, byteOffset, byteLength } = value;
    const place = this.#buffers.get(buffer) ?? this.#buffers.size;
    this.#buffers.set(buffer, place);
    return `View ${place}+${byteOffset} ${bytesKey(buffer, byteOffset, byteLength)}`;
  }

  #entries(what: string, entries: Iterable<readonly [unknown, unknown]>, path: string): string {
    const parts: string[] = [];
    this.#collections++;
    for (const [key, value] of entries) parts.push(`${this.key(key, path)}:${this.key(value, path)}`);
    this.#collections--;
    return `${what} {${parts.join(",")}}`;
  }
}

function unboxed(value: object): unknown {
  if (types.isNumberObject(value)) return Number.prototype.valueOf.call(value);
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value);
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  if (types.isBigIntObject(value)) return BigInt.prototype.valueOf.call(value);
  return Symbol.prototype.valueOf.call(value);
}

/** A value with all that code which is given it can reach; `hidden` where some of that cannot be seen. */
export function lookThrough(value: unknown): { readonly text: string; readonly hidden: boolean } {
  const keys = new ValueKeys({ through: true });
  try {
    const text = keys.key(value, "");
    return { text, hidden: keys.hidden };
  } catch (error) {
    if (error instanceof TooDeep) return { text: "", hidden: true };
    throw error;
  }
}
