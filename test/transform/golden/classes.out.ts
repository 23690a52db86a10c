import { open as $open } from "warpsmith/hooks";
const $ = $open(1, { file: "classes.in.ts", spans: [7, 5, 9, 7, 5, 14, 11, 3, 5, 11, 12, 6, 13, 12, 26, 13, 12, 14, 13, 16, 10, 13, 29, 9, 17, 10, 3, 19, 13, 5, 20, 11, 5, 21, 16, 12, 21, 16, 8, 18, 11, 4, 24, 12, 10, 24, 12, 16, 24, 5, 4, 3, 14, 3, 5, 29, 6] });
import { kernel, type Static, type Tensor } from "warpsmith";

export class Ops {
  readonly scale = 2;
  constructor(private bias: number) {
    "use kernel";
    $.update(0, this, "bias", ($1) => $.bin(1, "+", $1, 1));
  }

  /** Marked by the directive. */
  @$.method(2, { name: "apply", role: "helper", params: [{ name: "x", kind: "bare", type: "number", at: 3 }] }) apply(x: number) {
    "use kernel";
    return $.bin(4, "+", $.bin(5, "*", x, $.get(6, this, "scale")), $.get(7, this, "bias"));
  }

  @kernel({ block: 128 })
  @$.method(8, { name: "run", role: "kernel", params: [{ name: "x", kind: "tensor", dtype: "f32", rank: 1 }, { name: "n", kind: "static" }] }) static run(x: Tensor<"f32", 1>, n: Static<number>) {
    class Pair {
      sum = $.bin(9, "+", n, 1);
      @$.method(10, { name: "twice", role: "inner", params: [] }) get twice() {
        return $.bin(11, "*", $.get(12, this, "sum"), 2);
      }
    } $.fn(13, { name: "Pair", role: "inner", params: [] }, Pair);
    $.set(16, x, 0, $.get(15, $.make(14, Pair, [], "Pair"), "twice"));
  }

  host() {
    return this.scale * 2;
  }
} $.fn(17, { name: "Ops", role: "helper", params: [{ name: "bias", kind: "bare", type: "number", at: 18 }] }, Ops);
