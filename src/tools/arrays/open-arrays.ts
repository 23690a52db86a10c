import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { display, placeOnStack } from "../../base/diag/index.ts";
import { type ArrayFile, type Asked, Broken, type Entry, type Format } from "./array-file.ts";
import { openFile, type RandomFile, readerOf } from "./byte-reader.ts";
import { fail, makeError } from "./errors.ts";
import { npyEntry, npzEntries } from "./npz.ts";
import { openSafetensors, type Safetensors } from "./safetensors.ts";

/** A path as the author gave it, and the author's call: for errors, which come later. W7109. */
export function ask(path: string | URL): Asked {
  const spans = placeOnStack();
  if (typeof path === "string" && path !== "" && !path.includes("\0")) return { file: path, spans };
  if (path instanceof URL && path.protocol === "file:") return { file: fileURLToPath(path), spans };
  return fail("W7109", { given: display(path) }, spans);
}

/** By how the name ends. W7106. */
export function formatOf({ file, spans }: Asked): Format {
  const ending = extname(file).toLowerCase();
  return ending === ".npy" || ending === ".npz" || ending === ".safetensors" ? ending : fail("W7106", { file }, spans);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  ENOTDIR: "it is not there",
  EISDIR: "it is a folder",
  EACCES: "it may not be used",
  EPERM: "it may not be used",
  EROFS: "it may not be changed",
  ENOSPC: "there is no room left",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
};

/** What went wrong, said of the file: W7101 of the system, W7102 of its bytes; else as it is. */
export function ofFile(error: unknown, { file, spans }: Asked, act: "read" | "written"): unknown {
  if (error instanceof Broken)
    return makeError("W7102", { file, format: extname(file).toLowerCase(), reason: error.message }, spans);
  if (error instanceof Error && "syscall" in error && "code" in error) {
    const code = String(error.code);
    return makeError("W7101", { file, act, reason: reasons[code] ?? `the system says ${code}` }, spans);
  }
  return error;
}

async function entriesOf(file: RandomFile, asked: Asked, format: Format): Promise<Safetensors> {
  if (format === ".safetensors") return openSafetensors(file);
  if (format === ".npz") return { entries: await npzEntries(file), metadata: {} };
  // It has no name of its own.
  const entry: Entry = npyEntry(basename(asked.file, extname(asked.file)), async () => readerOf(file));
  return { entries: [entry], metadata: {} };
}

/** Opens the file for as long as `use` takes. W7101, W7102, W7106. */
export async function withArrays<T>(asked: Asked, use: (file: ArrayFile) => Promise<T>): Promise<T> {
  const format = formatOf(asked);
  try {
    await using file = await openFile(asked.file);
    return await use({ asked, ...(await entriesOf(file, asked, format)) });
  } catch (error) {
    throw ofFile(error, asked, "read");
  }
}
