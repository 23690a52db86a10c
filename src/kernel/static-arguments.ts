import { deepest, type KeyedObjects, TooDeep, ValueKeys } from "../dsl/index.ts";
import { fail } from "./errors.ts";

/** What stands in for a part of a static argument, such as a tensor inside an object: a value, with a key of its own. */
export type Replace = (value: object, path: string) => { readonly key: string; readonly value: unknown } | undefined;

/** A static argument. */
export interface StaticArgument {
  /** Equal for arguments that compile to the same kernel, apart from what a trace has read beside: see `OuterReads`. */
  readonly key: string;
  /** The argument, or what stands in for it. */
  readonly value: unknown;
}

/**
 * The static arguments of one call: plain objects and arrays by value, with all their fields; functions by identity; instances of classes by identity and by what
 * their fields, entries and bytes hold at the moment. What is shared among them is known by its place.
 */
export class StaticArguments {
  readonly #keys: ValueKeys;
  /** What stands in for fields. */
  readonly #replaced = new Map<object, Map<PropertyKey, unknown>>();
  /** What stands in for the whole argument that is being looked at. */
  #whole: { readonly value: unknown } | undefined;

  constructor(replace: Replace) {
    const replacing = (value: object, path: string, within: object | undefined, name: PropertyKey): string | undefined => {
      const found = replace(value, path);
      if (found && within) this.#replace(within, name, found.value);
      else if (found) this.#whole = found;
      return found?.key;
    };
    this.#keys = new ValueKeys({ replace: replacing });
  }

  #replace(within: object, name: PropertyKey, value: unknown): void {
    const fields = this.#replaced.get(within) ?? new Map<PropertyKey, unknown>();
    this.#replaced.set(within, fields);
    fields.set(typeof name === "number" ? String(name) : name, value);
  }

  get objects(): KeyedObjects {
    return this.#keys;
  }

  /** The keys mean the same in another process: there is no function, no class instance and no symbol in them. */
  get lasting(): boolean {
    return this.#keys.lasting;
  }

  /** W2056. */
  add(argument: unknown, path: string): StaticArgument {
    this.#whole = undefined;
    try {
      const key = this.#keys.key(argument, path);
      return { key, value: this.#whoIs(argument) };
    } catch (error) {
      if (error instanceof TooDeep) fail("W2056", { path: error.path, most: deepest });
      throw error;
    }
  }

  #whoIs(argument: unknown): unknown {
    return this.#whole ? this.#whole.value : argument;
  }

  /** The path by which the object at that path is known: where it is met first. */
  firstPath(path: string): string {
    for (const [alias, first] of this.#keys.aliases)
      if (path === alias || path.startsWith(`${alias}.`) || path.startsWith(`${alias}[`)) return first + path.slice(alias.length);
    return path;
  }

  /**
   * Gives the arguments as the kernel's body gets them: `bind` says what a part becomes that something stands in for. What holds such a part is copied, once however
   * many hold it; all else is the author's own object.
   */
  binder(bind: (replacement: unknown) => unknown): (value: unknown) => unknown {
    const copied = this.#copied();
    const copies = new Map<object, object>();
    const copyOf = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null || !copied.has(value)) return value;
      const known = copies.get(value);
      if (known) return known;
      const copy: object = Array.isArray(value) ? new Array(value.length) : {};
      Object.setPrototypeOf(copy, Object.getPrototypeOf(value) as object | null);
      copies.set(value, copy);
      this.#keys.kinds.set(copy, this.#keys.kinds.get(value) ?? "fields");
      const replaced = this.#replaced.get(value);
      for (const [key, field] of fieldsOf(value)) {
        const given = replaced?.has(key) ? bind(replaced.get(key)) : copyOf(field.value);
        Object.defineProperty(
          copy,
          key,
          "value" in field ? { ...field, writable: true, configurable: true, value: given } : field,
        );
      }
      return copy;
    };
    return copyOf;
  }

  /** The objects in which something stands in for a part, however deep. */
  #copied(): ReadonlySet<object> {
    const found = new Set<object>(this.#replaced.keys());
    for (const object of found) for (const holder of this.#keys.holders.get(object) ?? []) found.add(holder);
    return found;
  }
}

/** An object's own fields; of an array without its length. */
function* fieldsOf(value: object): Generator<[PropertyKey, PropertyDescriptor]> {
  for (const key of Reflect.ownKeys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, key);
    if (field && !(Array.isArray(value) && key === "length")) yield [key, field];
  }
}
