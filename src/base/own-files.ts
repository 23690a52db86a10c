/**
 * Where the files of the package lie that are read or started by their names. As written, this file lies in `src/base`; as built, every chunk that
 * reads `import.meta.url` lies at the top of `dist` (scripts/build.mjs checks that). Paths below either are the same.
 */

/** The folder of all code, as an address. */
const here = import.meta.url.replace(/(\/base)?\/[^/]*$/, "/");

/** The folder of all code: `src` as written, `dist` as built. */
export const codeFolder = here;

/** The folder of the code that runs, and both that there may be: source maps name what is written where what is built runs. */
export const codeFolders: readonly string[] = [here, ...["src/", "dist/"].map((folder) => here.replace(/[^/]*\/$/, folder))];

/** A file by its path below the folder of all code. */
export const ownFile = (path: string): URL => new URL(path, here);

/** A module that is started by itself, such as a worker's, by its path without an ending. It is an entry of the build. */
export const ownModule = (path: string): URL => ownFile(path + (import.meta.url.endsWith(".ts") ? ".ts" : ".js"));
