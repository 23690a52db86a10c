import { range } from "warpsmith";

/** Adds up. */
function add(x: number[], n: number) {
  "use kernel";
  /* before */ let sum = 0; // after
  if (n > 0) // positive
    sum += 1; // one
  // not positive
  else sum -= 1;
  for (const i of range(n)) // each
    sum += x[i] /* the element */ * 2;
  while (
    sum > // much
    10
  ) {
    // halve it
    sum /= 2;
  }
  return /* what it came to */ sum;
  // the end
}
