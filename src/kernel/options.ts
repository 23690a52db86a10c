import { checkOptions, display, optionsOf } from "../base/diag/index.ts";
import { defaultTarget } from "../base/target.ts";
import type { RegisterBounds, Switches } from "../ir/index.ts";
import { fail } from "./errors.ts";
import type { KernelOptions } from "./types.ts";

/** What the value of an option may be; `expected` goes on after "must be". */
interface Check {
  readonly holds: (value: unknown) => boolean;
  readonly expected: string;
}
type Checks<T> = { readonly [K in keyof T]-?: Check };

const flag: Check = { holds: (value) => typeof value === "boolean", expected: "true or false" };
const whole = (low: number, high: number): Check => ({
  holds: (value) => Number.isInteger(value) && Number(value) >= low && Number(value) <= high,
  expected: `a whole number from ${low} to ${high}`,
});

const { limits } = defaultTarget;
const switches: Checks<Switches> = { debug: flag, contract: flag };
const registerBounds: Checks<RegisterBounds> = {
  registers: whole(1, limits.threadRegisters),
  blocksPerSM: whole(1, limits.blocksPerSM),
};
const checks: Readonly<Record<string, Check>> = {
  nonPortableCluster: flag,
  cooperative: flag,
  cacheKey: { holds: (value) => typeof value === "string", expected: "a text" },
  ...switches,
  ...registerBounds,
};

const names = <T>(of: Checks<T>) => Object.keys(of) as (keyof T)[];
const named = <T>(of: Checks<T>) => Object.fromEntries(names(of).map((name) => [name, true])) as Record<keyof T, true>;

const kernelOptions = optionsOf<KernelOptions>("kernel()", {
  block: true,
  grid: true,
  cluster: true,
  nonPortableCluster: true,
  cooperative: true,
  smem: true,
  ...named(registerBounds),
  dynamic: true,
  ...named(switches),
  cacheKey: true,
  params: true,
});

/** W2601, W2602. */
export const checkKernelOptions = (given: unknown): void => checkOptions(given, kernelOptions);

/** Refuses options that hold something else than their types say. Those that may be functions of the arguments are checked with them. W7511. */
export function checkOptionValues(kernel: string, options: KernelOptions): void {
  for (const [option, { holds, expected }] of Object.entries(checks)) {
    const value = options[option as keyof KernelOptions];
    if (value !== undefined && !holds(value)) fail("W7511", { kernel, option, value: display(value), expected });
  }
}

/** What the author says of the entry's registers. */
export const registersOf = (options: KernelOptions): RegisterBounds =>
  Object.fromEntries(names(registerBounds).flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));

/** What the author turns on; the rest is off. */
export const switchesOf = (options: KernelOptions): Required<Switches> =>
  Object.fromEntries(names(switches).map((name) => [name, options[name] ?? false])) as Required<Switches>;
