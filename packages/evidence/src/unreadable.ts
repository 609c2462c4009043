/** The file cannot be read as what it is said to be. The message is for the caller and says what is wrong and where. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** A file of another format. Alone it is unreadable; beside others in an archive it is passed over. */
export class OtherFormat extends Unreadable {}
