// Assigns a parameter in an inner function that another parameter's default keeps.
import {  } from "warpsmith";

export function shift(a: number, b = () => a) { // error: W1020
  "use kernel";
  const move = () => {
    a += 1;
  };
  move();
  return b();
}
