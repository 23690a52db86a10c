import { kernel, syncThreads } from "warpsmith";

export const guarded = kernel({ block: 32 }, function guarded() {
  try {
    syncThreads();
  } finally {
    syncThreads();
  }
});
