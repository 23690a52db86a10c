import { chromeTrace } from "./chrome-trace.ts";
import { profilePage } from "./page.ts";
import type { ProfileData } from "./types.ts";

/** What a file of profiles may be called: the ending says what it holds. */
export const profileFilePattern = /\.(html|json)$/;

/** The text of such a file: a page, or a trace for Perfetto. */
export const profileFileText = (file: string, profiles: readonly ProfileData[]): string =>
  file.endsWith(".html") ? profilePage(profiles) : JSON.stringify(chromeTrace(profiles));
