import { attention } from "./attention.ts";
import { decode } from "./decode.ts";
import { examples } from "./examples.ts";
import type { Family } from "./family.ts";
import { lessons } from "./lessons.ts";
import { products } from "./products.ts";
import { rows } from "./rows.ts";

/** What is copied and changed: all kernels with synchronisation of their own. */
export const families: readonly Family[] = [examples, products, attention, decode, rows, lessons];
