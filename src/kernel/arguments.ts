import { display } from "../base/diag/index.ts";
import { checkSpec, isSpec } from "../base/tensor-map.ts";
import type { TensorSpec } from "../base/types.ts";
import { dynamicExtents, dynamicKey, type KeyedObjects, TMA, type TraceParam } from "../dsl/index.ts";
import { addressOf, checkScalar, isDeviceTensor } from "../runtime/index.ts";
import { fail } from "./errors.ts";
import { type KernelSource, type Parameter, refuseDynamic } from "./source.ts";
import { StaticArguments } from "./static-arguments.ts";

/** The arguments of one call, sorted into what is compiled in and what is passed at launch. */
export interface Arguments {
  /** Equal for calls that share a compiled kernel, apart from what the options make of them. */
  readonly key: string;
  /** The key means the same in another process. */
  readonly lasting: boolean;
  /** What the key has of the objects among them. */
  readonly objects: KeyedObjects;
  /** In the order of the launch. */
  readonly params: readonly TraceParam[];
  /** What the host passes for each of `params`: a tensor, a tensor map, a number. */
  readonly values: readonly unknown[];
  /** The arguments of the kernel's body, given what stands for each parameter. */
  readonly assemble: (bound: readonly unknown[]) => readonly unknown[];
}

const isTensor = (x: unknown): x is TensorSpec => isSpec(x) && "rank" in x;

/** Refuses a specification whose fields do not agree: those of a tensor in memory do. W7002, W7045. */
function checkWritten(spec: TensorSpec): void {
  if (isDeviceTensor(spec)) return;
  checkSpec(spec);
  const { rank, shape } = spec;
  if (rank !== shape.length)
    fail("W7045", { field: "rank", given: display(rank), expected: `${shape.length}, as its shape says` });
}

/** A place in the argument list that a launch parameter fills. */
class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** What is passed at launch, as it is found. */
interface Launched {
  readonly source: KernelSource;
  readonly params: TraceParam[];
  readonly values: unknown[];
}

interface Sorting extends Launched {
  readonly statics: StaticArguments;
}

/** What the widest access needs (a matrix of a warp), and what memory that begins anywhere (a spec) is taken to have. */
const widest = 32;

/** Bytes that divide the address of the first element, as far as any access cares: a view may begin anywhere. */
export function alignment(tensor: TensorSpec): number {
  if (!isDeviceTensor(tensor)) return widest;
  const low = Number(addressOf(tensor) % BigInt(widest));
  return low === 0 ? widest : low & -low;
}

/** The dimensions that the option names of that argument, of that many. W7513. */
function dynamicOf({ source }: Launched, name: string, rank: number): readonly number[] {
  const dynamic = source.options.dynamic?.[name] ?? [];
  for (const dimension of dynamic) {
    if (!(Number.isInteger(dimension) && dimension >= 0 && dimension < rank))
      fail("W7513", { kernel: source.name, name, dimension, rank });
  }
  return dynamic;
}

function addTensor(s: Launched, name: string, spec: TensorSpec): { key: string; value: Slot } {
  const dynamic = dynamicOf(s, name, spec.rank);
  const { shape, strides } = dynamicExtents(spec.rank, dynamic);
  const align = alignment(spec);
  const index = s.params.push({ kind: "tensor", name, spec, dynamic, align }) - 1;
  s.values.push(spec);
  const fixed = (all: readonly number[], staged: readonly number[]): string =>
    all.map((n, i) => (staged.includes(i) ? "?" : n)).join(",");
  return { key: `T${spec.dtype}@${align}[${fixed(spec.shape, shape)}|${fixed(spec.strides, strides)}]`, value: new Slot(index) };
}

function addMap(s: Launched, name: string, tma: TMA): { key: string; value: Slot } {
  const dynamic = dynamicOf(s, name, tma.shape.length);
  const index = s.params.push({ kind: "tma", name, tma, dynamic }) - 1;
  s.values.push(tma);
  return { key: `M${dynamic.length > 0 ? dynamicKey(tma, dynamic) : tma.key}`, value: new Slot(index) };
}

function addStatic(s: Launched, path: string, spec: TensorSpec): { key: string; value: Slot } {
  checkWritten(spec);
  return addTensor(s, path, spec);
}

const replaceIn = (s: Launched, value: object, path: string): { key: string; value: Slot } | undefined =>
  value instanceof TMA ? addMap(s, path, value) : isTensor(value) ? addStatic(s, path, value) : undefined;

