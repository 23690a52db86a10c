import { assumeField, type FieldChange } from "../objects/fields.ts";
import type { Trace } from "../trace/trace.ts";
import type { Variables } from "./variables.ts";

/** Static values by place: of a variable the span of its declaration and `variable`, of a field its object and key. */
type Places = ReadonlyMap<object, ReadonlyMap<PropertyKey, unknown>>;
type Entry = readonly [object: object, key: PropertyKey, value: unknown];

const variable: unique symbol = Symbol("variable");

const isStatic = (x: unknown): boolean => (typeof x !== "object" || x === null) && typeof x !== "function";

/**
 * The static values that places hold on one way through statements. Where ways have joined, the place itself may hold a value of the GPU,
 * although the way that goes on knows it while tracing: after `if (x[k] > 0) break; k++;`, `k` is one more wherever the loop goes on.
 */
export class Known {
  private readonly places: Places;
  constructor(places: Places) {
    this.places = places;
  }

  private holds(object: object | undefined, key: PropertyKey, value: unknown): boolean {
    const fields = object && this.places.get(object);
    return fields?.has(key) === true && Object.is(fields.get(key), value);
  }

  private entries(): readonly Entry[] {
    return [...this.places].flatMap(([object, fields]) => [...fields].map(([key, value]): Entry => [object, key, value]));
  }

  /** What is known on both of two ways. */
  and(other: Known): Known {
    return knownOf(this.entries().filter(([object, key, value]) => other.holds(object, key, value)));
  }

  /** What this and `around` know of one way. */
  within(around: Known): Known {
    return knownOf([...around.entries(), ...this.entries()]);
  }

  /** Gives variables and fields their values; fields in the innermost frame. */
  assume(trace: Trace, vars: Variables): void {
    if (this.places.size === 0) return;
    for (const [object, key, value] of this.entries()) if (key !== variable) assumeField(trace, object, key, value);
    const ofVariable = (i: number): ReadonlyMap<PropertyKey, unknown> | undefined => {
      const span = vars.spans[i];
      return span && this.places.get(span);
    };
    vars.set(vars.get().map((value, i) => (ofVariable(i)?.has(variable) ? ofVariable(i)?.get(variable) : value)));
  }

  /** Does variable i still hold what was assumed of it? */
  keepsVariable({ spans }: Variables, i: number, value: unknown): boolean {
    return this.holds(spans[i], variable, value);
  }

  /** Does the field still hold what was assumed of it? */
  keepsField({ entry, after }: FieldChange): boolean {
    return this.holds(entry.object, entry.key, after);
  }

  /** What is known after statements that have given variables and fields these values. */
  after({ spans }: Variables, values: readonly unknown[], changes: readonly FieldChange[]): Known {
    const places = placesOf(this.entries());
    values.forEach((value, i) => {
      const span = spans[i];
      if (span) put(places, [span, variable, value]);
    });
    for (const { entry, after, made } of changes) put(places, [entry.object, entry.key, made ? after : notStatic]);
    return new Known(places);
  }

  /** The same with what fields hold that another way has changed and this one has not. */
  besides(mine: readonly FieldChange[], others: readonly FieldChange[]): Known {
    const isMine = (object: object, key: PropertyKey): boolean =>
      mine.some(({ entry }) => entry.object === object && entry.key === key);
    const untouched = others.map(({ entry }) => entry).filter(({ object, key, present }) => present && !isMine(object, key));
    return knownOf([...this.entries(), ...untouched.map(({ object, key, before }): Entry => [object, key, before])]);
  }
}

/** Stands for a value that is not static. */
const notStatic: object = {};

function put(places: Map<object, Map<PropertyKey, unknown>>, [object, key, value]: Entry): void {
  const fields = places.get(object) ?? new Map<PropertyKey, unknown>();
  if (isStatic(value)) places.set(object, fields.set(key, value));
  else fields.delete(key);
}

function placesOf(entries: readonly Entry[]): Map<object, Map<PropertyKey, unknown>> {
  const places = new Map<object, Map<PropertyKey, unknown>>();
  for (const entry of entries) put(places, entry);
  return places;
}

const knownOf = (entries: readonly Entry[]): Known => new Known(placesOf(entries));

/** Of a way of which nothing is known. */
export const nothingKnown = new Known(new Map());
