import { bind, bindAs, take32, take64 } from "../native/bind.ts";
import { columnMajor, type Half, type Problem, type Work } from "../problem.ts";

/** Where the operands lie on the device, and what the libraries may use as scratch memory. */
export interface Operands {
  readonly a: bigint;
  readonly b: bigint;
  readonly out: bigint;
  /** Of the same type as the matrices. */
  readonly bias: bigint;
}
export interface Workspace {
  readonly address: bigint;
  readonly bytes: number;
}

/** A library in this process, working in one stream. */
export interface Library {
  readonly version: string;
  close(): void;
}

const symbols = {
  cublasCreate_v2: ["pointer"],
  cublasDestroy_v2: ["u64"],
  cublasSetStream_v2: ["u64", "u64"],
  cublasSetWorkspace_v2: ["u64", "u64", "size"],
  cublasGetVersion_v2: ["u64", "pointer"],
  cublasGemmEx: [
    ...(["u64", "i32", "i32", "i32", "i32", "i32", "pointer", "u64", "i32", "i32"] as const),
    ...(["u64", "i32", "i32", "pointer", "u64", "i32", "i32", "i32", "i32"] as const),
  ],
} as const;

/** cudaDataType, cublasComputeType_t, cublasGemmAlgo_t (library_types.h, cublas_api.h). */
export const dataType: Readonly<Record<Half | "f32", number>> = { f32: 0, f16: 2, bf16: 14 };
export const computeF32 = 68;
const defaultAlgorithm = -1;

/** "13.1.1" of 130101. */
export const versionText = (version: number): string =>
  `${Math.floor(version / 10_000)}.${Math.floor((version % 10_000) / 100)}.${version % 100}`;

const ok = (code: number, what: string): void => {
  if (code !== 0) throw new Error(`${what} gave status ${code}`);
};

export interface Cublas extends Library {
  /** cublasGemmEx with its default algorithm, f32 accumulation. */
  gemm(problem: Problem, operands: Operands): () => void;
}

/** cuBLAS in the current context. Throws where it does not load. */
export function openCublas(path: string, stream: bigint, workspace: Workspace): Cublas {
  const cublas = bind(path, symbols);
  const handle = take64((out) => ok(cublas.cublasCreate_v2(out), "cublasCreate"));
  ok(cublas.cublasSetStream_v2(handle, stream), "cublasSetStream");
  ok(cublas.cublasSetWorkspace_v2(handle, workspace.address, workspace.bytes), "cublasSetWorkspace");
  const version = take32((out) => ok(cublas.cublasGetVersion_v2(handle, out), "cublasGetVersion"));
  const [one, zero] = [new Float32Array([1]), new Float32Array([0])];
  return {
    version: versionText(version),
    gemm(problem, { a, b, out }) {
      const { m, n, k, first, second } = columnMajor(problem);
      const type = dataType[problem.dtype];
      const arguments_ = [
        ...([handle, Number(first.transpose), Number(second.transpose), m, n, k, one, b, type, first.stride] as const),
        ...([a, type, second.stride, zero, out, type, m, computeF32, defaultAlgorithm] as const),
      ] as const;
      return () => ok(cublas.cublasGemmEx(...arguments_), "cublasGemmEx");
    },
    close: () => cublas.cublasDestroy_v2(handle),
  };
}

const ltSymbols = {
  cublasLtCreate: ["pointer"],
  cublasLtDestroy: ["u64"],
  cublasLtMatmulDescCreate: ["pointer", "i32", "i32"],
  cublasLtMatmulDescDestroy: ["u64"],
  cublasLtMatmulDescSetAttribute: ["u64", "i32", "pointer", "size"],
  cublasLtMatrixLayoutCreate: ["pointer", "i32", "u64", "u64", "i64"],
  cublasLtMatrixLayoutDestroy: ["u64"],
  cublasLtMatrixLayoutSetAttribute: ["u64", "i32", "pointer", "size"],
  cublasLtMatmulPreferenceCreate: ["pointer"],
  cublasLtMatmulPreferenceDestroy: ["u64"],
  cublasLtMatmulPreferenceSetAttribute: ["u64", "i32", "pointer", "size"],
  cublasLtMatmulAlgoGetHeuristic: ["u64", "u64", "u64", "u64", "u64", "u64", "u64", "i32", "pointer", "pointer"],
  cublasLtMatmul: [
    ...(["u64", "u64", "pointer", "u64", "u64", "u64", "u64", "pointer"] as const),
    ...(["u64", "u64", "u64", "u64", "pointer", "u64", "size", "u64"] as const),
  ],
} as const;

/** cublasLtMatmulDescAttributes_t, cublasLtMatmulPreferenceAttributes_t, cublasLtEpilogue_t (cublasLt.h). */
const attribute = { transposeFirst: 3, transposeSecond: 4, epilogue: 7, bias: 8 } as const;
const maxWorkspace = 1;
/** cublasLtMatrixLayoutAttribute_t. */
const layoutAttribute = { batchCount: 5, batchStride: 6 } as const;
const epilogues: Readonly<Partial<Record<Work, number>>> = { product: 1, relu: 2, "relu-bias": 6 };

/** cublasLtMatmulHeuristicResult_t: the algorithm (64 bytes), its workspace (u64), a status, waves, 16 bytes reserved. */
const result = { bytes: 96, workspace: 64, status: 72 } as const;
/** What cublasLt is asked for. */
export const heuristics = 16;

