import { parseRoots } from './pem.ts';
import { type TimeStamp, verifyToken } from './verify-token.ts';

/**
 * Returns what verifies tokens of the authorities that one of these root certificates vouches for, as the option
 * `verifyTimeStamp` of `@waymark/transparency`.
 */
export function timeStampVerifier(
  pem: string,
  { policies }: { readonly policies?: readonly string[] | undefined } = {},
): (token: Uint8Array, message: Uint8Array) => Promise<TimeStamp> {
  const roots = parseRoots(pem);
  return (token, message) => verifyToken(token, message, { roots, policies });
}
