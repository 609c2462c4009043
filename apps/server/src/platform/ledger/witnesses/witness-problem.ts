/** Thrown when a witness did not cosign. The message is for operators. */
export class WitnessProblem extends Error {
  /** The witness cosigned what this log did not sign, or not any more: somebody sees another history. */
  readonly contradicts: boolean;

  constructor(message: string, { contradicts = false, cause }: { contradicts?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.contradicts = contradicts;
  }
}
