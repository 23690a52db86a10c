// Wants the choices of an earlier run again, from a file that is not there.
import { openDevice } from "warpsmith";

export const run = async () => {
  process.env.WARPSMITH_SEED = "replay:nowhere.json";
  try {
    await openDevice("emulator"); // error: W7026
  } finally {
    delete process.env.WARPSMITH_SEED;
  }
};
