// Reads the element after the last.
import { type Buffer, program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    Z[0][0] = X[16]; // error: W5513
  });
