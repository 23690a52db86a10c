/** `node --import`: Node loads the files of a test run by node-hooks.mjs. */
import { register } from "node:module";

register("./node-hooks.mjs", import.meta.url);