export interface CublasLt extends Library {
  /** A launch for each algorithm that the heuristic proposes, its first choice first. Free what it holds with `free`. */
  candidates(problem: Problem, work: Work, operands: Operands): { readonly launches: readonly (() => void)[]; free(): void };
}

type LtBound = ReturnType<typeof bind<typeof ltSymbols>>;

/** The algorithms in what the heuristic has written; those that fail or need more workspace are left out. */
export function algorithmsIn(results: Uint8Array, count: number, workspaceBytes: number): readonly Uint8Array[] {
  const view = new DataView(results.buffer, results.byteOffset, results.byteLength);
  return Array.from({ length: count }, (_, i) => i * result.bytes)
    .filter((at) => view.getInt32(at + result.status, true) === 0)
    .filter((at) => view.getBigUint64(at + result.workspace, true) <= BigInt(workspaceBytes))
    .map((at) => results.subarray(at, at + result.workspace));
}

interface Descriptors {
  readonly operation: bigint;
  readonly first: bigint;
  readonly second: bigint;
  readonly out: bigint;
  free(): void;
}

/** Makes a layout that of so many matrices, which follow each other. */
function batched(lt: LtBound, layout: bigint, count: number, elements: bigint): void {
  const set = (id: number, value: Int32Array | BigInt64Array): void =>
    ok(lt.cublasLtMatrixLayoutSetAttribute(layout, id, value, value.byteLength), `cublasLtMatrixLayoutSetAttribute ${id}`);
  set(layoutAttribute.batchCount, Int32Array.of(count));
  set(layoutAttribute.batchStride, BigInt64Array.of(elements));
}

/** Needs no GPU. */
export function describeMatmul(lt: LtBound, problem: Problem, work: Work, bias: bigint): Descriptors {
  const epilogue = epilogues[work];
  if (epilogue === undefined) throw new Error(`cublasLt has no epilogue for ${work}`);
  const { first, second, out } = columnMajor(problem);
  const operation = take64((at) => ok(lt.cublasLtMatmulDescCreate(at, computeF32, dataType.f32), "cublasLtMatmulDescCreate"));
  const set = (id: number, value: Int32Array | BigUint64Array): void =>
    ok(lt.cublasLtMatmulDescSetAttribute(operation, id, value, value.byteLength), `cublasLtMatmulDescSetAttribute ${id}`);
  set(attribute.transposeFirst, Int32Array.of(Number(first.transpose)));
  set(attribute.transposeSecond, Int32Array.of(Number(second.transpose)));
  set(attribute.epilogue, Int32Array.of(epilogue));
  if (work === "relu-bias") set(attribute.bias, BigUint64Array.of(bias));
  const { dtype, result: resultType = dtype } = problem;
  const layouts = [first, second, out].map(({ rows, columns, stride }, i) => {
    const layout = take64((at) =>
      ok(
        lt.cublasLtMatrixLayoutCreate(at, dataType[i === 2 ? resultType : dtype], BigInt(rows), BigInt(columns), stride),
        "cublasLtMatrixLayoutCreate",
      ),
    );
    if (problem.batch !== undefined) batched(lt, layout, problem.batch, BigInt(stride) * BigInt(columns));
    return layout;
  });
  return {
    operation,
    first: layouts[0],
    second: layouts[1],
    out: layouts[2],
    free() {
      for (const layout of layouts) lt.cublasLtMatrixLayoutDestroy(layout);
      lt.cublasLtMatmulDescDestroy(operation);
    },
  };
}

export const bindLt = (path: string): LtBound => bind(path, ltSymbols);
export const ltVersion = (path: string): string => versionText(Number(bindAs(path, "cublasLtGetVersion", "size_t", [])()));

/** cublasLt in the current context. Throws where it does not load. */
export function openCublasLt(path: string, stream: bigint, workspace: Workspace): CublasLt {
  const lt = bindLt(path);
  const handle = take64((out) => ok(lt.cublasLtCreate(out), "cublasLtCreate"));
  const preference = take64((out) => ok(lt.cublasLtMatmulPreferenceCreate(out), "cublasLtMatmulPreferenceCreate"));
  ok(
    lt.cublasLtMatmulPreferenceSetAttribute(preference, maxWorkspace, BigUint64Array.of(BigInt(workspace.bytes)), 8),
    "cublasLtMatmulPreferenceSetAttribute",
  );
  const [one, zero] = [new Float32Array([1]), new Float32Array([0])];
  return {
    version: ltVersion(path),
    candidates(problem, work, { a, b, out, bias }) {
      const described = describeMatmul(lt, problem, work, bias);
      const { operation, first, second, out: d } = described;
      const results = new Uint8Array(heuristics * result.bytes);
      const count = take32((at) =>
        ok(
          lt.cublasLtMatmulAlgoGetHeuristic(handle, operation, first, second, d, d, preference, heuristics, results, at),
          "cublasLtMatmulAlgoGetHeuristic",
        ),
      );
      const launches = algorithmsIn(results, count, workspace.bytes).map((algorithm) => {
        const arguments_ = [
          ...([handle, operation, one, b, first, a, second, zero] as const),
          ...([out, d, out, d, algorithm, workspace.address, workspace.bytes, stream] as const),
        ] as const;
        return () => ok(lt.cublasLtMatmul(...arguments_), "cublasLtMatmul");
      });
      return { launches, free: described.free };
    },
    close() {
      lt.cublasLtMatmulPreferenceDestroy(preference);
      lt.cublasLtDestroy(handle);
    },
  };
}
