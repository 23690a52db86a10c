// A file has no array of that name.
import { readArray } from "warpsmith/arrays";

export const run = () => readArray("test/unit/tools/arrays/fixtures/narrow.safetensors", { name: "bf61" }); // error: W7104
