/**
 * Random writes, launches, some of which fail, copies and reads, in several streams, against what docs/emulator.md says of a launch that
 * fails: for each read a value, or who is told of what.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  assert,
  type Device,
  type DeviceTensor,
  type i32,
  kernel,
  openDevice,
  type Stream,
  type Tensor,
  threadIdx,
  WarpsmithError,
} from "warpsmith";
import { backendOf } from "../../../../src/runtime/index.ts";
import { ofProperty } from "../../../support/amount.ts";

const add = kernel({ block: 32, grid: 1 }, function add(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>) {
  to[threadIdx.x] = to[threadIdx.x]! + from[threadIdx.x]! + 1;
});
const stops = kernel({ block: 32, grid: 1 }, function stops(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>, id: i32) {
  to[threadIdx.x] = from[threadIdx.x]! - id;
  assert(id < 0, "failure");
});
const races = kernel({ block: 64, grid: 1 }, function races(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>, id: i32) {
  to[threadIdx.x % 32] = from[threadIdx.x % 32]! + threadIdx.x - id;
});

const size = 32;
const tensors = 4;
const streams = 2;

const tensor = fc.nat(tensors - 1);
const half = fc.constantFrom([0, size], [0, size / 2], [size / 2, size]) as fc.Arbitrary<readonly [number, number]>;
/** Undefined: the device's own. */
const stream = fc.option(fc.nat(streams - 1), { nil: undefined });
const pair = fc.tuple(tensor, tensor).filter(([a, b]) => a !== b);
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant("add" as const), pair, stream }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("stops" as const), pair, stream }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("races" as const), pair, stream }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("graph" as const), pair, stream }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("write" as const), tensor, half, value: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("copy" as const), pair, half }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("read" as const), tensor, half }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("sync" as const), stream: fc.option(stream, { nil: "all" as const }) }) },
  // The host lets the device come to the end of its work, and hears of no failure by that.
  { weight: 2, arbitrary: fc.record({ what: fc.constant("idle" as const) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** A launch that has failed. */
interface Failure {
  readonly id: number;
  readonly code: string;
  readonly stream: number | undefined;
  /** Actions issued when somebody was told. */
  told: number;
  readonly skips: (number | undefined)[];
}
interface Doubt {
  readonly failure: Failure;
  readonly spoiled: boolean;
  readonly elements: Set<number>;
}
interface Memory {
  /** Undefined: what a race or a launch that stopped has left. */
  readonly values: (number | undefined)[];
  doubts: Doubt[];
}

/** What one who waits is told: the first error, and how many others and launches that did not run. */
type Told =
  | { readonly code: string; readonly id: number | undefined; readonly more: number; readonly skips: number }
  | readonly (number | undefined)[];

const range = ([begin, end]: readonly [number, number]): number[] => Array.from({ length: end - begin }, (_, i) => begin + i);
const whole = range([0, size]);

class Model {
  readonly memory: Memory[] = Array.from({ length: tensors }, () => ({ values: Array<number>(size).fill(0), doubts: [] }));
  readonly untold = new Set<Failure>();
  readonly failures: Failure[] = [];
  /** Actions so far. */
  issued = 0;
  readonly #queue: { readonly number: number; readonly run: (number: number) => void }[] = [];

  /** What waits is done when it is issued, if nothing is before it. */
  issue(waits: boolean, run: (number: number) => void): void {
    const number = this.issued++;
    if (waits && this.#queue.length === 0) run(number);
    else this.#queue.push({ number, run });
  }

  settle(): void {
    for (const { number, run } of this.#queue.splice(0)) run(number);
  }

  #memory(index: number): Memory {
    const found = this.memory[index];
    if (!found) throw new Error("no such tensor");
    return found;
  }

  spoiledBy(index: number, elements: readonly number[], number: number): Failure | undefined {
    return this.#memory(index).doubts.find((d) => d.spoiled && number < d.failure.told && elements.some((e) => d.elements.has(e)))
      ?.failure;
  }

  written(index: number, elements: readonly number[], values: (i: number) => number | undefined): void {
    const memory = this.#memory(index);
    for (const e of elements) memory.values[e] = values(e);
    for (const doubt of memory.doubts) for (const e of elements) doubt.elements.delete(e);
  }

  #spoil(index: number, failure: Failure): void {
    this.#memory(index).doubts.push({ failure, spoiled: true, elements: new Set(whole) });
  }

  launch(
    what: "add" | "stops" | "races",
    [from, to]: readonly number[],
    id: number,
    stream: number | undefined,
    number: number,
  ): void {
    if (from === undefined || to === undefined) return;
    const held = this.spoiledBy(from, whole, number) ?? this.spoiledBy(to, whole, number);
    if (held) {
      if (held.told === Number.POSITIVE_INFINITY) {
        held.skips.push(stream);
        this.#spoil(to, held);
      } else this.#spoil(to, this.#fails("W7530", id, stream));
      return;
    }
    const [source, target] = [this.#memory(from), this.#memory(to)];
    for (const e of whole) {
      const [a, b] = [source.values[e], target.values[e]];
      target.values[e] = what === "add" && a !== undefined && b !== undefined ? (a + b + 1) | 0 : undefined;
    }
    if (what === "add") return;
    const failure = this.#fails(what === "stops" ? "W7515" : "W9201", id, stream);
    for (const memory of [source, target]) memory.doubts.push({ failure, spoiled: false, elements: new Set(whole) });
    this.#spoil(to, failure);
  }

  #fails(code: string, id: number, stream: number | undefined): Failure {
    const failure: Failure = { id, code, stream, told: Number.POSITIVE_INFINITY, skips: [] };
    this.failures.push(failure);
    this.untold.add(failure);
    return failure;
  }

  copy([from, to]: readonly number[], elements: readonly number[], number: number): void {
    if (from === undefined || to === undefined) return;
    const source = this.#memory(from);
    const doubts = source.doubts.filter((d) => d.spoiled && number < d.failure.told);
    this.written(to, elements, (e) => source.values[e]);
    for (const { failure, spoiled, elements: all } of doubts)
      this.#memory(to).doubts.push({ failure, spoiled, elements: new Set(elements.filter((e) => all.has(e))) });
  }

  read(index: number, elements: readonly number[], number: number): Told {
    const known = this.spoiledBy(index, elements, number);
    const given = this.#memory(index).doubts.find(
      (d) => d.failure.told === Number.POSITIVE_INFINITY && elements.some((e) => d.elements.has(e)),
    )?.failure;
    const failure = known ?? given;
    if (!failure) return elements.map((e) => this.#memory(index).values[e]);
    if (failure.told !== Number.POSITIVE_INFINITY) return { code: "W7531", id: undefined, more: 0, skips: 0 };
    return this.#tell([failure]) ?? [];
  }

  sync(stream: number | undefined | "all"): Told {
    const concerned = [...this.untold].filter((f) => stream === "all" || f.stream === stream || f.skips.includes(stream));
    return this.#tell(concerned) ?? [];
  }

  #tell(failures: readonly Failure[]): Told | undefined {
    const skips = failures.reduce((sum, f) => sum + f.skips.length, 0);
    for (const f of failures) {
      f.told = this.issued;
      this.untold.delete(f);
    }
    const [first, ...more] = failures;
    return first && { code: first.code, id: first.code === "W7515" ? first.id : undefined, more: more.length, skips };
  }
}

const count = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? 0);

function toldOf(error: unknown): Told {
  if (!(error instanceof WarpsmithError)) throw error;
  const { code, sentence } = error;
  const id = /failure \((\d+) < 0/.exec(sentence)?.[1];
  return {
    code,
    id: id === undefined ? undefined : Number(id),
    more: count(/^ {2}(\d+) more failed:/m, sentence),
    skips: count(/^ {2}(\d+) launch(?:es)? behind did not run:/m, sentence),
  };
}

/** Values that a failed launch has left are whatever they are. */
function same(real: Told, model: Told, what: string): void {
  const isList = Array.isArray(real) && Array.isArray(model);
  expect(isList ? real.map((x, i) => (model[i] === undefined ? undefined : x)) : real, what).toEqual(model);
}

async function follow(gpu: Device, actions: readonly Action[]): Promise<void> {
  const model = new Model();
  const memory = Array.from({ length: tensors }, () => gpu.zeros("i32", [size]));
  const own = Array.from({ length: streams }, () => gpu.stream());
  const backend = backendOf(gpu);
  const at = (i: number | undefined): DeviceTensor<"i32", 1> => memory[i ?? 0] as DeviceTensor<"i32", 1>;
  const config = (s: number | undefined): { readonly stream?: Stream } => (s === undefined ? {} : { stream: own[s] as Stream });
  const waits: { readonly real: Promise<Told>; readonly told: () => Told; readonly what: string }[] = [];
  const compare = (real: Promise<unknown>, told: () => Told, what: string): void => {
    const found = real.then((values) => (values === undefined ? [] : Array.from(values as Int32Array)), toldOf);
    waits.push({ real: found, told, what });
  };
  const idle = async (): Promise<void> => {
    const event = backend.createEvent();
    backend.record(event, backend.defaultStream);
    await backend.reached(event);
    model.settle();
    for (const { real, told, what } of waits.splice(0)) same(await real, told(), what);
  };
  await idle();
  for (const [i, a] of actions.entries()) {
    const what = `action ${i}, ${a.what}`;
    if (a.what === "idle") await idle();
    else if (a.what === "write") {
      at(a.tensor)
        .slice([...a.half])
        .fill(a.value);
      model.issue(false, () => model.written(a.tensor, range(a.half), () => a.value));
    } else if (a.what === "copy") {
      const [begin, end] = a.half;
      const [from, to] = a.pair.map((t) => at(t).address() + BigInt(4 * begin)) as [bigint, bigint];
      backend.copy(backend.defaultStream, to, from, 4 * (end - begin));
      model.issue(false, (number) => model.copy(a.pair, range(a.half), number));
    } else if (a.what === "read" || a.what === "sync") {
      let told: Told = [];
      const real =
        a.what === "read"
          ? at(a.tensor)
              .slice([...a.half])
              .read()
          : a.stream === "all"
            ? gpu.sync()
            : syncOf(a.stream);
      model.issue(true, (number) => {
        told = a.what === "read" ? model.read(a.tensor, range(a.half), number) : model.sync(a.stream);
      });
      compare(real, () => told, what);
    } else {
      const [from, to] = a.pair;
      const launched = a.what === "graph" ? (["add", "stops", "add"] as const) : ([a.what] as const);
      const launch = (kind: (typeof launched)[number] | "races", given: object): void => {
        if (kind === "add") add.launch(given, at(from), at(to));
        else (kind === "stops" ? stops : races).launch(given, at(from), at(to), i);
      };
      const record = (): void => {
        for (const kind of launched) launch(kind, {});
      };
      if (a.what === "graph") gpu.capture(record).launch(config(a.stream));
      else launch(a.what, config(a.stream));
      for (const kind of launched) model.issue(false, (number) => model.launch(kind, a.pair, i, a.stream, number));
    }
  }
  await idle();
  let told: Told = [];
  model.issue(true, () => {
    told = model.sync("all");
  });
  compare(gpu.sync(), () => told, "at the end");
  await idle();
  // Nobody has been kept in the dark.
  expect(model.failures.every((f) => f.told < Number.POSITIVE_INFINITY)).toBe(true);

  function syncOf(s: number | undefined): Promise<void> {
    return s === undefined ? backend.synchronize(backend.defaultStream) : (own[s] as Stream).sync();
  }
}

it("what depends on a failed launch says so, what does not runs, and each failure is told once", {
  timeout: 600_000,
}, async () => {
  const check = async (actions: readonly Action[]): Promise<void> => {
    const gpu = await openDevice("emulator", { check: "normal", threads: 1 });
    await follow(gpu, actions);
    await gpu.dispose();
  };
  await fc.assert(fc.asyncProperty(fc.array(action, { maxLength: 24, size: "max" }), check), ofProperty(4000, 20));
});
