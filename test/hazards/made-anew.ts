import { join } from "node:path";

/**
 * Makes a kernel each time, in the place of src/kernels/common/made.ts: copies of a room with something taken out ask for kernels by the same keys, and would be given those of another copy, or those on disk.
 */
export const madeOnce = (_key: readonly unknown[], make: (kept: object) => unknown): unknown => make({});

/** Imports of files outside of `room`, which is copied whole, by where they are; but for the one above. The file stood in `from`. */
export const importsFrom = (text: string, from: string, room = from): string =>
  text.replaceAll(/ from "(\.\.\/.*)"/g, (all, path: string) => {
    if (join(from, path).startsWith(join(room, "/"))) return all;
    const there = path.endsWith("common/made.ts") ? import.meta.filename : join(from, path);
    return ` from ${JSON.stringify(there)}`;
  });
