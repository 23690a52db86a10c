import { readEnvironment } from "../../base/env.ts";

/** How long a watched launch may stand still where nobody says. */
const usualSeconds = 5;

/**
 * How long a launch may stand still; undefined where it is not watched. What the launch says goes first, then WARPSMITH_WATCH, then `debug`
 * of the kernel's options.
 */
export function watchSeconds(watch: boolean | number | undefined, debug: boolean | undefined): number | undefined {
  const told = readEnvironment().values?.watch;
  const usual = typeof told === "number" ? told : usualSeconds;
  if (typeof watch === "number") return watch;
  if (watch !== undefined) return watch ? usual : undefined;
  if (told !== undefined) return told === "off" ? undefined : usual;
  return debug === true ? usual : undefined;
}
