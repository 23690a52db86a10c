/** `warpsmith/schedule/hooks`: what the transformed code of a program calls. */
export { open } from "../schedule/hooks.ts";
