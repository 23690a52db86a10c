// Throws in one part of the warpgroups.
import { kernel, warpgroup } from "warpsmith";

const wrong = kernel({ block: 256 }, function wrong() {
  warpgroup.specialize({
    producer: {
      run: () => {
        throw new Error("nothing to copy"); // error: W2042
      },
    },
    consumer: { run: () => {} },
  });
});

export const run = () => wrong.compile();
