/** What the launchers of a kernel are given, and where each parameter of its entry comes from. */

import { alignmentOf, type MappedTensor, mapBytes } from "../../base/tensor-map.ts";
import { dynamicExtents, type TraceParam } from "../../dsl/index.ts";
import { addressOf, isDeviceTensor, type ScalarParameterType, type ScalarValue, scalarParameter } from "../../runtime/index.ts";
import type { BuiltParameter, Formula, Slot, TensorParameter } from "../built/index.ts";
import { parameterNames } from "./names.ts";

type Memory = Exclude<TraceParam, { kind: "scalar" }>;

/** A parameter of the launchers, with those of the entry's that it stands behind. */
interface Group {
  readonly root: string;
  readonly members: TraceParam[];
}

/** What a launch is given, and what the entry takes. */
export interface Passed {
  readonly parameters: readonly BuiltParameter[];
  readonly slots: readonly Slot[];
  /** Of each traced parameter, the number of the launch's. */
  readonly places: readonly number[];
}

const tensorOf = (p: Memory): MappedTensor => (p.kind === "tma" ? p.tma.tensor : p.spec);

/** The parameter of the author's that a path leads into. */
const rootOf = (path: string): string => path.split(/[.[]/, 1)[0] ?? path;

/** Whether two tensors are one place in memory, seen alike. */
function isSamePlace(a: MappedTensor, b: MappedTensor): boolean {
  if (a === b) return true;
  const alike = a.dtype === b.dtype && `${a.shape}|${a.strides}` === `${b.shape}|${b.strides}`;
  return alike && isDeviceTensor(a) && isDeviceTensor(b) && addressOf(a) === addressOf(b);
}

/** What is passed, and how. */
export interface Passing {
  /** Of parameters that a launch makes of others, the author's parameter that they are made of. */
  readonly origins: ReadonlyMap<TraceParam, string>;
  /** Numbers that are the build's, by their parameters. */
  readonly numbers: ReadonlyMap<TraceParam, unknown>;
  /** The arguments are those of a launch: tensors in one place are one parameter. */
  readonly prepared: boolean;
  /** The shapes are those given, whatever is dynamic: numbers of the build may have come of them. */
  readonly settled: boolean;
}

/** One for each place in memory that an argument of the author's has: several maps of one tensor are one parameter. */
function groupsOf(params: readonly TraceParam[], { origins, numbers, prepared }: Passing): readonly Group[] {
  const groups: Group[] = [];
  for (const p of params) {
    if (numbers.has(p)) continue;
    const root = origins.get(p) ?? rootOf(p.name);
    const same =
      p.kind === "scalar"
        ? undefined
        : groups.find(
            (group) =>
              (prepared || group.root === root) &&
              group.members.every(
                (m) => m.kind !== "scalar" && isSamePlace(tensorOf(m), tensorOf(p)) && `${m.dynamic}` === `${p.dynamic}`,
              ),
          );
    if (same) same.members.push(p);
    else groups.push({ root, members: [p] });
  }
  return groups;
}

/** The author's name: of maps alone that lie within one argument, and have one tensor, that argument's. */
function nameOf(group: Group, groups: readonly Group[]): string {
  const [first] = group.members;
  const alone = groups.filter(({ root }) => root === group.root).length === 1;
  return alone && group.members.every((m) => m.kind === "tma" || m.name === group.root)
    ? group.root
    : (first?.name ?? group.root);
}

const open = (list: readonly number[], dynamic: readonly number[]): (number | null)[] =>
  list.map((n, d) => (dynamic.includes(d) ? null : n));

function tensorParameter(name: string, members: readonly Memory[], settled: boolean): TensorParameter {
  const [first] = members;
  if (!first) throw new Error(`no member of ${name}`);
  const { dtype, shape, strides } = tensorOf(first);
  const { shape: openShape, strides: openStrides } = dynamicExtents(shape.length, first.dynamic);
  // A map with extents of the launch takes the strides of the tensor; the innermost one is 1.
  const mapped = first.dynamic.length > 0 && members.every((m) => m.kind === "tma");
  const free = mapped ? shape.slice(0, -1).map((_, d) => d) : openStrides;
  const alignments = members.map((m) => (m.kind === "tma" ? alignmentOf(m.tma.map.interleave) : m.align));
  return {
    ...{ kind: "tensor", name, dtype },
    shape: open(shape, settled ? [] : openShape),
    strides: open(strides, settled ? [] : free),
    alignment: Math.max(...alignments),
  };
}

function slotsOf(p: TraceParam, of: number): readonly Slot[] {
  if (p.kind === "scalar") return [{ kind: "scalar", bytes: scalarParameter(p.type)?.bytes ?? 0, of }];
  const extent =
    (kind: "shape" | "stride") =>
    (dimension: number): Slot => ({ kind, bytes: 4, of, dimension });
  const rank = tensorOf(p).shape.length;
  const { shape, strides } = dynamicExtents(rank, p.dynamic);
  if (p.kind === "tensor")
    return [{ kind: "address", bytes: 8, of }, ...shape.map(extent("shape")), ...strides.map(extent("stride"))];
  const map: Slot = { kind: "map", bytes: mapBytes, of, resized: p.dynamic.length > 0, map: p.tma.map };
  return [map, ...shape.map(extent("shape"))];
}

/** The bytes of a number that is the build's. */
function constantSlot(type: string, value: unknown): Slot {
  const how = scalarParameter(type);
  const bytes = how?.bytes ?? 0;
  const room = new Uint8Array(bytes);
  how?.write(new DataView(room.buffer), value as ScalarValue);
  return { kind: "constant", bytes, value: Buffer.from(room).toString("hex") };
}

/** What the launchers take for what the kernel takes. */
export function passedOf(params: readonly TraceParam[], passing: Passing): Passed {
  const groups = groupsOf(params, passing);
  const names = parameterNames(groups.map((group) => nameOf(group, groups)));
  const parameters = groups.map(({ members }, i): BuiltParameter => {
    const name = names[i] ?? "";
    const [first] = members;
    if (first?.kind === "scalar") return { kind: "scalar", name, type: first.type as ScalarParameterType };
    return tensorParameter(name, members as Memory[], passing.settled);
  });
  const places = params.map((p) => groups.findIndex(({ members }) => members.includes(p)));
  const slots = params.flatMap((p, i) =>
    p.kind === "scalar" && passing.numbers.has(p) ? [constantSlot(p.type, passing.numbers.get(p))] : slotsOf(p, places[i] ?? 0),
  );
  return { parameters, slots, places };
}

/** The number of a launch that an extent is. */
export const extentFormula = (of: number, what: "shape" | "stride", dimension: number): Formula =>
  what === "shape" ? { of, shape: dimension } : { of, stride: dimension };
