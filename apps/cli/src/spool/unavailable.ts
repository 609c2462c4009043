import { ApiError, UnexpectedAnswerError, UnreachableError } from '@waymark/client';

/**
 * Whether it may work later, as far as the error tells. An answer that is not one of the service does not say so: a
 * wrong address or a proxy gives the same one tomorrow.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ApiError || error instanceof UnexpectedAnswerError) {
    return [408, 425, 429].includes(error.status) || error.status >= 500;
  }
  return error instanceof UnreachableError;
}
