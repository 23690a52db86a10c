// Writes a helper as a generator.
import { range } from "warpsmith";

export function* columns(n: number) { // error: W1003
  "use kernel";
  for (const i of range(n)) yield i;
}
