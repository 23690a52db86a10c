/** Pictures of pages that no code on the page draws: pictures.test.ts does. */
export const otherPictures = ["arrays.svg", "build.svg", "cli.svg", "report.svg"] as const;
