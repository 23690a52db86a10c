// Keeps a value of the GPU in a #private field.
import { threadIdx } from "warpsmith";

export class Counter {
  #n = 0;
  next() {
    "use kernel";
    this.#n += threadIdx.x; // error: W1015
    return this.#n;
  }
}
