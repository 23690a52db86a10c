import { join } from "node:path";
import type { Device } from "warpsmith";

/** Where the results of a device are tracked: bench/results/<gpu name>; `BENCH_RESULTS` names another parent. */
export const resultsFolder = (gpu: Device): string =>
  join(process.env.BENCH_RESULTS ?? join(import.meta.dirname, "results"), gpu.name.replace(/[^A-Za-z0-9.-]+/g, "-"));
