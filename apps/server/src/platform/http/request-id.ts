import type { IncomingMessage } from 'node:http';
import { newId } from '../ids.ts';

/** The caller's own request id, if it is safe to show anywhere. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\w.:-]{1,128}$/.test(sent) ? sent : newId();
}
