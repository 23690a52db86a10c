import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const sections = /^\.(text|nv\.(constant|info|global|shared)|rodata|data)/;

/** The sections of an ELF file (64 bits, little-endian) whose names match, as text that can be compared. */
function readSections(file: Buffer): ReadonlyMap<string, string> {
  const table = Number(file.readBigUInt64LE(40));
  const size = file.readUInt16LE(58);
  const section = (i: number) => {
    const at = table + i * size;
    const [offset, length] = [Number(file.readBigUInt64LE(at + 24)), Number(file.readBigUInt64LE(at + 32))];
    return { name: file.readUInt32LE(at), empty: file.readUInt32LE(at + 4) === 8, offset, length };
  };
  const names = section(file.readUInt16LE(62)).offset;
  const found = new Map<string, string>();
  for (let i = 0; i < file.readUInt16LE(60); i++) {
    const { name, empty, offset, length } = section(i);
    const at = names + name;
    const text = file.toString("latin1", at, file.indexOf(0, at));
    if (sections.test(text)) found.set(text, empty ? `${length} bytes` : file.toString("hex", offset, offset + length));
  }
  return found;
}

/** What ptxas makes of the text: code, constants and what the driver needs to know. Throws what it prints where it refuses. */
export function codeOf(ptx: string): ReadonlyMap<string, string> {
  const dir = mkdtempSync(join(tmpdir(), "ptx-"));
  try {
    writeFileSync(join(dir, "k.ptx"), ptx);
    const { status, stdout, stderr } = spawnSync("ptxas", ["-arch=sm_90a", "-o", join(dir, "k.cubin"), join(dir, "k.ptx")], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return readSections(readFileSync(join(dir, "k.cubin")));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const has = (tool: string): boolean => spawnSync(tool, ["--version"]).status === 0;
export const noNvcc: string | undefined = has("nvcc") ? undefined : "nvcc is not on the PATH";
if (noNvcc !== undefined) console.warn(`CUDA C++ is not compiled: ${noNvcc}`);

/** The PTX that nvcc makes of a source file. */
export function compileCuda(source: string, options: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), "cuda-"));
  try {
    const out = join(dir, "k.ptx");
    const { status, stderr } = spawnSync("nvcc", ["-ptx", "-std=c++17", "-arch=sm_90a", ...options, "-o", out, source], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    return readFileSync(out, "utf8");
  } finally {
    rmSync(dir, { recursive: true });
  }
}
