import { describe, expect, it } from "vitest";
import * as warpsmith from "warpsmith";
import { parametersOf } from "../../src/base/diag/index.ts";
import { randomFrom } from "../layouts/random.ts";
import { randomOnes, some } from "../support/amount.ts";
import { isClass, kernelObjects, Sweep, traceKernel } from "./sweep.ts";

/**
 * Every exported function and every method of what a kernel has, called in a kernel with something wrong: it works, or it throws an error with
 * a code. What comes raw is a mistake of ours. host-calls.long.test.ts does the same on the host.
 */
// biome-ignore lint/suspicious/noExplicitAny: types are what this is not about
type Any = any;
type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** What no kernel calls, and methods that rooms have of each other's objects: no type shows them to authors. */
const notCalled = [
  ...["kernel", "helper", "openDevice", "WarpsmithError", "explicit", "autotune"],
  ...["SharedView.ofBlock", "Place.neighbours", "Place.neighboursAt", "Place.elements", "Mbarrier.addressAt", "Mbarrier.ofBlock"],
  ...["ProducerStage.barrier", "ProducerStage.waitFor", "ConsumerStage.barrier", "ConsumerStage.waitFor", "Accumulator.mapWith"],
];

const values: Readonly<Record<string, (x: Any, view: Any) => unknown>> = {
  ...{ number: () => 5, fraction: () => 1.5, negative: () => -1, nan: () => Number.NaN, bigint: () => 5n },
  ...{ text: () => "x", truth: () => true, null: () => null, undefined: () => undefined },
  ...{ "a type": () => "f32", "another type": () => "f16", swizzle: () => "128B", zero: () => 0, one: () => 1 },
  ...{
    thread: () => warpsmith.threadIdx.x,
    condition: () => (warpsmith.threadIdx.x as Any).lt?.(3),
    options: () => ({ pred: true }),
  },
  ...{ object: () => ({}), list: () => [], "list of numbers": () => [64, 64], function: () => () => 1 },
  ...{ tensor: (x) => x, row: (x) => x[0], staged: (x) => warpsmith.f32(x.at(0, 0).value), view: (_, view) => view },
};

/** The functions of a kernel by name, from objects of this trace. */
function callables(x: Any, map: Any): Sweep["found"] {
  const sweep = new Sweep();
  sweep.exports("", warpsmith);
  for (const [name, object] of Object.entries(kernelObjects(x, map))) sweep.object(name, object);
  // A method of a class is called on what `kernelObjects` has of it.
  for (const name of sweep.found.keys()) if (notCalled.includes(name) || name.includes(".prototype.")) sweep.found.delete(name);
  return sweep.found;
}

/** What a call in a kernel throws that is no error of ours; undefined where nothing does. */
function raw(name: string, what: readonly string[]): string | undefined {
  const told: string[] = [];
  const note = (error: unknown): void => {
    const said = `${name}(${what.join(", ")}): ${String(error).split("\n")[0]}`;
    if (!(error instanceof warpsmith.WarpsmithError)) told.push(said);
  };
  try {
    traceKernel((x, map) => {
      const { f, receiver } = callables(x, map).get(name) ?? {};
      const view = warpsmith.sharedMemory.alloc("f16", [64, 64]);
      const args = what.map((one) => values[one]?.(x, view));
      try {
        if (isClass(f)) Reflect.construct(f as Callable, args);
        else Reflect.apply(f as Callable, receiver, args);
      } catch (error) {
        note(error);
      }
    });
  } catch (error) {
    note(error);
  }
  return told[0];
}

describe("what is wrong in a call of a kernel", () => {
  const functions = new Map<string, number>();
  traceKernel((x, map) => {
    for (const [name, { f }] of callables(x, map)) {
      const { names, takesMore } = parametersOf(f);
      functions.set(name, names.length + (takesMore ? 2 : 0));
    }
  });

  it("has a code, each value by itself", () => {
    const calls = [...functions].flatMap(([name, count]) =>
      count === 0 ? [] : Object.keys(values).map((what) => [name, Array.from({ length: count }, () => what)] as const),
    );
    expect(calls.length).toBeGreaterThan(2000);
    expect(some(calls, 40).flatMap((call) => raw(...call) ?? [])).toEqual([]);
  });

  it("has a code, values of all kinds together", { timeout: 600_000 }, () => {
    const { places, seed } = randomOnes(20_000, 40);
    const wrong = places.flatMap((place) => {
      const { below } = randomFrom(seed * 65_536 + place);
      const [name, count] = [...functions][below(functions.size)] ?? ["", 0];
      const args = Array.from({ length: below(count + 1) }, () => Object.keys(values)[below(Object.keys(values).length)] ?? "");
      return raw(name, args) ?? [];
    });
    expect(wrong).toEqual([]);
  });
});
