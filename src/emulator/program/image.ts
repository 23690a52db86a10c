/** A PTX module in the memory of a device: what all of its kernels share, and all of their launches. */
import { dataType, type InitialValue, type PtxFunction, type PtxTree, parsePtx, type Variable } from "../../ptx/parse/index.ts";
import { codeOrigin, type GlobalMemory, type Region } from "../machine/memory.ts";
import { Unsupported } from "./codegen/unsupported.ts";

/** Between the addresses of two functions. */
const functionBytes = 16;

export interface Image {
  readonly ptx: string;
  readonly tree: PtxTree;
  /** Whether another compiler made it: reports then speak of PTX, and of places in its file. */
  readonly foreign: boolean;
  /** Addresses of its variables of the spaces global and const, in the order in which they were given memory. */
  readonly variables: readonly number[];
  /** A function by its name or one of its aliases, a mere declaration too. */
  functionNamed(name: string): PtxFunction | undefined;
  /** What a pointer to it holds: the same for all kernels of the module. */
  addressOf(fn: PtxFunction): number;
  /** Address of a variable of the spaces global and const. */
  globalAddress(variable: Variable): number;
}

/** A variable of the spaces global and const that the module defines. */
export const variableNamed = ({ tree }: Image, name: string): Variable | undefined =>
  tree.variables.find((v) => v.name === name && isGlobal(v) && v.linkage !== "extern");

/** Reads a module and gives its variables memory with their first values. What the reader finds. */
export function loadImage(ptx: string, name: string, memory: Pick<GlobalMemory, "allocate">, foreign = false): Image {
  const tree = parsePtx(ptx, name);
  const functions = new Map(tree.functions.map((f) => [f.name, f]));
  const addresses = new Map(tree.functions.map((f, i) => [f, codeOrigin + functionBytes * (i + 1)]));
  for (const item of tree.items) {
    const target = item.kind === "alias" ? functions.get(item.target) : undefined;
    if (item.kind === "alias" && target) functions.set(item.name, target);
  }
  const variables: number[] = [];
  const allocate = (bytes: number): Region => {
    const region = memory.allocate(bytes);
    variables.push(region.base);
    return region;
  };
  const image: Omit<Image, "globalAddress"> = {
    ptx,
    tree,
    foreign,
    variables,
    functionNamed: (wanted) => functions.get(wanted),
    addressOf: (fn) => addresses.get(fn) ?? 0,
  };
  return { ...image, globalAddress: placeGlobals(image, { allocate }) };
}

const isGlobal = (v: Variable): boolean => v.space === "global" || v.space === "const";

/** Names of the module: a definition hides the declarations of the same variable. */
function variablesByName(tree: PtxTree): ReadonlyMap<string, Variable> {
  const found = new Map<string, Variable>();
  for (const v of tree.variables) if (v.linkage !== "extern" || !found.has(v.name)) found.set(v.name, v);
  return found;
}

function placeGlobals(image: Omit<Image, "globalAddress">, memory: Pick<GlobalMemory, "allocate">): Image["globalAddress"] {
  const { tree } = image;
  const byName = variablesByName(tree);
  const inFunctions = tree.functions.flatMap((f) => f.body?.variables ?? []);
  const regions = new Map<Variable, Region>();
  for (const v of [...byName.values(), ...inFunctions])
    if (isGlobal(v) && v.linkage !== "extern") regions.set(v, memory.allocate(v.size));
  const baseOf = (v: Variable): number | undefined => (regions.get(v) ?? regions.get(byName.get(v.name) ?? v))?.base;
  const addressNamed = (name: string): number | undefined => {
    const variable = byName.get(name);
    if (variable) return baseOf(variable);
    const fn = image.functionNamed(name);
    return fn && image.addressOf(fn);
  };
  /** What could not be given its first values; told when a kernel uses it. */
  const broken = new Map<Variable, string>();
  for (const [v, region] of regions) {
    const missing = fill(v, region, addressNamed);
    if (missing !== undefined) broken.set(v, missing);
  }
  return (v) => {
    const base = baseOf(v);
    const missing = broken.get(v);
    if (base === undefined) throw new Unsupported(`the variable ${v.name}, which the module does not define`);
    if (missing !== undefined) throw new Unsupported(`the address of ${missing} as the first value of ${v.name}`);
    return base;
  };
}

const elements = (v: Variable): number => v.dims.reduce((n, extent) => n * extent, v.vector);

/** `0xFF00(x)` is the second byte of an address (PTX ISA 5.4.4). */
function masked(address: bigint, mask: bigint | undefined): bigint {
  if (mask === undefined || mask === 0n) return address;
  let shift = 0n;
  while (((mask >> shift) & 1n) === 0n) shift += 1n;
  return (address & mask) >> shift;
}

/** A float constant for an element of the other width (PTX ISA 4.5.2). */
function converted(value: number, type: string): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "f32") view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return view.getBigUint64(0, true);
}

/** Gives the name whose address is not known. */
function fill(v: Variable, region: Region, addressNamed: (name: string) => number | undefined): string | undefined {
  const size = v.size / Math.max(1, elements(v));
  const bitsOf = (value: InitialValue): bigint | undefined => {
    if (value.kind === "int") return value.value;
    if (value.kind === "float")
      return v.type === value.type || dataType(v.type).kind === "bits" ? value.bits : converted(value.value, v.type);
    const address = addressNamed(value.name);
    return address === undefined ? undefined : masked(BigInt(address + value.offset), value.mask);
  };
  let missing: string | undefined;
  v.initial?.forEach((value, i) => {
    const bits = bitsOf(value);
    if (bits === undefined) missing = value.kind === "address" ? value.name : missing;
    else for (let b = 0; b < size; b++) region.bytes[i * size + b] = Number((BigInt.asUintN(64, bits) >> BigInt(8 * b)) & 255n);
  });
  return missing;
}
