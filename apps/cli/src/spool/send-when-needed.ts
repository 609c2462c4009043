import type { Client } from '@waymark/client';
import type { Send } from './spooled.ts';

/** Like `sendSpooled`, which knows every operation: that takes its time to load, and mostly nothing waits. */
export function sendWhenNeeded(client: Client, signal?: AbortSignal): Send {
  return async (entry, content) => {
    const { sendSpooled } = await import('./send-spooled.ts');
    return sendSpooled(client, signal)(entry, content);
  };
}
