import { ApiError, UnexpectedAnswerError, UnreachableError } from '@waymark/client';

/**
 * Whether a retry may succeed, as far as the error shows. A response of another server does not count: a wrong address
 * or a proxy gives the same one tomorrow.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ApiError || error instanceof UnexpectedAnswerError) {
    return [408, 425, 429].includes(error.status) || error.status >= 500;
  }
  return error instanceof UnreachableError;
}
