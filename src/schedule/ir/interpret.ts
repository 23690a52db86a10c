/** Runs a program in order on the host: what a program means, and what each of its rewritings must still compute. */

import { numberRange, ofElementTypes, plainArrays } from "../../base/element-types.ts";
import { roundFloat } from "../../base/small-floats.ts";
import type { DType } from "../../base/types.ts";
import { fail } from "../errors/index.ts";
import { type ProgramText, programText } from "./interpret-text.ts";
import type { Buffer, Expr, Intrinsic, Program } from "./types.ts";
import { statements } from "./walk.ts";

/** Elements in flat order, the last dimension innermost: of small floats as the numbers that they stand for, of bools as 0 and 1. */
export type FlatArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

type ArrayMaker = { new (length: number): FlatArray; readonly name: string };

const arrays: Partial<Record<DType, ArrayMaker>> = { ...plainArrays, bool: Uint8Array };

/** The array that holds elements of that type. */
const arrayFor = (dtype: DType): ArrayMaker => arrays[dtype] ?? Float32Array;

/** What a run needs besides the program. */
export interface InterpretOptions {
  /** The sizes that only a launch knows, by name. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** What an intrinsic means: its description, whose parameters are the arguments in their order. */
  readonly intrinsics?: (name: string) => Program | undefined;
}

interface RegionValue {
  readonly array: FlatArray;
  readonly shape: readonly number[];
  readonly mins: readonly number[];
  readonly extents: readonly number[];
  readonly at: number;
}

const saturating = (least: number, most: number) => (x: number) =>
  Number.isNaN(x) ? 0 : Math.min(most, Math.max(least, Math.trunc(x))) + 0;
const saturate = ofElementTypes((dtype) => {
  const range = numberRange(dtype);
  return range && saturating(...range);
});
const round = Object.fromEntries(
  (["f16", "bf16", "tf32", "e4m3", "e5m2"] as const).map((name) => [name, (x: number) => roundFloat(name, x)]),
);
const truth = (x: number): boolean => x !== 0 && !Number.isNaN(x);

interface Compiled {
  readonly run: (arrays: readonly FlatArray[], sizes: readonly number[], options: InterpretOptions) => void;
  readonly text: ProgramText;
}

const compiled = new WeakMap<Program, Compiled>();

/** The place of what a clipped part has beyond its buffer. */
const nowhere = -1;

/** The places of a region in flat order; of one that is clipped, `nowhere` for what its buffer does not have. */
function placesOf(region: RegionValue, clipped: boolean, check: Check): Int32Array {
  let places = new Int32Array(1);
  region.extents.forEach((extent, d) => {
    const [min = 0, length = 1] = [region.mins[d], region.shape[d]];
    check(min, clipped ? Number.POSITIVE_INFINITY : length, region.at);
    if (!clipped) check(min + extent - 1, length, region.at);
    const before = places;
    places = new Int32Array(before.length * extent);
    for (let b = 0, at = 0; b < before.length; b++) {
      const base = before[b] as number;
      for (let i = min; i < min + extent; i++) places[at++] = base === nowhere || i >= length ? nowhere : base * length + i;
    }
  });
  return places;
}

type Check = (index: number, extent: number, at: number) => number;

interface Part {
  readonly region: RegionValue;
  readonly places: Int32Array;
  readonly array: FlatArray;
  readonly isWritten: boolean;
}

const changes = new WeakMap<Program, ReadonlySet<Buffer>>();

/** What stores or calls in a program may change. */
function writtenBy(p: Program): ReadonlySet<Buffer> {
  const known = changes.get(p);
  if (known) return known;
  const made = new Set(
    statements(p.body).flatMap((s) =>
      s.kind === "store" ? [s.buffer] : s.kind === "intrinsic" ? s.args.map((r) => r.buffer) : [],
    ),
  );
  changes.set(p, made);
  return made;
}

function refuseCall(call: Intrinsic, what: string, instead: string): never {
  return fail("W5518", { name: call.name, what, instead }, call.span ? [call.span] : []);
}

/** The arguments as flat arrays of their own, in the shapes that the description has. */
function partsOf(call: Intrinsic, meaning: Program, regions: readonly RegionValue[], check: Check): readonly Part[] {
  if (meaning.params.length !== regions.length)
    refuseCall(
      call,
      `takes ${meaning.params.length} parts of buffers, and ${regions.length} are given`,
      "give them in the order of its description",
    );
  const written = writtenBy(meaning);
  return meaning.params.map((param, i) => {
    const region = regions[i];
    const places = region ? placesOf(region, param.clipped === true, check) : new Int32Array(0);
    const count = lengthOf(param, new Map());
    if (!region || count !== places.length)
      return refuseCall(
        call,
        `takes ${count} elements as argument ${i + 1}, and the part given has ${places.length}`,
        "give a part of the shape that its description has",
      );
    const array = new (arrayFor(param.dtype))(count);
    places.forEach((place, k) => {
      array[k] = place === nowhere ? 0 : (region.array[place] ?? 0);
    });
    return { region, places, array, isWritten: written.has(param) };
  });
}

