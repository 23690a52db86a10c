/** GEMMs as hand-generated PTX with a JSON each that describes the launch: a folder given by its path. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Allowance, ForeignCase } from "./cases.ts";

/** What such a JSON says. Boxes are innermost first; swizzles are CUtensorMapSwizzle. */
interface Sample {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly grid: number;
  readonly threads: number;
  readonly smem: number;
  readonly cl: number;
  readonly abox: readonly number[];
  readonly bbox: readonly number[];
  readonly dbox: readonly number[];
  readonly aswz: number;
  readonly dswz: number;
  readonly epi: "none" | "brr";
}

const swizzles = ["none", "32B", "64B", "128B"];

const rounded: Allowance = {
  rtol: 2e-3,
  atol: 2e-2,
  because: "the order and the precision of sums within wgmma are not specified (PTX ISA 9.7.15.5.2); results are rounded to f16",
};

const map = (name: string, rows: number, cols: number, box: readonly number[], swizzle: number): string =>
  `tma:@${name}:f16[${rows}x${cols}]:box=${box.toReversed().join("x")}:swizzle=${swizzles[swizzle]}`;

/** D = A B^T with K innermost in both, or relu(A B^T + bias + residual). */
function sampleCase(name: string, s: Sample): ForeignCase {
  const fused = s.epi === "brr";
  const buffers = [`a=f16[${s.M}x${s.K}]:randn:1`, `b=f16[${s.N}x${s.K}]:randn:2`, `d=f16[${s.M}x${s.N}]:zeros:out`];
  const args = [map("a", s.M, s.K, s.abox, s.aswz), map("b", s.N, s.K, s.bbox, s.aswz), map("d", s.M, s.N, s.dbox, s.dswz)];
  return {
    name: `sample-${name}`,
    source: `${name}.ptx`,
    entry: "gemm",
    grid: [s.grid],
    block: [s.threads],
    cluster: [s.cl],
    smem: s.smem,
    buffers: fused ? [...buffers, `residual=f16[${s.M}x${s.N}]:randn:3`, `bias=f32[${s.N}]:randn:4`] : buffers,
    args: fused ? [...args, map("residual", s.M, s.N, s.dbox, s.dswz), "@bias"] : args,
    allowances: { d: rounded },
  };
}

export interface SampleCase extends ForeignCase {
  readonly ptx: string;
}

/** Every sample of a folder, smallest first. */
export function readSamples(folder: string): readonly SampleCase[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  const samples = files.map((file) => ({
    sample: JSON.parse(readFileSync(join(folder, file), "utf8")) as Sample,
    name: basename(file, ".json"),
  }));
  samples.sort((x, y) => x.sample.M - y.sample.M);
  return samples.map(({ sample, name }) => ({ ...sampleCase(name, sample), ptx: join(folder, `${name}.ptx`) }));
}
