#!/usr/bin/env node
import { explicit, kernel } from "warpsmith";

export function make(tile: number) {
  const width = tile * 2;
  function helperOf(n: number) {
    "use kernel";
    return n * width;
  }
  return {
    typescript: kernel({ block: width }, (out: unknown) => helperOf(tile)),
    explicit: kernel({ block: 1 }, explicit((x) => x.n + 1)),
    method(n: number) {
      "use kernel";
      return n + tile;
    },
  };
}