function callIntrinsic(call: Intrinsic, regions: readonly RegionValue[], check: Check, options: InterpretOptions): void {
  const meaning =
    options.intrinsics?.(call.name) ??
    refuseCall(
      call,
      "is no intrinsic that this run knows",
      "register it, or give its description: `interpret(p, arrays, { intrinsics })`",
    );
  const parts = partsOf(call, meaning, regions, check);
  runCompiled(
    compile(meaning),
    parts.map((part) => part.array),
    [],
    options,
  );
  for (const { region, places, array, isWritten } of parts)
    if (isWritten)
      places.forEach((place, k) => {
        if (place !== nowhere) region.array[place] = array[k] ?? 0;
      });
}

function compile(p: Program): Compiled {
  const known = compiled.get(p);
  if (known) return known;
  const text = programText(p);
  const body = new Function("b", "s", "$", text.text) as (b: readonly FlatArray[], s: readonly number[], $: object) => void;
  const check: Check = (index, extent, at) => {
    if (index >= 0 && index < extent) return index;
    const access = text.accesses[at];
    return fail("W5513", { what: access?.what ?? "a buffer", index: String(index), extent }, access?.span ? [access.span] : []);
  };
  const run: Compiled["run"] = (given, sizes, options) => {
    const intrinsic = (n: number, regions: readonly RegionValue[]): void => {
      const call = text.intrinsics[n];
      if (call) callIntrinsic(call, regions, check, options);
    };
    body(given, sizes, { at: check, round, saturate, truth, intrinsic });
  };
  const made = { run, text };
  compiled.set(p, made);
  return made;
}

type Sizes = ReadonlyMap<object, number>;

/** The value of an expression of sizes. */
function extentValue(e: Expr, sizes: Sizes): number {
  if (e.kind === "const" && typeof e.value === "number") return e.value;
  if (e.kind === "var") return sizes.get(e) ?? Number.NaN;
  if (e.kind !== "binary") return Number.NaN;
  const [a, b] = [extentValue(e.a, sizes), extentValue(e.b, sizes)];
  const by: Partial<Record<typeof e.op, number>> = {
    "+": a + b,
    "-": a - b,
    "*": a * b,
    floorDiv: Math.floor(a / b),
    "%": a % b,
    min: Math.min(a, b),
    max: Math.max(a, b),
  };
  return by[e.op] ?? Number.NaN;
}

const lengthOf = (b: Buffer, sizes: Sizes): number => b.shape.reduce((n, e) => n * extentValue(e, sizes), 1);

/** A value that no program means: what it reads of a buffer before it writes it shows. */
const unwritten = (dtype: DType): number =>
  dtype === "bool" ? 1 : dtype.startsWith("i") ? -0x5a : dtype.startsWith("u") ? 0xa5 : Number.NaN;

function runCompiled(
  { run, text }: Compiled,
  params: readonly FlatArray[],
  sizes: readonly [object, number][],
  options: InterpretOptions,
): void {
  const known = new Map(sizes);
  const own = text.buffers.slice(params.length).map((b) => new (arrayFor(b.dtype))(lengthOf(b, known)).fill(unwritten(b.dtype)));
  run(
    [...params, ...own],
    sizes.map(([, n]) => n),
    options,
  );
}

/**
 * Runs the program in order: loops one after the other whatever their kind, each operation rounded to its type, effects skipped. `arrays` holds a flat array for
 * each parameter, which it changes in place. W5513 for an index outside its buffer, W5518.
 */
export function interpret(p: Program, given: Readonly<Record<string, FlatArray>>, options: InterpretOptions = {}): void {
  const refuse = (what: string): never =>
    fail(
      "W5518",
      { name: p.name, what, instead: "give a flat array for each parameter, and a number for each size" },
      p.span ? [p.span] : [],
    );
  const sizes = p.sizes.map((v): [object, number] => {
    const n = options.sizes?.[v.name];
    return n !== undefined && Number.isInteger(n) && n > 0
      ? [v, n]
      : refuse(`has the size ${v.name}, and ${n === undefined ? "none is given for it" : `${n} is given for it`}`);
  });
  const known = new Map(sizes);
  const params = p.params.map((b) => {
    const array = given[b.name];
    const wanted = arrayFor(b.dtype);
    if (!(array instanceof wanted))
      return refuse(`takes ${b.name} as a ${wanted.name}, and ${array === undefined ? "nothing" : "something else"} is given`);
    const length = lengthOf(b, known);
    return array.length === length ? array : refuse(`takes ${length} elements as ${b.name}, and ${array.length} are given`);
  });
  runCompiled(compile(p), params, sizes, options);
}
