/** The part of `warpsmith --help` that is about `check`. */
export const checkUsage = `warpsmith check <file.ts> [--seeds 100] [--strict] [--jobs 4] [--seconds 600] [-- arguments …]
                                        runs a program on the emulator with its checks, under schedules from the one that
                                        surprises least on: eager, lazy, torn, then seeds; stops at the first that fails
          [--attempts 100] [--out warpsmith-check.json]
                                        leaves out what the failure does not need; the rest is kept in the file
          [--replay file]               runs what such a file holds`;
