import type { OwnSession } from '@waymark/contract';
import { BASE_PATH } from './base-path.ts';

/** Several installations may be below paths of one host. */
const KEY = `waymark-session${BASE_PATH}`;

/**
 * Who was signed in when this tab loaded last. With it the frame of the page is shown, and its data requested, while the
 * session is requested again. It grants nothing: it has no token, and the server decides on every request.
 */
export function knownSession(): OwnSession | undefined {
  try {
    const text = sessionStorage.getItem(KEY);
    return text === null ? undefined : (JSON.parse(text) as OwnSession);
  } catch {
    return undefined;
  }
}

export function keepSession(session: OwnSession): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...session, email: null, csrf_token: null }));
  } catch {
    // Then the next page waits for the session.
  }
}

export function forgetSession(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // A browser that stores nothing has nothing to forget.
  }
}
