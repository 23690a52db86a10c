/** What GPUs can do at most, for roofs. Figures of a datasheet are no measurements: a kernel under a power limit does not get there. */

/** Types whose products tensor cores do at a rate of their own. */
export type TensorRate = "f16" | "tf32" | "f8" | "i8" | "f64";
/** Types of arithmetic outside of tensor cores. */
export type PlainRate = "f32" | "f64" | "f16";

/** The most that a GPU does of each kind of work. */
export interface Gpu {
  /** As `report({ gpu })` names it. */
  readonly name: GpuName;
  /** What the driver's name of such a device holds. */
  readonly device: RegExp;
  readonly multiprocessors: number;
  /** Bytes a second of its memory, and operations a second: products without sparsity, and arithmetic, two for a fused multiply-add. */
  readonly memory: number;
  readonly tensor: Readonly<Record<TensorRate, number>>;
  readonly plain: Readonly<Record<PlainRate, number>>;
  /** Where the figures are from. */
  readonly source: string;
  /** What has been reached on such a device, and where that stands. */
  readonly measured?: { readonly memory: number; readonly f16: number; readonly source: string };
}

/** GPUs whose roofs are known. */
export const gpuNames = ["H200", "H100"] as const;
/** GPUs whose roofs are known: both as SXM modules. */
export type GpuName = (typeof gpuNames)[number];

/** Is the roof of a GPU of that name known? */
export const isGpuName = (name: unknown): name is GpuName => gpuNames.some((gpu) => gpu === name);

const tera = 1e12;

/** As datasheets of both are quoted, for the same chip: products without sparsity, half of what is printed with it. Compared with tables of others, not with the sheets themselves. */
const hopper = {
  multiprocessors: 132,
  tensor: { f16: 989.5 * tera, tf32: 494.5 * tera, f8: 1979 * tera, i8: 1979 * tera, f64: 67 * tera },
  plain: { f32: 67 * tera, f64: 34 * tera, f16: 134 * tera },
} as const;

/** By their names. */
export const gpus: Readonly<Record<GpuName, Gpu>> = {
  H200: {
    ...hopper,
    name: "H200",
    device: /H200/,
    memory: 4.8 * tera,
    source: "NVIDIA H200 datasheet",
    measured: { memory: 4.27 * tera, f16: 734.6 * tera, source: "bench/results: copy of f32, product of bf16" },
  },
  H100: {
    ...hopper,
    name: "H100",
    device: /H100/,
    memory: 3.35 * tera,
    source: "NVIDIA H100 datasheet",
  },
};
