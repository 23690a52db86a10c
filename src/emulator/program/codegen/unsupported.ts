/** Something that this machine does not know: the module cannot be loaded. The reason is a noun phrase. */
export class Unsupported extends Error {
  override readonly name = "Unsupported";
}
