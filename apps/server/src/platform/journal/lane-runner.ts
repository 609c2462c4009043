import { AckPolicy, DeliverPolicy, type JsMsg, jetstream } from '@nats-io/jetstream';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { isAfter, type Position } from './lanes.ts';
import { type Turn, takeTurn } from './processor.ts';
import type { Notice } from './relay.ts';
import { ensureStream, laneSubject, type NatsConnection, type StreamConfig } from './stream.ts';

const RETRY_MS = 250;

interface LaneParts {
  readonly turn: Turn;
  readonly nats: NatsConnection;
  readonly stream: StreamConfig;
  readonly log: Logger;
}

export interface LaneRunner {
  /** Looks for published entries now; the stream does this by itself when it is well. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Runs one processor over one lane: notices from the stream wake it, turns take the entries from the journal, and a
 * notice is acknowledged once the position has passed it. Lost, repeated or reordered notices do no harm.
 */
export function startLane(parts: LaneParts): LaneRunner {
  const stopped = new AbortController();
  const { signal } = stopped;
  let newest: JsMsg | undefined;
  let woken = true;
  let wakeUp: () => void = () => undefined;
  const wake = () => {
    woken = true;
    wakeUp();
  };

  const listening = listen(parts, signal, (message) => {
    newest = message;
    wake();
  });
  const working = work();

  async function work(): Promise<void> {
    while (!signal.aborted) {
      if (!woken) await new Promise<void>((resolve) => (wakeUp = resolve));
      woken = false;
      const seen = newest;
      const position = await catchUp(parts, signal);
      if (seen && position) acknowledge(seen, position);
    }
  }

  return {
    wake,
    async stop() {
      stopped.abort();
      wakeUp();
      await Promise.all([listening, working]);
    },
  };
}

function acknowledge(message: JsMsg, position: Position): void {
  if (!isAfter(message.json<Notice>(), position)) message.ack();
}

/** Takes turns until there is nothing left. Returns the position reached, or undefined when the lane was lost. */
async function catchUp(parts: LaneParts, signal: AbortSignal): Promise<Position | undefined> {
  while (!signal.aborted) {
    try {
      const outcome = await takeTurn(parts.turn);
      if (outcome.kind === 'lost') return undefined;
      if (outcome.kind === 'done') return outcome.position;
    } catch (error) {
      parts.log.warn({ error: String(error), processor: parts.turn.processor.name }, 'processor has to wait');
      await pause(RETRY_MS, signal);
    }
  }
  return undefined;
}

/** Follows the lane's durable consumer, and makes stream and consumer again when they were lost. */
async function listen(parts: LaneParts, signal: AbortSignal, onMessage: (message: JsMsg) => void): Promise<void> {
  const { nats, stream, turn } = parts;
  const name = `${turn.processor.name}-${turn.lane}`;
  while (!signal.aborted) {
    try {
      const manager = await ensureStream(nats, stream);
      await manager.consumers.add(stream.name, {
        durable_name: name,
        filter_subject: laneSubject(stream, turn.lane),
        // Positions are kept in the database, so what the stream knows of this consumer need not survive anything.
        deliver_policy: DeliverPolicy.New,
        mem_storage: true,
        ack_policy: AckPolicy.All,
        max_ack_pending: -1,
      });
      const consumer = await jetstream(nats).consumers.get(stream.name, name);
      const messages = await consumer.consume({ max_messages: 1_000, abort_on_missing_resource: true });
      const stop = () => messages.stop();
      signal.addEventListener('abort', stop, { once: true });
      for await (const message of messages) onMessage(message);
      signal.removeEventListener('abort', stop);
    } catch (error) {
      if (!signal.aborted) parts.log.debug({ error: String(error), consumer: name }, 'consumer has to be made again');
    }
    await pause(RETRY_MS, signal);
  }
}
