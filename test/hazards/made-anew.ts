import { join } from "node:path";

/**
 * Makes a kernel each time, in the place of src/kernels/common/made.ts: copies of a room with something taken out ask for kernels by the same keys, and would be given those of another copy, or those on disk.
 */
export const madeOnce = (_key: readonly unknown[], make: (kept: object) => unknown): unknown => make({});

/** Imports of files outside of a copied room, whose file stood in `from`, by where they are; but for the one above. */
export const importsFrom = (text: string, from: string): string =>
  text.replaceAll(/ from "(\.\.\/.*)"/g, (_, path: string) => {
    const there = path.endsWith("common/made.ts") ? import.meta.filename : join(from, path);
    return ` from ${JSON.stringify(there)}`;
  });
