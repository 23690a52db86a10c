#!/usr/bin/env node
import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "nested-host.in.ts", spans: [6, 12, 8, 6, 24, 6, 8, 12, 9, 11, 42, 17, 11, 60, 14, 15, 14, 8, 13, 5, 17, 13, 15, 6] });
import { explicit, kernel } from "warpsmith";

export function make(tile: number) { $.fn(0, { name: "helperOf", role: "helper", params: [{ name: "n", kind: "bare", type: "number", at: 1 }] }, helperOf);
  const width = tile * 2;
  function helperOf(n: number) {
    "use kernel";
    return $.bin(2, "*", n, width);
  }
  return {
    typescript: kernel({ block: width }, $.fn(3, { name: "typescript", role: "kernel", params: [{ name: "out", kind: "other" }] }, (out: unknown) => $.call(4, helperOf, [tile], "helperOf"))),
    explicit: kernel({ block: 1 }, explicit((x) => x.n + 1)),
    method: $.fn(6, { name: "method", role: "helper", params: [{ name: "n", kind: "bare", type: "number", at: 7 }] }, function (n: number) {
      "use kernel";
      return $.bin(5, "+", n, tile);
    }),
  };
}
