// Annotates a parameter with something else than Buffer.
import { program } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16] }, function wrong(X: number[]) { // error: W5503
    X[0] = 1;
  });
