export { type Im2colOptions, im2colMap } from "../tensor-map.ts";
