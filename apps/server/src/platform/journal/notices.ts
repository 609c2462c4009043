import type { Notice } from './relay.ts';
import { laneSubject, type NatsConnection, type StreamConfig } from './stream.ts';

/**
 * Hears what is published from now on, lane by lane; returns how to stop. A plain subscription to the subjects of the
 * stream: a worker needs a bell, not the history, as positions are in the database and a sweep finds what was missed.
 * A consumer of the stream, which reads what is being written, halved the rate of publishing (measured 2026-11).
 */
export function hearNotices(
  nats: NatsConnection,
  stream: StreamConfig,
  onNotice: (lane: number, notice: Notice) => void,
): () => void {
  const prefix = laneSubject(stream, '');
  const heard = nats.subscribe(laneSubject(stream, '*'), {
    callback: (error, message) => {
      if (!error) onNotice(Number(message.subject.slice(prefix.length)), message.json<Notice>());
    },
  });
  return () => heard.unsubscribe();
}
