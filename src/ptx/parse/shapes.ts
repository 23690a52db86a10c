/** The extents of a product of matrices. */
export interface MatrixShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Of `m16n8k16`. */
export function shapeNamed(text: string | undefined): MatrixShape {
  const [, m, n, k] = /^m(\d+)n(\d+)k(\d+)$/.exec(text ?? "") ?? [];
  return { m: Number(m), n: Number(n), k: Number(k) };
}
