// Assigns a row of a buffer.
import { type Buffer, program } from "warpsmith/schedule";

export const run = () =>
  program({ Z: [16, 16] }, function wrong(Z: Buffer<"f32", 2>) {
    (Z as unknown as number[])[0] = 1; // error: W5512
  });
