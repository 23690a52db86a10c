import type { Plan } from "warpsmith/kernels";
import type { NamedPlan } from "./contenders.ts";

type Field = keyof Plan;

/** Every way to take one value of each field's list. */
function combine(choices: Readonly<Record<string, readonly unknown[]>>): readonly Readonly<Record<string, unknown>>[] {
  return Object.entries(choices).reduce<readonly Record<string, unknown>[]>(
    (all, [field, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [field]: value }))),
    [{}],
  );
}

const shown = (value: unknown): string => (Array.isArray(value) ? value.join("x") : String(value));

/**
 * Plans for `matmul` as JSON: a list of plans, each complete, or `{ "base": plan, "vary": { field: [values] } }` for every combination of the
 * values, or `{ "base": plan, "each": { field: [values] } }` for one change at a time. Each is named for what it changes.
 */
export function readPlans(json: string): readonly NamedPlan[] {
  const given = JSON.parse(json) as
    | readonly Plan[]
    | { base: Plan; vary?: Record<Field, unknown[]>; each?: Record<Field, unknown[]> };
  const named = (changes: Readonly<Record<string, unknown>>, base: Plan): NamedPlan => {
    const name = Object.entries(changes).map(([field, value]) => `${field} ${shown(value)}`);
    return { name: name.join(", ") || "base", plan: { ...base, ...changes } };
  };
  if (Array.isArray(given)) return given.map((plan: Plan) => named({ ...plan }, plan));
  const { base, vary, each } = given as Exclude<typeof given, readonly Plan[]>;
  const single = Object.entries(each ?? {}).flatMap(([field, values]) => values.map((value) => ({ [field]: value })));
  return [{}, ...single, ...(vary ? combine(vary) : [])].map((changes) => named(changes, base));
}
