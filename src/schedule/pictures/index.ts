/** Drawings of programs, made by going through what they do. */
export { type BanksPictureOptions, drawBanks } from "./draw-banks.ts";
export { type BufferPictureOptions, drawBuffer } from "./draw-buffer.ts";
export { drawTimeline, type TimelinePictureOptions } from "./draw-timeline.ts";
export type { PictureLevel } from "./levels.ts";
export { resultPicture } from "./result-picture.ts";
