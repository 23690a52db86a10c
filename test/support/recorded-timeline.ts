import type { Kernel } from "warpsmith";
import type { Profile } from "../../src/inspect/profile/profile.ts";
import { prepare } from "../../src/kernel/launch.ts";
import { profileLaunch } from "../../src/kernel/profile.ts";
import type { ProfileConfig } from "../../src/kernel/types.ts";
import { partsOf } from "../../src/kernel/value.ts";

/** The profile of a launch whose kernel records the timeline itself, as on a GPU, wherever it runs. */
export function recordedTimeline<P extends unknown[]>(
  kernel: Kernel<P>,
  config: ProfileConfig,
  ...args: readonly unknown[]
): Promise<Profile> {
  const parts = partsOf(kernel);
  if (!parts) throw new TypeError("no kernel");
  const prepared = prepare(parts.source, parts.instances, config, args, [], "timeline");
  return profileLaunch(parts.source, prepared, config, undefined);
}
