/** What `warpsmith tune` has found on this machine, for the functions that choose: by the device's name, the family and the class of the problem. */
import { choiceKey, readChoice, writeChoice } from "../../base/tuned-choices.ts";

const keyOf = (device: string, family: string, problem: string): string =>
  choiceKey(["warpsmith/kernels", device, family, problem]);

/** A candidate as it was kept, as plain data; undefined where none was. */
export const tunedChoice = (device: string, family: string, problem: string): unknown =>
  readChoice(keyOf(device, family, problem));

export const keepTuned = (device: string, family: string, problem: string, candidate: unknown): void =>
  writeChoice(keyOf(device, family, problem), candidate);
