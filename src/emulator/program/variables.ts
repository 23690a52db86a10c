/** Where the variables and parameters of a kernel and of the functions that it calls lie. */
import type { Operand, PtxFunction, Variable } from "../../ptx/parse/index.ts";
import { sharedOrigin } from "../machine/memory.ts";
import { Unsupported } from "./codegen/unsupported.ts";
import type { Symbols } from "./codegen/writer.ts";
import type { Image } from "./image.ts";

export interface Parameter {
  readonly offset: number;
  readonly bytes: number;
}

export interface Variables {
  readonly parameters: readonly Parameter[];
  readonly parameterBytes: number;
  /** As the driver counts it: what is dynamic is counted from there. */
  readonly staticSharedBytes: number;
  /** Where the first extern variable of the kernel lies. */
  readonly dynamicSharedOffset: number;
  /** Of the kernel and of each function that it may call. */
  frame(fn: PtxFunction): StackFrame;
}

/** What one activation of a function has on the stack of its thread. */
export interface StackFrame {
  readonly bytes: number;
  /** Of its beginning. */
  readonly align: number;
  /** From the beginning of the frame; parameters, results and variables of the spaces local and param. */
  readonly places: ReadonlyMap<Variable, number>;
  readonly symbols: Symbols;
}

const roundUp = (x: number, to: number): number => Math.ceil(x / to) * to;

/** Lays variables out one after the other. */
class Layout {
  readonly places = new Map<Variable, number>();
  end: number;

  constructor(begin = 0) {
    this.end = begin;
  }

  /** `align`: at least. */
  add(variable: Variable, align = 1): number {
    const at = roundUp(this.end, Math.max(align, variable.align));
    this.places.set(variable, at);
    this.end = at + variable.size;
    return at;
  }
}

/** At least: of extern shared variables. */
const dynamicAlignment = 16;
/** Frames begin at multiples of it, at least. */
const frameAlignment = 16;

/** `functions`: the kernel, then all that it may call. */
export function placeVariables(image: Image, functions: readonly PtxFunction[]): Variables {
  const [kernel] = functions;
  const params = new Layout();
  const { places, staticSharedBytes, dynamicSharedOffset } = layOutShared(image, functions);
  const parameters = (kernel?.params ?? []).map((p) => ({ offset: params.add(p), bytes: p.size }));
  const common = (v: Variable): string | undefined => {
    const [s, p] = [places.get(v), params.places.get(v)];
    if (s !== undefined) return `(${sharedOrigin + s}+(B.rank<<24))`;
    if (p !== undefined) return `(B.launch.params.base+${p})`;
    return v.space === "global" || v.space === "const" ? `${image.globalAddress(v)}` : undefined;
  };
  const functionAddress = (name: string): number => {
    const fn = image.functionNamed(name);
    if (!fn || fn.entry) throw new Unsupported(`the address of ${name}`);
    return image.addressOf(fn);
  };
  const frames = new Map(functions.map((fn) => [fn, stackFrame(fn, common, functionAddress)]));
  return {
    parameters,
    parameterBytes: params.end,
    staticSharedBytes,
    dynamicSharedOffset,
    frame: (fn) => frames.get(fn) ?? stackFrame(fn, common, functionAddress),
  };
}

interface SharedLayout extends Pick<Variables, "staticSharedBytes" | "dynamicSharedOffset"> {
  readonly places: ReadonlyMap<Variable, number>;
}

/**
 * As ptxas 13.0 does it (docs/hardware.md): the variables of the kernel, of the module, of functions; behind them the extern ones, each
 * where its own alignment lets it; all extern variables of the module count, named or not. Static memory ends at their greatest
 * alignment.
 */
function layOutShared(image: Image, functions: readonly PtxFunction[]): SharedLayout {
  const shared = new Layout();
  const used = usedVariables(functions);
  const [own = [], ...others] = functions.map((fn) => (fn.body?.variables ?? []).filter((v) => v.space === "shared"));
  const ofModule = image.tree.variables.filter((v) => v.space === "shared");
  const isStatic = (v: Variable): boolean => v.size > 0;
  const statics = [...own, ...ofModule.filter((v) => used.has(v)), ...others.flat()].filter(isStatic);
  const extern = [...own, ...ofModule, ...others.flat()].filter((v) => !isStatic(v));
  for (const v of statics) if (used.has(v)) shared.add(v);
  const externs = new Layout(shared.end);
  for (const v of extern) externs.add(v, dynamicAlignment);
  // Nothing is ever there, but it counts.
  for (const v of statics) if (!used.has(v)) shared.add(v);
  const alignment = extern.length === 0 ? 1 : Math.max(dynamicAlignment, ...extern.map((v) => v.align));
  const staticSharedBytes = roundUp(shared.end, alignment);
  const first = extern.find((v) => used.has(v));
  const dynamicSharedOffset = (first && externs.places.get(first)) ?? staticSharedBytes;
  return { places: new Map([...shared.places, ...externs.places]), staticSharedBytes, dynamicSharedOffset };
}

/** The kernel's frame is at the bottom of the stack, so that its addresses are constants. */
function stackFrame(
  fn: PtxFunction,
  common: (v: Variable) => string | undefined,
  functionAddress: Symbols["functionAddress"],
): StackFrame {
  const own = new Layout();
  const formal = fn.entry ? [] : [...fn.returns, ...fn.params];
  for (const v of [...formal, ...(fn.body?.variables ?? [])]) if (v.space === "local" || v.space === "param") own.add(v);
  const symbols: Symbols = {
    address(v) {
      const place = own.places.get(v);
      const text = place === undefined ? common(v) : fn.entry ? `${place}` : `(w.stack.base[l]+${place})`;
      if (text === undefined) throw new Unsupported(`the variable ${v.name}`);
      return text;
    },
    paramSpace(v, space) {
      if (v) return own.places.has(v) ? "local" : "global";
      return space === "param::func" || (space === "param" && !fn.entry) ? "local" : "global";
    },
    functionAddress,
  };
  const align = Math.max(frameAlignment, ...[...own.places.keys()].map((v) => v.align));
  return { bytes: roundUp(own.end, frameAlignment), align, places: own.places, symbols };
}

/** Variables that instructions name. */
function usedVariables(functions: readonly PtxFunction[]): ReadonlySet<Variable> {
  const used = new Set<Variable>();
  const visit = (o: Operand | Variable | undefined): void => {
    if (o?.kind === "variable") used.add(o);
    else if (o?.kind === "symbol") used.add(o.variable);
    else if (o?.kind === "address") visit(o.base);
    else if (o?.kind === "tensor") for (const part of [o.map, ...o.coords]) visit(part);
    else if (o?.kind === "vector" || o?.kind === "list") for (const item of o.items) visit(item);
  };
  for (const fn of functions) for (const i of fn.body?.instructions ?? []) for (const o of i.operands) visit(o);
  return used;
}
