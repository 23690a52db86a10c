/** A launch of a kernel that another compiler made, and where the results of two devices may differ in the last bits. */

/** How far a result may be off where the PTX manual leaves bits open: |a - b| <= atol + rtol |b|. */
export interface Allowance {
  readonly rtol: number;
  readonly atol: number;
  /** What the manual leaves open. */
  readonly because: string;
}

/** A launch file of `warpsmith emulate`, and what the comparison needs to know. */
export interface ForeignCase {
  readonly name: string;
  /** The file that its PTX comes from. */
  readonly source: string;
  /** For nvcc, beside those that all cases have. */
  readonly flags?: readonly string[];
  readonly entry: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly cluster?: readonly number[];
  readonly smem?: number;
  readonly cooperative?: true;
  readonly buffers?: readonly string[];
  readonly args: readonly string[];
  /** By buffer. What has none must agree in every bit. */
  readonly allowances?: Readonly<Record<string, Allowance>>;
}

export const exponentials: Allowance = {
  rtol: 2e-6,
  atol: 0,
  because: "ex2.approx.f32 has a relative error of up to 2^-22 (PTX ISA 9.7.3.21), twice in each quotient",
};
export const tensorCore: Allowance = {
  rtol: 1e-5,
  atol: 1e-4,
  because: "the order and the precision of sums within mma and wgmma are not specified (PTX ISA 9.7.14.5.14, 9.7.15.5.2)",
};
export const contraction: Allowance = {
  rtol: 1e-5,
  atol: 1e-5,
  because: "a product and a sum without a rounding mode may become one fma (PTX ISA 9.7.3.5)",
};
