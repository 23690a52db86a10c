import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The first characters of the digest of all code in `dist`. */
function buildOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, "build-id"), "utf8").slice(0, 12);
  } catch {
    return undefined;
  }
}

/**
 * Which code is measured: the commit that BENCH_COMMIT names, for machines that have a copy of the tree and no git, else the one that git says, with "+" where
 * tracked files have been changed since; where there is neither, the build: "build" and the first characters of `dist/build-id`.
 */
export function treeOf(variables: Readonly<Record<string, string | undefined>> = process.env): string {
  if (variables.BENCH_COMMIT) return variables.BENCH_COMMIT;
  const git = (...args: string[]) => spawnSync("git", args, { encoding: "utf8", cwd: import.meta.dirname });
  const [, commit] = /^(\w+)/.exec(git("rev-parse", "--short", "HEAD").stdout ?? "") ?? [];
  if (commit) return git("diff", "--quiet", "HEAD").status === 0 ? commit : `${commit}+`;
  const build = buildOf(join(import.meta.dirname, "../dist"));
  return build ? `build ${build}` : "not there";
}
