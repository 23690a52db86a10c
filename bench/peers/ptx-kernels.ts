import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addressOf, take64 } from "../native/bind.ts";
import { check, type Driver } from "../native/driver.ts";
import type { Half, Problem, Work } from "../problem.ts";

/** How a GEMM kernel of somebody else's PTX is launched: what lies as JSON beside it. Boxes are innermost first. */
interface Description {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly dt: Half;
  /** "none"; "brr": relu(a @ b + bias) + residual. */
  readonly epi: string;
  readonly grid: number;
  readonly threads: number;
  /** Bytes. */
  readonly smem: number;
  readonly abox: readonly [number, number];
  readonly bbox: readonly [number, number];
  readonly dbox: readonly [number, number];
  /** CUtensorMapSwizzle of A and B, and of D; CUtensorMapL2promotion of all. */
  readonly aswz: number;
  readonly dswz: number;
  readonly l2: number;
}

/** A file of PTX with one entry, `gemm`: tensor maps of A, B and D, then where `epi` says so of the residual, and the address of an f32 bias. */
export interface PtxKernel {
  readonly name: string;
  readonly path: string;
  readonly description: Description;
}

/** NT alone: B lies as [N, K]. */
export interface PtxOperands {
  readonly a: bigint;
  readonly b: bigint;
  readonly out: bigint;
  readonly residual: bigint;
  readonly wideBias: bigint;
}

const works: Readonly<Record<string, Work>> = { none: "product", brr: "relu-bias-residual" };
export const workOf = ({ description }: PtxKernel): Work | undefined => works[description.epi];

/** The kernels of a folder: each `<name>.ptx` with a `<name>.json` beside it. */
export function readKernels(folder: string): readonly PtxKernel[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .map((name) => ({
      name,
      path: join(folder, `${name}.ptx`),
      description: JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Description,
    }));
}

/** Those that compute a case. */
export const kernelsFor = (kernels: readonly PtxKernel[], { m, n, k, dtype, layout, work }: Problem): readonly PtxKernel[] =>
  kernels.filter((kernel) => {
    const { M, N, K, dt } = kernel.description;
    return layout === "nt" && M === m && N === n && K === k && dt === dtype && workOf(kernel) === work;
  });

const mapBytes = 128,
  mapAlignment = 64;
/** CUtensorMapDataType (cuda.h). */
const mapType: Readonly<Record<Half, number>> = { f16: 6, bf16: 9 };
const maxDynamicShared = 8;

interface MapOptions {
  readonly address: bigint;
  readonly rows: number;
  readonly columns: number;
  readonly box: readonly [number, number];
  readonly swizzle: number;
}

function encodeMap(driver: Driver, dtype: Half, l2: number, { address, rows, columns, box, swizzle }: MapOptions): Uint8Array {
  const bytes = new Uint8Array(mapBytes + mapAlignment);
  const start = Number(-addressOf(bytes) & BigInt(mapAlignment - 1));
  const map = bytes.subarray(start, start + mapBytes);
  const code = driver.cuTensorMapEncodeTiled(
    ...([map, mapType[dtype], 2, address, BigUint64Array.of(BigInt(columns), BigInt(rows))] as const),
    ...([BigUint64Array.of(BigInt(columns * 2)), Uint32Array.from(box), Uint32Array.of(1, 1)] as const),
    ...([0, swizzle, l2, 0] as const),
  );
  check(code, "make a tensor map");
  return map;
}

function parametersOf(
  driver: Driver,
  { description }: PtxKernel,
  { a, b, out, residual, wideBias }: PtxOperands,
): readonly Uint8Array[] {
  const { M, N, K, dt, l2, abox, bbox, dbox, aswz, dswz, epi } = description;
  const map = (options: MapOptions): Uint8Array => encodeMap(driver, dt, l2, options);
  const result = { rows: M, columns: N, box: dbox, swizzle: dswz };
  const maps = [
    map({ address: a, rows: M, columns: K, box: abox, swizzle: aswz }),
    map({ address: b, rows: N, columns: K, box: bbox, swizzle: aswz }),
    map({ address: out, ...result }),
  ];
  if (epi === "none") return maps;
  return [...maps, map({ address: residual, ...result }), new Uint8Array(BigUint64Array.of(wideBias).buffer)];
}

/** A launch of the kernel in the stream. Throws where the driver refuses it. */
export function loadPtx(
  driver: Driver,
  kernel: PtxKernel,
  operands: PtxOperands,
  stream: bigint,
): { launch(): void; free(): void } {
  const { grid, threads, smem } = kernel.description;
  const text = new TextEncoder().encode(`${readFileSync(kernel.path, "utf8")}\0`);
  const module = take64((out) => check(driver.cuModuleLoadData(out, text), `load ${kernel.name}`));
  const entry = take64((out) => check(driver.cuModuleGetFunction(out, module, "gemm"), `find gemm in ${kernel.name}`));
  check(driver.cuFuncSetAttribute(entry, maxDynamicShared, smem), `give ${kernel.name} its shared memory`);
  const parameters = parametersOf(driver, kernel, operands);
  const pointers = BigUint64Array.from(parameters, addressOf);
  return {
    launch: () => {
      // `parameters` must live as long as their addresses are used.
      if (parameters.length === 0) return;
      check(driver.cuLaunchKernel(entry, grid, 1, 1, threads, 1, 1, smem, stream, pointers, null), `launch ${kernel.name}`);
    },
    free: () => {
      driver.cuModuleUnload(module);
    },
  };
}
