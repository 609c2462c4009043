import type { Client } from '@waymark/client';
import type { Send } from './spooled.ts';

/** Like `sendSpooled`, but loaded on demand: it knows every operation, and the spool is usually empty. */
export function sendWhenNeeded(client: Client, signal?: AbortSignal): Send {
  return async (entry, content) => {
    const { sendSpooled } = await import('./send-spooled.ts');
    return sendSpooled(client, signal)(entry, content);
  };
}
