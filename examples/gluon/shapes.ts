import { assert } from "warpsmith";

interface Shaped { readonly shape: readonly number[] }

/** Both have one shape. Kernels are compiled for their shapes: this is checked while compiling, and nothing of it is left in the kernel. */
export function sameShape(a: Shaped, b: Shaped): void {
  "use kernel";
  const [one, other] = [a.shape.join(", "), b.shape.join(", ")];
  assert(one === other, `the shapes [${one}] and [${other}] are not the same`);
}

/** C = A @ B: A is [M, K], B is [K, N], or [N, K] where it comes transposed, and C is [M, N]. */
export function productShapes(a: Shaped, b: Shaped, c: Shaped, transposed?: boolean): void {
  "use kernel";
  const [M, K] = a.shape, along = transposed ? 1 : 0, N = b.shape[1 - along];
  const [ofA, ofB, ofC] = [a.shape.join(", "), b.shape.join(", "), c.shape.join(", ")];
  assert(b.shape[along] === K, `A is [${ofA}] and B [${ofB}]: K is ${K} in A, and ${b.shape[along]} in B`);
  assert(c.shape[0] === M && c.shape[1] === N, `A is [${ofA}] and B [${ofB}]: C is [${M}, ${N}], not [${ofC}]`);
}
