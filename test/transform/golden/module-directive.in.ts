"use kernel";
// every function here runs on the GPU
import { kernel } from "warpsmith";

export default function twice(n: number) {
  return n * 2;
}
export const half = (n: number) => n / 2;
export const k = kernel({ grid: (n) => n * 2, block: 1 }, (n) => {
  twice(n);
});
