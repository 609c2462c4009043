import { type NatsConnection, pokeSubject, type StreamConfig } from './stream.ts';

const COALESCE_MS = 2;

/**
 * Tells the relay that something was committed: at once, but not for every request of a burst, and without delaying it.
 */
export function createPoke(nats: () => NatsConnection | undefined, stream: StreamConfig): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      const connection = nats();
      if (connection && !connection.isClosed()) connection.publish(pokeSubject(stream));
    }, COALESCE_MS);
  };
}
