/** A kernel with its arguments, as code and what its manifest says. */

import { display, isClass, noSpans } from "../../base/diag/index.ts";
import { isSpec } from "../../base/tensor-map.ts";
import type { Dim, Dim3 } from "../../base/types.ts";
import { dynamicExtents, type TraceParam } from "../../dsl/index.ts";
import type { KernelAt, KernelParts, KernelSource } from "../../kernel/index.ts";
import { type Arguments, type Instance, partsOf, shapeOf, sortArguments } from "../../kernel/index.ts";
import { checkLaunchShape, isDeviceTensor, normalizeDim } from "../../runtime/index.ts";
import type { Formula, KernelManifest, LaunchNumbers } from "../built/index.ts";
import { fail } from "./errors.ts";
import { agrees, gridFormula, Unknowns } from "./grid-formula.ts";
import { extentFormula, type Passed, passedOf } from "./parameters.ts";

/** What is to be built: what `kernel.at(…)` gives, and what functions of `warpsmith/kernels` prepare. */
export interface BuildEntry extends Omit<KernelAt, "open"> {
  /** Which of its numbers are each launch's: all of them, as for `kernel.at(…)`, or these. The others are the build's. Default: none. */
  readonly open?: boolean | readonly string[] | undefined;
  /**
   * Its shapes are those given, also where the kernel would read them at run time: whoever prepared it may have relied on them. Default: true, but for
   * `kernel.at(…)`.
   */
  readonly settled?: boolean | undefined;
  /** Blocks, where the kernel's options do not say them. */
  readonly grid?: Dim | undefined;
  /** Launches that have to come before: W7723 where there are any. */
  readonly before?: readonly FurtherLaunch[] | undefined;
  /** Launches that have to come after: W7723 where there are any. */
  readonly after?: readonly FurtherLaunch[] | undefined;
}

/** A launch beside that of the kernel, as functions of `warpsmith/kernels` describe it. */
interface FurtherLaunch {
  readonly kernel: { readonly name: string };
  /** What it is there for, as a sentence. */
  readonly why: string;
  /** How to do without it. */
  readonly without: string;
}

/** A kernel, compiled. */
export interface Described {
  readonly ptx: string;
  /** All but its files. */
  readonly manifest: Omit<KernelManifest, "ptx" | "cubin">;
  /** Its options give a grid that no launcher can compute. */
  readonly gridIsOpen: boolean;
}

/** W7046. */
function checkEntry({ open, settled, before, after }: BuildEntry): void {
  const refuse = (option: string, given: unknown, expected: string): never =>
    fail("W7046", { of: "build()", option, given: display(given), expected });
  const isNames = Array.isArray(open) && open.every((name) => typeof name === "string");
  if (open !== undefined && typeof open !== "boolean" && !isNames) refuse("open", open, "true, false or a list of names");
  if (settled !== undefined && typeof settled !== "boolean") refuse("settled", settled, "true or false");
  for (const [option, given] of Object.entries({ before, after }))
    if (given !== undefined && !(Array.isArray(given) && given.every(isLaunch)))
      refuse(option, given, "a list of launches, as functions of warpsmith/kernels give it");
}

const isLaunch = (given: unknown): boolean =>
  typeof given === "object" && given !== null && ["kernel", "why", "without"].every((name) => name in given);

/** W7721, W7723. */
function partsFor(name: string, { kernel, before = [], after = [] }: BuildEntry): KernelParts {
  const parts = partsOf(kernel);
  const [further] = [...before, ...after];
  if (further) {
    const kernels = [...before, { kernel }, ...after].map((one) => one.kernel.name);
    fail("W7723", { name, kernels, why: further.why, without: further.without });
  }
  if (!parts)
    return fail("W7721", {
      ...{ name, kernel: kernel.name, why: "chooses its configuration by measuring at its first launch" },
      way: "choose one, and build the kernel that is made with it",
    });
  if (parts.source.options.debug)
    fail("W7721", {
      ...{ name, kernel: kernel.name, why: "is compiled with debug, whose checks need the host to say what they find" },
      way: "leave debug out of its options",
    });
  return parts;
}

