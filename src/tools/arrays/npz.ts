/** `.npz`: a zip file of .npy files (numpy.savez). Members that are none are left alone. */
import type { Described, Entry } from "./array-file.ts";
import type { ByteReader, RandomFile } from "./byte-reader.ts";
import { type NpyHeader, readNpyElements, readNpyHeader } from "./npy.ts";
import { type Member, readDirectory } from "./zip-directory.ts";
import { openMember } from "./zip-member.ts";

const ending = ".npy";

export async function npzEntries(file: RandomFile): Promise<readonly Entry[]> {
  const members = await readDirectory(file);
  return members
    .filter(({ name }) => name.endsWith(ending))
    .map((member) => npyEntry(member.name.slice(0, -ending.length), () => openMember(file, member satisfies Member)));
}

/** An array that is a .npy file of its own, or in another. */
export function npyEntry(name: string, open: () => Promise<ByteReader>): Entry {
  const using = async <T>(use: (reader: ByteReader, described: NpyHeader) => Promise<T>): Promise<T> => {
    const reader = await open();
    try {
      return await use(reader, await readNpyHeader(reader));
    } finally {
      reader.close();
    }
  };
  return {
    name,
    describe: () => using<Described>(async (_, header) => header),
    read: () => using(async (reader, described) => ({ described, bytes: await readNpyElements(reader, described) })),
  };
}
