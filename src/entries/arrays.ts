/** `warpsmith/arrays`: files of arrays, to the host, to devices and back. docs/arrays.md. */
export * from "../tools/arrays/index.ts";
