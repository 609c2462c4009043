import { pokeSubject, type StreamLink } from './stream.ts';

const COALESCE_MS = 2;

/**
 * Tells the sequencer that something was committed: at once, but not for every request of a burst, and without delaying it.
 */
export function createPoke(stream: Pick<StreamLink, 'current'>): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      const linked = stream.current();
      if (linked && !linked.nats.isClosed()) linked.nats.publish(pokeSubject(linked.stream));
    }, COALESCE_MS);
  };
}
