/**
 * `not-found`: there is no such image, or these credentials may not see it. `needs-credentials`: there were none, or
 * the wrong ones. `not-reachable`: nothing answered. `unavailable`: it is overloaded, broken or rate-limited.
 * `unusable`: the response is not what was requested.
 */
export type RegistryFailure = 'not-found' | 'needs-credentials' | 'not-reachable' | 'unavailable' | 'unusable';

export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly failure: RegistryFailure;
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Method and address, without query. */
  readonly asked: string;
  readonly hint: string;

  constructor(
    message: string,
    about: {
      readonly failure: RegistryFailure;
      readonly status: number | null;
      readonly asked: string;
      readonly hint: string;
      readonly cause?: unknown;
    },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.failure = about.failure;
    this.status = about.status;
    this.asked = about.asked;
    this.hint = about.hint;
  }
}
