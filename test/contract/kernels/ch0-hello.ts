// Chapter 0. Every thread says hello.
import { type Compiled, type i32, kernel, threadIdx } from "warpsmith";

const hello = kernel({ block: 4, grid: 1 }, function hello(alpha: i32) {
  console.log("GPU thread", threadIdx.x, "has", alpha + threadIdx.x);
});

/** What the host would pass. */
export const compiled = (): readonly Compiled[] => [hello.compile(100)];
