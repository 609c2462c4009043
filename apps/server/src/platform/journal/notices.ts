import { DeliverPolicy, jetstream } from '@nats-io/jetstream';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { ensureStream, type NatsConnection, type StreamConfig } from './stream.ts';

const RETRY_MS = 250;

interface NoticesParts {
  readonly nats: NatsConnection;
  readonly stream: StreamConfig;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Follows the stream from now on and tells which lane has news, until the signal is given. Stream and consumer are made
 * again when they were lost. One consumer serves all lanes and processors of a worker and keeps no state, as positions
 * are in the database: with a durable one for each processor and lane the server was the brake (measured 2026-11).
 */
export async function followNotices(parts: NoticesParts, onLane: (lane: number) => void): Promise<void> {
  const { nats, stream, log, signal } = parts;
  while (!signal.aborted) {
    try {
      await ensureStream(nats, stream);
      const consumer = await jetstream(nats).consumers.get(stream.name, { deliver_policy: DeliverPolicy.New });
      const messages = await consumer.consume({ max_messages: 2_000, abort_on_missing_resource: true });
      const stop = () => messages.stop();
      signal.addEventListener('abort', stop, { once: true });
      for await (const { subject } of messages) onLane(Number(subject.slice(stream.name.length + 1)));
      signal.removeEventListener('abort', stop);
    } catch (error) {
      if (!signal.aborted) log.debug({ error: String(error) }, 'consumer has to be made again');
    }
    await pause(RETRY_MS, signal);
  }
}
