import { kernel, type Static, type Tensor } from "warpsmith";

export class Ops {
  readonly scale = 2;
  constructor(private bias: number) {
    "use kernel";
    this.bias += 1;
  }

  /** Marked by the directive. */
  apply(x: number) {
    "use kernel";
    return x * this.scale + this.bias;
  }

  @kernel({ block: 128 })
  static run(x: Tensor<"f32", 1>, n: Static<number>) {
    class Pair {
      sum = n + 1;
      get twice() {
        return this.sum * 2;
      }
    }
    x[0] = new Pair().twice;
  }

  host() {
    return this.scale * 2;
  }
}
