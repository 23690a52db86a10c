/** `warpsmith/schedule`: programs of loop nests and blocks, and their rewriting. docs/schedules.md. */
export * from "../schedule/index.ts";
