/** The file cannot be read in its stated format. The message is for the caller: what is wrong and where. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** A file of another format. Alone it is unreadable; beside others in an archive it is skipped. */
export class OtherFormat extends Unreadable {}