function checkKind(
  s: Sorting,
  p: { readonly name: string; readonly dtype?: string; readonly rank?: number },
  what: string,
  given: { readonly dtype: string; readonly rank: number },
): void {
  const { name } = p;
  const kernel = s.source.name;
  if (p.dtype !== undefined && p.dtype !== given.dtype)
    fail("W7504", { kernel, name, what, expected: p.dtype, given: given.dtype });
  if (p.rank !== undefined && p.rank !== given.rank)
    fail("W7504", { kernel, name, what, expected: `rank ${p.rank}`, given: `rank ${given.rank}` });
}

/** An argument in the key and in the body. */
interface Sorted {
  readonly key: string;
  readonly value: unknown;
}

function sortOne(s: Sorting, p: Parameter, argument: unknown): Sorted {
  const { name } = p;
  const kernel = s.source.name;
  switch (p.kind) {
    case "tensor":
      if (argument instanceof TMA)
        return fail("W7503", { kernel, name, what: "a tensor", value: "a tensor map of one", isMap: true });
      if (!isTensor(argument)) return fail("W7503", { kernel, name, what: "a tensor", value: display(argument) });
      checkWritten(argument);
      checkKind(s, p, "a tensor", argument);
      return addTensor(s, name, argument);
    case "tma":
      if (!(argument instanceof TMA))
        return fail("W7503", { kernel, name, what: "a tensor map (new TMA(tensor, { box }))", value: display(argument) });
      checkKind(s, p, "a tensor map", { dtype: argument.dtype, rank: argument.shape.length });
      return addMap(s, name, argument);
    case "scalar": {
      checkScalar(kernel, name, p.type, argument);
      const index = s.params.push({ kind: "scalar", name, type: p.type }) - 1;
      s.values.push(argument);
      return { key: "", value: new Slot(index) };
    }
    case "static":
      return s.statics.add(argument, name);
    default:
      return p satisfies never;
  }
}

/** Whether that dynamic tensor is one that is met before by another path, and has the same dimensions there. */
function isAlias({ source, statics }: Sorting, dynamic: string, name: string): boolean {
  const dimensions = source.options.dynamic ?? {};
  return statics.firstPath(dynamic) === name && String(dimensions[dynamic]) === String(dimensions[name]);
}

/** Gives arguments with the default values of numbers that are left out: at the end, or as undefined. The very same list where none is. */
export function completing({ parameters }: KernelSource): (args: readonly unknown[]) => readonly unknown[] {
  const defaults = parameters.flatMap((p, at) => (p.kind === "scalar" && p.default ? [{ at, value: p.default }] : []));
  if (defaults.length === 0) return (args) => args;
  return (args) => {
    const all = [...args];
    for (const { at, value } of defaults) if (at <= all.length && all[at] === undefined) all[at] = value(...all.slice(0, at));
    return all;
  };
}

/** Checks every argument and sorts them. W7501–W7504, W7512, W7513. */
export function sortArguments(source: KernelSource, args: readonly unknown[]): Arguments {
  const { name, parameters } = source;
  // A static parameter with a default may be left out: the default is filled in while the body is traced.
  const optional = (p: Parameter, i: number): boolean => p.kind === "static" && (p.optional === true || i >= source.body.length);
  const complete =
    args.length <= parameters.length && parameters.slice(args.length).every((p, i) => optional(p, i + args.length));
  if (!complete) fail("W7502", { kernel: name, expected: parameters.length, given: args.length });
  const launched: Launched = { source, params: [], values: [] };
  const statics = new StaticArguments((value, path) => replaceIn(launched, value, path));
  const sorting: Sorting = { ...launched, statics };
  const given = parameters.map((p, i) => sortOne(sorting, p, args[i]));
  const tensors = sorting.params.filter((p) => p.kind !== "scalar");
  for (const dynamic in source.options.dynamic)
    if (!tensors.some((p) => p.name === dynamic || isAlias(sorting, dynamic, p.name))) refuseDynamic(name, dynamic, tensors);
  const derived = (source.derived ?? []).map((map) => addMap(sorting, map.name, map.make(args)));
  const sorted: Sorted[] = [...given, ...derived];
  return {
    key: sorted.map((a) => a.key).join(";"),
    lasting: statics.lasting,
    objects: statics.objects,
    params: sorting.params,
    values: sorting.values,
    assemble: (bound) => {
      const slotted = (x: unknown): unknown => (x instanceof Slot ? bound[x.index] : x);
      const bind = statics.binder(slotted);
      return sorted.map((a) => bind(slotted(a.value)));
    },
  };
}
