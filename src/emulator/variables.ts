/** Where the variables and parameters of a kernel lie. */
import type { PtxFunction, PtxTree, Variable } from "../ptx/parse/tree.ts";
import { Unsupported } from "./codegen/unsupported.ts";
import { type GlobalMemory, sharedOrigin } from "./memory.ts";
import type { Parameter } from "./program.ts";

export interface Variables {
  /** Address in its own space, as an expression. */
  address(variable: Variable): string;
  readonly parameters: readonly Parameter[];
  readonly parameterBytes: number;
  readonly localBytes: number;
  readonly staticSharedBytes: number;
  readonly dynamicSharedOffset: number;
}

const roundUp = (x: number, to: number): number => Math.ceil(x / to) * to;

/** Lays variables out one after the other. */
class Layout {
  readonly places = new Map<Variable, number>();
  end = 0;

  add(variable: Variable): number {
    const at = roundUp(this.end, variable.align);
    this.places.set(variable, at);
    this.end = at + variable.size;
    return at;
  }
}

/** Global and constant variables get memory with their first values. */
function placeGlobal(variable: Variable, global: GlobalMemory): number {
  const region = global.allocate(variable.size);
  const size = variable.size / Math.max(1, elements(variable));
  const view = new DataView(region.bytes.buffer);
  variable.initial?.forEach((value, i) => {
    if (value.kind === "address") throw new Unsupported(`the address of ${value.name} as a first value`);
    const bits = value.kind === "int" ? value.value : value.bits;
    const all = BigInt.asUintN(64, bits);
    for (let b = 0; b < size; b++) view.setUint8(i * size + b, Number((all >> BigInt(8 * b)) & 255n));
  });
  return region.base;
}
const elements = (variable: Variable): number => variable.dims.reduce((n, extent) => n * extent, variable.vector);

export function placeVariables(tree: PtxTree, kernel: PtxFunction, global: GlobalMemory): Variables {
  const all = [...tree.variables, ...(kernel.body?.variables ?? [])];
  const [shared, local, params] = [new Layout(), new Layout(), new Layout()];
  const globals = new Map<Variable, number>();
  const dynamic = all.filter((v) => v.space === "shared" && v.size === 0);
  for (const v of all) {
    if (v.space === "shared" && v.size > 0) shared.add(v);
    else if (v.space === "local") local.add(v);
    else if (v.space === "global" || v.space === "const") globals.set(v, placeGlobal(v, global));
  }
  const staticSharedBytes = shared.end;
  const dynamicSharedOffset = roundUp(staticSharedBytes, Math.max(16, ...dynamic.map((v) => v.align)));
  for (const v of dynamic) shared.places.set(v, dynamicSharedOffset);
  const parameters = kernel.params.map((p) => ({ offset: params.add(p), bytes: p.size }));
  return {
    address(v) {
      const [s, l, p, g] = [shared.places.get(v), local.places.get(v), params.places.get(v), globals.get(v)];
      if (s !== undefined) return `(${sharedOrigin + s}+(B.rank<<24))`;
      if (p !== undefined) return `(B.launch.params.base+${p})`;
      const constant = l ?? g;
      if (constant === undefined) throw new Unsupported(`the variable ${v.name}`);
      return `${constant}`;
    },
    parameters,
    parameterBytes: params.end,
    localBytes: roundUp(local.end, 16),
    staticSharedBytes,
    dynamicSharedOffset,
  };
}
