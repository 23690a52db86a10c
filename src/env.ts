/**
 * Every environment variable that the package reads, at most ten. Whatever changes a program is a compile option and never stands
 * here. This module imports nothing, so a wrong value is given back as a problem; who reads it makes the error.
 */

/** Which device `openDevice()` takes when its argument does not say. */
export type DeviceChoice = "emulator" | "cuda" | `cuda:${number}`;

/** What a variable holds that it may not hold. */
export interface EnvironmentProblem {
  readonly variable: string;
  readonly value: string;
  /** What it may hold, as the end of a sentence. */
  readonly expected: string;
}

export interface Environment {
  /** `WARPSMITH_DEVICE`: `emulator`, `cuda` or `cuda:<number>`. Unset: the first CUDA device of compute capability 9.0, else the emulator. */
  readonly device: DeviceChoice | undefined;
  /** `WARPSMITH_CACHE`: the directory of compiled kernels, or `off`. Unset: `warpsmith` in the user's cache directory. */
  readonly cache: string | undefined;
  /** `WARPSMITH_PTXAS`: the path of a `ptxas` that assembles the kernels instead of the driver's. */
  readonly ptxas: string | undefined;
  /** `WARPSMITH_VERIFY`: `each` checks the op graph after every pass of the compiler. Unset: before the first and after the last. */
  readonly verify: "each" | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

export const deviceChoicePattern = /^(emulator|cuda|cuda:(0|[1-9]\d{0,3}))$/;

const isDeviceChoice = (text: string): text is DeviceChoice => deviceChoicePattern.test(text);

/** Where the user's caches live: XDG's directory, Windows' local one, or `~/.cache`. Undefined where there is no home. */
function userCacheDirectory(variables: Variables): string | undefined {
  if (variables.XDG_CACHE_HOME) return variables.XDG_CACHE_HOME;
  if (variables.LOCALAPPDATA) return variables.LOCALAPPDATA;
  return variables.HOME ? `${variables.HOME}/.cache` : undefined;
}

function cacheDirectory(variables: Variables): string | undefined {
  const value = variables.WARPSMITH_CACHE;
  if (value === "off") return undefined;
  if (value) return value;
  const base = userCacheDirectory(variables);
  return base === undefined ? undefined : `${base}/warpsmith`;
}

export type EnvironmentReading =
  | { readonly values: Environment; readonly problem?: undefined }
  | { readonly values?: undefined; readonly problem: EnvironmentProblem };

/** An empty value counts as unset. `cache` comes with its default filled in, undefined where there is to be none. */
export function readEnvironment(variables: Variables = globalThis.process?.env ?? {}): EnvironmentReading {
  const device = variables.WARPSMITH_DEVICE || undefined;
  if (device !== undefined && !isDeviceChoice(device)) {
    return { problem: { variable: "WARPSMITH_DEVICE", value: device, expected: '"emulator", "cuda" or "cuda:" and a number' } };
  }
  const verify = variables.WARPSMITH_VERIFY || undefined;
  if (verify !== undefined && verify !== "each")
    return { problem: { variable: "WARPSMITH_VERIFY", value: verify, expected: '"each"' } };
  return { values: { device, cache: cacheDirectory(variables), ptxas: variables.WARPSMITH_PTXAS || undefined, verify } };
}
