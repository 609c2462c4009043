import { FormatError, parsePolicy } from '@waymark/transparency';

/** Why a text is not a trust policy; null if it is one. */
export function policyProblem(text: string): string | null {
  try {
    parsePolicy(`${text.trim()}\n`);
    return null;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}
