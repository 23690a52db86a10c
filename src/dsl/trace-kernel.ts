import { authorsCall, type Remark, type Span, withinStack } from "../base/diag/index.ts";
import type { TensorSpec } from "../base/types.ts";
import { type Graph, type GraphParam, logName, type ProgramOptions, type ScalarType, type Value } from "../ir/index.ts";
import { loopRemarks } from "./control/loop-remarks.ts";
import { fail } from "./errors/index.ts";
import { bindTensor } from "./memory/index.ts";
import { nothingWritten } from "./nothing-written.ts";
import { finishOpenTypes } from "./numbers/finish.ts";
import { fieldText } from "./objects/fields.ts";
import { leftOutside, noteReads, type OuterInput } from "./objects/outer-reads.ts";
import { checkMarks } from "./profile/index.ts";
import { barrierRemarks } from "./sync/index.ts";
import { bindTMA, type TMA } from "./tma/index.ts";
import { inAuthorsCode } from "./trace/authors-stack.ts";
import { scalar } from "./trace/scalar.ts";
import { Trace, withTrace } from "./trace/trace.ts";

/** A parameter of the launch, in order. What is static is not among them. */
export type TraceParam =
  | {
      readonly kind: "tensor";
      readonly name: string;
      readonly spec: TensorSpec;
      /** Dimensions that are staged. */
      readonly dynamic: readonly number[];
      /** Bytes that divide the address of its first element: a power of two, at most 32. */
      readonly align: number;
    }
  | {
      readonly kind: "tma";
      readonly name: string;
      readonly tma: TMA;
      /** Dimensions whose extents are staged. */
      readonly dynamic: readonly number[];
    }
  | { readonly kind: "scalar"; readonly name: string; readonly type: ScalarType };

/** Everything tracing needs of a kernel and its arguments. */
export interface TraceInput {
  readonly name: string;
  readonly body: (...args: never[]) => unknown;
  /** Where the kernel's function stands. */
  readonly span: Span | undefined;
  readonly params: readonly TraceParam[];
  /** The arguments of the body, given what stands for each parameter. */
  readonly assemble: (bound: readonly unknown[]) => readonly unknown[];
  readonly options: ProgramOptions;
  /** Where it is noted what the body reads of objects that are there before it; left out where nobody asks. */
  readonly outer?: OuterInput;
}

/** The staged extents of a tensor: which of its shape and strides the host passes at launch, in this order, all shapes first. */
export function dynamicExtents(
  rank: number,
  dynamic: readonly number[],
): { readonly shape: readonly number[]; readonly strides: readonly number[] } {
  const shape = dynamic.toSorted((a, b) => a - b);
  const innermost = shape.at(-1);
  const strides = innermost === undefined ? [] : Array.from({ length: rank }, (_, i) => i).filter((i) => i < innermost);
  return { shape, strides };
}

/** Runs the body once with staged arguments and gives the op graph it recorded. `onRemark` gets what tracing did that costs something. */
export function traceKernel(input: TraceInput, onRemark?: (remark: Remark) => void): Graph {
  const { name, options } = input;
  const trace = new Trace({ ...options, name });
  const params: GraphParam[] = [];
  const param = (kind: GraphParam["kind"], paramName: string, value: Value): Value => {
    params.push({ name: paramName, kind, value });
    trace.region.params.push(value);
    return value;
  };

  const record = (): void => {
    if (input.outer) noteReads(trace, input.outer);
    const bound = input.params.map((p) => bindParam(trace, p, param));
    trace.at(input.span && { ...input.span, note: "in the kernel at" }, () => {
      const result = runBody(() => Reflect.apply(input.body, undefined, [...input.assemble(bound)]));
      if (result !== undefined) fail("W2002", { name }, trace.spans());
      trace.emit("exit", {}, {});
      checkMarks(trace);
      refuseLeftOutside(trace);
      if (onRemark) [...barrierRemarks(trace), ...loopRemarks(trace), ...nothingWritten(trace, name)].forEach(onRemark);
    });
    finishOpenTypes(trace);
  };
  const tooDeep = (): never => fail("W2055", { kernel: name }, trace.latest ? [trace.latest] : []);
  withinStack(() => withTrace(trace, record), tooDeep);
  if (trace.logs.length > 0) param("log", logName, trace.value("ptr.global", "log"));
  const { region: body, shared, logs, checks } = trace;
  return { ...options, name: entryName(name), params, body, shared, logs, ...(checks.length > 0 ? { checks } : {}) };
}

