/** The indices of element number `n` of that shape in row-major order: digits of which the last one is fastest. */
export function digitsOf(shape: readonly number[], n: number): readonly number[] {
  const digits: number[] = [];
  let rest = n;
  for (const extent of shape.toReversed()) {
    digits.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return digits;
}
