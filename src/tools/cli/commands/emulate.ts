import { Command } from "commander";
import type { EmulateOptions } from "../options.ts";

const listed = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const after = `
Arguments:
  i32:7, f32:1.5, u64:0xff, bytes:00ff            scalars, and bytes of a structure
  f32[1024]:randn:1, y=f16[64x128]:zeros:out      buffers; out: printed afterwards
  @y+256, {@y,i32:7}                              addresses in buffers, structures
  tma:@y:f16[64x128]:box=64x64:swizzle=128B       tensor maps
  Buffers hold zeros, ones, value=7, arange, randn:1, uniform:1, below=9:1, bits:1, file=in.bin,
  npy=x.npy, npz=all.npz:x or safetensors=all.safetensors:x.

Example:
  warpsmith emulate k.ptx --grid 8 --block 128 --args i32:1000 f32:2.5 f32[1000]:randn:1 y=f32[1000]:ones:out`;

export const emulateCommand = (): Command =>
  new Command("emulate")
    .summary("launch a kernel of a PTX file")
    .description(
      "Launches a kernel of a PTX file that any compiler made, by default on the emulator, and shows what it left in memory.",
    )
    .argument("<file>", "the PTX file")
    .argument("[more...]", "further arguments of the kernel, behind those of --args")
    .option("--entry <name>", "the kernel; may be left out where the file has one")
    .option("--grid <x,y,z>", "blocks")
    .option("--block <x,y,z>", "threads of a block")
    .option("--cluster <x,y,z>", "blocks of a cluster")
    .option("--smem <bytes>", "dynamic shared memory of a block")
    .option("--cooperative", "all blocks at the same time, for kernels that synchronise their grid")
    .option("--buffer <name=contents>", "a buffer that no argument makes, such as x=f32[64x128]:randn:1; again for each", listed)
    .option("--args <arguments...>", "the arguments, in the order of the parameters")
    .option(
      "--out <name=file>",
      "write one buffer: an array to a .npy, .npz or .safetensors file, else its bytes; again for each",
      listed,
    )
    .option("--save <folder>", "write the bytes of every result; to a .npz or .safetensors file: all of them as arrays")
    .option("--device <name>", "emulator, cuda or cuda:1", "emulator")
    .option("--check <mode>", "on the emulator: off, normal or strict")
    .option("--warn", "on the emulator: warn of what the PTX ISA does not promise, although today's hardware lets it pass")
    .option("--seed <schedule>", "on the emulator: eager, lazy, torn or a whole number")
    .option("--launch <file>", "a JSON file with the same options under the same names")
    .option("--json", "print the results as JSON")
    .addHelpText("after", after)
    .action(async (file: string, more: readonly string[], options: EmulateOptions) => {
      await (await import("../emulate.ts")).emulate(file, more, options);
    });
