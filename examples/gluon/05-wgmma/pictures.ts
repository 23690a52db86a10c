import { WGMMALayout } from "warpsmith";

/** The drawing beside the README. `npx warpsmith run examples/gluon/05-wgmma/draw.ts` writes it. */
export const pictures: Readonly<Record<string, () => string>> = {
  "accumulator.svg": () => new WGMMALayout().toSvg([64, 8]),
};
