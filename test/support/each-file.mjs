/** Vitest loads this anew for each test file. */
import { aroundFile } from "./around-file.ts";

aroundFile();