/** Where a tensor begins decides what was prepared for it: only of those that begin as new memory does is that alignment alone. W7721. */
function checkBeginnings(name: string, { name: kernel }: KernelSource, { params }: Arguments): void {
  const odd = params.find((p) => p.kind === "tensor" && p.align < wholeAlignment);
  if (!odd) return;
  const why = `was prepared for where exactly '${odd.name}' begins, which no launcher checks`;
  fail("W7721", { name, kernel, why, way: `give tensors that begin at multiples of ${wholeAlignment} bytes` });
}
const wholeAlignment = 16;

/** What a kernel tells the host while it runs is refused where it is written. W7721. */
function checkSilent(name: string, { source }: KernelParts, { logs }: Instance): void {
  const [site] = logs;
  if (!site) return;
  const why =
    site.kind === "log"
      ? "has a console.log, which needs the host to print it"
      : "has an assert, which needs the host to tell it";
  fail("W7721", { name, kernel: source.name, why, way: "leave it out of the kernel that is built" }, site.spans ?? noSpans);
}

/** Tensors of a program are told apart by what they are, as tensor maps are made of them: each is made one of its own. */
function apart(source: KernelSource, args: readonly unknown[]): readonly unknown[] {
  if (!source.derived) return args;
  return args.map((arg) => (isDeviceTensor(arg) ? arg.slice() : isSpec(arg) ? { ...arg } : arg));
}

/** Of the maps that a launch makes of tensors, the parameters that they are made of. */
function originsOf(source: KernelSource, { params }: Arguments, args: readonly unknown[]): ReadonlyMap<TraceParam, string> {
  const derived = source.derived ?? [];
  const made = params.slice(params.length - derived.length);
  return new Map(
    made.flatMap((p): [TraceParam, string][] => {
      const at = p.kind === "tma" ? args.indexOf(p.tma.tensor) : -1;
      const name = source.parameters[at]?.name;
      return name === undefined ? [] : [[p, name]];
    }),
  );
}

/** The numbers that are the build's. W7729. */
function numbersOfBuild(name: string, { open = false }: BuildEntry, sorted: Arguments): ReadonlyMap<TraceParam, unknown> {
  const scalars = sorted.params.flatMap((p, i) => (p.kind === "scalar" ? [{ p, value: sorted.values[i] }] : []));
  const names = Array.isArray(open) ? (open as readonly string[]) : [];
  const unknown = names.find((one) => !scalars.some(({ p }) => p.name === one));
  if (unknown !== undefined) fail("W7729", { name, open: unknown, numbers: scalars.map(({ p }) => p.name) });
  return new Map(scalars.filter(({ p }) => open !== true && !names.includes(p.name)).map(({ p, value }) => [p, value]));
}

/** What stands for a parameter where the author's options are asked what they depend on. */
function probeOf(p: TraceParam, of: number, given: unknown, unknowns: Unknowns): unknown {
  if (p.kind === "scalar") return unknowns.number(p.name, p.type, { of });
  if (p.dynamic.length === 0) return given;
  const extents = (what: "shape" | "stride", list: readonly number[], open: readonly number[]) =>
    list.map((n, d) => (open.includes(d) ? unknowns.number(`${p.name}.${what}`, "i32", extentFormula(of, what, d)) : n));
  if (p.kind === "tma") {
    const open = dynamicExtents(p.tma.shape.length, p.dynamic);
    return Object.create(p.tma, { shape: { value: extents("shape", p.tma.shape, open.shape), enumerable: true } });
  }
  const { dtype, rank, shape, strides } = p.spec;
  const open = dynamicExtents(rank, p.dynamic);
  return { dtype, rank, shape: extents("shape", shape, open.shape), strides: extents("stride", strides, open.strides) };
}

const isAsked = (option: unknown): option is (...args: readonly unknown[]) => unknown =>
  typeof option === "function" && !isClass(option);

/** Numbers and lists of them, as an option gives them, and nothing of the tracer's. */
const isFixed = (given: unknown): boolean =>
  typeof given === "number" || (Array.isArray(given) && given.every((n) => typeof n === "number"));

interface Probing {
  readonly unknowns: Unknowns;
  readonly args: readonly unknown[];
}

