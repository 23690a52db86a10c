import { join } from "node:path";

/** Where the results of a card are tracked: bench/results/<its name>; `BENCH_RESULTS` names another parent. */
export const resultsFolder = ({ name }: { readonly name: string }): string =>
  join(process.env.BENCH_RESULTS ?? join(import.meta.dirname, "results"), name.replace(/[^A-Za-z0-9.-]+/g, "-"));
