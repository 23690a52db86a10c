/** Pictures of pages that no code on the page draws: pictures.test.ts does. */
export const otherPictures = ["arrays.svg", "build.svg", "cli.svg", "report.svg"] as const;
/** Of a launch on a GPU and of the emulator's beside it: test/tools/timelines.ts draws them. */
export const recordedPictures = ["profile-emulator.svg", "profile-gpu.svg"] as const;
