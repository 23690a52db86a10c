export { finishOpenTypes } from "./finish.ts";
