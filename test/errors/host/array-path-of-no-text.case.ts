// The path of a file of arrays is no text.
import { readArrays } from "warpsmith/arrays";

export const run = () => readArrays(undefined as never); // error: W7109
