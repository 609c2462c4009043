import type { IncomingMessage } from 'node:http';
import { newId } from '../ids.ts';

/** The caller's own id of a request, if it is one that can be shown anywhere. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\w.:-]{1,128}$/.test(sent) ? sent : newId();
}
