/** `warpsmith/hooks`: what transformed code calls. */
export { open } from "../dsl/hooks.ts";
