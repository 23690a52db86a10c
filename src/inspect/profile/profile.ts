import { checkOptions, display, exactMembers, optionsOf } from "../../base/diag/index.ts";
import { fail } from "../../base/errors.ts";
import { chromeTrace } from "./chrome-trace.ts";
import { profilePage } from "./page.ts";
import { type PictureOptions, profilePicture } from "./picture.ts";
import { type ProfileSummary, summarize } from "./summary.ts";
import type { ProfileData } from "./types.ts";

/** The profile of one launch: `kernel.profile`. What it holds is data, as JSON has it. */
export interface Profile extends ProfileData {
  /** Who waits how much, by role; what is waited for, and where; how long copies and products take. */
  summary(): ProfileSummary;
  /** A trace that Perfetto and chrome://tracing open, as JSON: Chrome's Trace Event Format. */
  toChromeTrace(): string;
  /** A page of HTML by itself: rows by multiprocessor, block and warp, tables of who waits for what. */
  toPage(): string;
  /** A drawing of some blocks, as SVG. W2601, W7046. */
  toPicture(options?: PictureOptions): string;
}

const pictureOptions = optionsOf<PictureOptions>("toPicture()", { from: true, to: true, blocks: true, width: true });
const narrowest = 300;

/** W2601, W2602, W7046. */
function checkPicture(options: PictureOptions, { duration }: ProfileData): void {
  checkOptions(options, pictureOptions);
  const { from = 0, to = Math.max(duration, 1), blocks = 1, width = narrowest } = options;
  const refuse = (option: string, given: unknown, expected: string): never =>
    fail("W7046", { of: "toPicture()", option, given: display(given), expected });
  if (!Number.isFinite(from)) refuse("from", from, "a time");
  if (!(Number.isFinite(to) && to > from)) refuse("to", to, "a time after `from`");
  if (!(Number.isInteger(blocks) && blocks >= 1)) refuse("blocks", blocks, "a whole number from 1 on");
  if (!(Number.isFinite(width) && width >= narrowest)) refuse("width", width, `a number of pixels from ${narrowest} on`);
}

/** The data with its methods, which are not among what JSON takes. */
export function makeProfile(data: ProfileData): Profile {
  const methods = exactMembers<Omit<Profile, keyof ProfileData>>({
    summary: () => summarize(data),
    toChromeTrace: () => JSON.stringify(chromeTrace([data])),
    toPage: () => profilePage([data]),
    toPicture: (options = {}) => {
      checkPicture(options, data);
      return profilePicture(data, options);
    },
  });
  return Object.assign(Object.create(methods) as typeof methods, data);
}
