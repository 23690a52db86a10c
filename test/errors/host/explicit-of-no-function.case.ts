// Calls the body of a kernel where the body itself is meant.
import { explicit, kernel } from "warpsmith";

const body = (): void => {};

export const run = () =>
  kernel(
    { block: 32, params: [] },
    explicit(body() as never), // error: W7048
  );
