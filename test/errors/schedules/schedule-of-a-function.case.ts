// Makes a schedule of a function, which is no program yet.
import { type Buffer, Schedule } from "warpsmith/schedule";

function double(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  Z[0] = X[0] * 2;
}

export const run = () => new Schedule(double as never); // error: W5521
