import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** The two libraries of one installation. */
export interface Libraries {
  readonly cublas: string;
  readonly cublasLt: string;
}

const byDynamicLoader: Libraries = { cublas: "libcublas.so.13", cublasLt: "libcublasLt.so.13" };

/** The newest file of a folder with that name and any version after it. */
function newest(folder: string, name: string): string | undefined {
  const collator = new Intl.Collator("en", { numeric: true });
  const found = readdirSync(folder)
    .filter((file) => file === name || file.startsWith(`${name}.`))
    .toSorted(collator.compare);
  return found.length > 0 ? join(folder, found.at(-1) ?? name) : undefined;
}

/** The libraries in a folder, or beside the file given. */
export function librariesIn(path: string): Libraries | undefined {
  const folder = /\.so(\.\d+)*$/.test(path) ? dirname(path) : path;
  if (!existsSync(folder)) return undefined;
  const [cublas, cublasLt] = [newest(folder, "libcublas.so"), newest(folder, "libcublasLt.so")];
  return cublas && cublasLt ? { cublas, cublasLt } : undefined;
}

const foldersIn = (parent: string, pick: (name: string) => boolean): readonly string[] =>
  existsSync(parent)
    ? readdirSync(parent)
        .filter(pick)
        .map((name) => join(parent, name))
    : [];

/** Where pip puts libraries, for the python3 on the path: nvidia/cublas/lib (CUDA 12), nvidia/cu13/lib. */
function pythonFolders(): readonly string[] {
  const { stdout } = spawnSync("python3", ["-c", "import site, sys; print('\\n'.join(site.getsitepackages() + sys.path))"], {
    encoding: "utf8",
    timeout: 10_000,
  });
  const packages = [...new Set((stdout ?? "").split("\n").filter((path) => path !== ""))];
  return packages.flatMap((path) => foldersIn(join(path, "nvidia"), () => true).map((folder) => join(folder, "lib")));
}

/**
 * Where cuBLAS may be, best first: `BENCH_CUBLAS_PATH` (a folder or a file) alone where it is set; else what PyTorch brings, which is
 * what most people run; the toolkit's; whatever the dynamic loader finds.
 */
export function findLibraries(environment: NodeJS.ProcessEnv = process.env): readonly Libraries[] {
  const given = environment.BENCH_CUBLAS_PATH;
  const folders = given
    ? [given]
    : [
        ...pythonFolders(),
        ...foldersIn("/usr/local", (name) => /^cuda(-\d+)?/.test(name)).map((folder) => join(folder, "lib64")),
      ];
  const found = folders.map(librariesIn).filter((libraries) => libraries !== undefined);
  return given ? found : [...found, byDynamicLoader];
}
