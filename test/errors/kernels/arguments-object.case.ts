// Reads the `arguments` of a helper.
import {  } from "warpsmith";

export function sum(_a: number, _b: number) {
  "use kernel";
  return arguments[0] + arguments[1]; // error: W1010
}