/** Refuses a value of the GPU in an object of the program: JavaScript would find no number there. */
function refuseLeftOutside(trace: Trace): void {
  const left = leftOutside(trace);
  if (!left) return;
  const what = left.key === undefined ? "An entry of a collection" : `${fieldText(left.object, left.key)} of an object`;
  fail("W2085", { what: Array.isArray(left.object) ? "An element of an array" : what }, left.spans);
}

/** Names of the package that are types and values, so that an editor may import them as types. */
const typesAndValues =
  /^([iuf](8|16|32|64)|bf16|tf32|e4m3|e5m2|bool|TMA|Tensor|Mbarriers|Pipeline|TileScheduler|WGMMAMatrix|WMMAMatrix|SharedView)$/;

/** What CUDA C++ calls otherwise: docs/cuda.md has all of it. */
const ofCuda: Readonly<Record<string, string>> = {
  ...{ __syncthreads: "syncThreads()", __syncwarp: "syncWarp()", __threadfence: "fence.acqRel()", printf: "console.log(…)" },
  ...{
    __shfl_sync: "warp.shuffle(v, lane)",
    __ballot_sync: "warp.ballot(p)",
    __any_sync: "warp.any(p)",
    __all_sync: "warp.all(p)",
  },
  ...{ __ldg: 'x.at(i).load({ cache: "nc" })', __expf: "fast.exp(x)", __logf: "fast.log(x)", rsqrtf: "1 / Math.sqrt(x)" },
  ...{
    atomicAdd: 'x.at(i).atomic("add", v)',
    atomicMax: 'x.at(i).atomic("max", v)',
    atomicCAS: "x.at(i).compareAndSwap(old, v)",
  },
  ...{
    expf: "Math.exp(x)",
    logf: "Math.log(x)",
    sqrtf: "Math.sqrt(x)",
    fmaxf: "Math.max(a, b)",
    fminf: "Math.min(a, b)",
    fmaf: "fma(a, b, c)",
  },
};

/** W2077 where JavaScript has not found a name that `import { type f32 }` leaves out, W2083 where it is one of CUDA's; every other error passes. */
function refuseTypeOnly(error: unknown): void {
  if (!(error instanceof ReferenceError)) return;
  const name = /^(\w+) is not defined$/.exec(error.message)?.[1];
  if (name === undefined) return;
  const spans = authorsCall(error.stack ?? "");
  if (typesAndValues.test(name)) fail("W2077", { name }, spans);
  const instead = ofCuda[name];
  if (instead !== undefined) fail("W2083", { name, instead }, spans);
}

function runBody<T>(run: () => T): T {
  try {
    return inAuthorsCode(run);
  } catch (error) {
    refuseTypeOnly(error);
    throw error;
  }
}

function bindParam(trace: Trace, p: TraceParam, param: (kind: GraphParam["kind"], name: string, value: Value) => Value): unknown {
  switch (p.kind) {
    case "tensor": {
      const base = param("tensor", p.name, trace.value("ptr.global", p.name));
      const { shape, strides } = dynamicExtents(p.spec.rank, p.dynamic);
      const extents = (what: "shape" | "strides", dims: readonly number[]) =>
        new Map(dims.map((i) => [i, param("scalar", `${p.name}.${what}[${i}]`, trace.value("i32", `${p.name}.${what}[${i}]`))]));
      return bindTensor(
        trace,
        base,
        p.spec,
        p.name,
        { shape: extents("shape", shape), strides: extents("strides", strides) },
        p.align,
      );
    }
    case "tma": {
      const map = param("tma", p.name, trace.value("tensormap", p.name));
      const extent = (i: number) => scalar(param("scalar", `${p.name}.shape[${i}]`, trace.value("i32", `${p.name}.shape[${i}]`)));
      return bindTMA(map, p.tma, p.name, new Map(dynamicExtents(p.tma.shape.length, p.dynamic).shape.map((i) => [i, extent(i)])));
    }
    case "scalar":
      return scalar(param("scalar", p.name, trace.value(p.type, p.name)));
    default:
      return p satisfies never;
  }
}

/** A name that PTX accepts. */
const entryName = (name: string): string => name.replace(/[^A-Za-z0-9_$]/g, "_").replace(/^(\d)/, "_$1") || "kernel";
