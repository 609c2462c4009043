/** A job was stopped at its deadline: what it was given asks for more time than anybody gets. */
export class SandboxTimeout extends Error {
  override readonly name = 'SandboxTimeout';
}

/** A job broke, or needed more memory than anybody gets. */
export class SandboxFailed extends Error {
  override readonly name = 'SandboxFailed';
}