/** Only the grid may depend on what a launch gives. W7722. */
function checkFixed(name: string, { options, name: of }: KernelSource, { unknowns, args }: Probing): void {
  for (const [what, option] of Object.entries({ block: options.block, cluster: options.cluster, smem: options.smem })) {
    if (!isAsked(option)) continue;
    if (!isFixed(unknowns.run(() => option(...args)))) fail("W7722", { name, what: `the ${what}`, of });
  }
}

/** The numbers that the arguments give, for a look whether formulas are right. */
function numbersOf({ params, values }: Arguments, places: readonly number[]): LaunchNumbers {
  const tensorAt = (of: number) => {
    const p = params[places.indexOf(of)];
    return p?.kind === "tma" ? p.tma : p?.kind === "tensor" ? p.spec : undefined;
  };
  return {
    shape: (of, d) => tensorAt(of)?.shape[d] ?? 0,
    stride: (of, d) => {
      const p = params[places.indexOf(of)];
      return p?.kind === "tensor" ? (p.spec.strides[d] ?? 0) : 0;
    },
    scalar: (of) => Number(values[places.indexOf(of)]),
  };
}

type Grid = readonly [Formula, Formula, Formula];

/** Undefined where a launcher cannot compute it; null where nothing says it. */
function gridOf(
  source: KernelSource,
  given: Dim | undefined,
  probing: Probing,
  sorted: Arguments,
  passed: Passed,
): Grid | undefined | null {
  if (given !== undefined) return normalizeDim(`The grid of ${source.name}`, given);
  const { grid } = source.options;
  if (grid === undefined) return null;
  const { unknowns, args } = probing;
  const answer = isAsked(grid) ? (unknowns.run(() => grid(...args)) as Dim | undefined) : grid;
  const formulas = answer === undefined ? undefined : gridFormula(answer as Dim, unknowns);
  const values = sorted.assemble(sorted.values).slice(0, args.length);
  const actual = isAsked(grid) ? (grid(...values) as Dim) : grid;
  return formulas && agrees(formulas, actual as Dim, numbersOf(sorted, passed.places)) ? formulas : undefined;
}

const isNumbers = (grid: Grid): grid is Dim3 => grid.every((extent) => typeof extent === "number");

/** Compiles what is to be built under that name. W75xx, W7721–W7723, and whatever is wrong with the kernel. */
export function describeKernel(name: string, entry: BuildEntry): Described {
  checkEntry(entry);
  const parts = partsFor(name, entry);
  const { source, instances } = parts;
  const args = apart(source, entry.args);
  const sorted = sortArguments(source, args);
  const shape = shapeOf(source, args);
  const numbers = numbersOfBuild(name, entry, sorted);
  const prepared = entry.open !== true;
  const { settled = prepared } = entry;
  if (prepared) checkBeginnings(name, source, sorted);
  const passed = passedOf(sorted.params, { origins: originsOf(source, sorted, args), numbers, prepared, settled });
  const unknowns = new Unknowns(shape.options);
  const bound = sorted.params.map((p, i) =>
    numbers.has(p) ? sorted.values[i] : probeOf(p, passed.places[i] ?? 0, sorted.values[i], unknowns),
  );
  const probing = { unknowns, args: sorted.assemble(bound).slice(0, args.length) };
  checkFixed(name, source, probing);
  const instance = instances.get(sorted, shape.options);
  checkSilent(name, parts, instance);
  const grid = gridOf(source, entry.grid, probing, sorted, passed);
  const { entry: entryName, block, cluster, sharedBytes, cooperative, waitsForPrevious, ptx } = instance;
  const { nonPortableCluster = false } = source.options;
  const checked: Dim3 = grid && isNumbers(grid) ? [...grid] : cluster;
  checkLaunchShape({ grid: checked, block, cluster, nonPortableCluster, sharedBytes }, shape.options.target);
  return {
    ptx,
    gridIsOpen: grid === undefined,
    manifest: {
      ...{ entry: entryName, parameters: passed.parameters, slots: passed.slots, grid: grid ?? null },
      ...{ block, cluster, sharedBytes, nonPortableCluster, cooperative, waitsForPrevious },
    },
  };
}
