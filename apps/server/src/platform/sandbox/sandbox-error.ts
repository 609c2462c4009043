/** A job was stopped at its deadline. */
export class SandboxTimeout extends Error {
  override readonly name = 'SandboxTimeout';
}

/** A job crashed, or needed more memory than allowed. */
export class SandboxFailed extends Error {
  override readonly name = 'SandboxFailed';
}
