/** The part of `warpsmith --help` that is about `emulate`. */
export const emulateUsage = `warpsmith emulate <file.ptx> [--entry name] --grid x,y,z [--block x,y,z] [--cluster x,y,z] [--smem bytes]
                    [--buffer name=f32[64x128]:randn:1] … [--out name=file] … [--save folder] [--device emulator]
                    [--check normal] [--seed eager] [--launch file.json] --args …
                                        launches a kernel of a PTX file, by default on the emulator. Arguments:
                                          i32:7, f32:1.5, u64:0xff, bytes:00ff     scalars, and bytes of a structure
                                          f32[1024]:randn:1, y=f16[64x128]:zeros:out
                                                                                   buffers; out: printed afterwards
                                          @y+256, {@y,i32:7}                       addresses in buffers, structures
                                          tma:@y:f16[64x128]:box=64x64:swizzle=128B
                                                                                   tensor maps
                                        buffers hold zeros, ones, value=7, arange, randn:1, uniform:1, below=9:1, bits:1
                                        or file=in.bin. A launch file has the same options under the same names`;
