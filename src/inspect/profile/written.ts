/** A profile with its writers: a trace, a page, a picture, and the file that its name asks for. */
export type { PictureOptions } from "./picture.ts";
export { makeProfile, type Profile } from "./profile.ts";
export { profileFilePattern, profileFileText } from "./profile-file.ts";
