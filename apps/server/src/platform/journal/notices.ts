import type { Logger } from '../log.ts';
import type { LanePosition } from './pass.ts';
import type { Sequenced } from './sequencer.ts';
import { type Linked, type StreamLink, sequencedSubject } from './stream.ts';

interface HearingParts extends Linked {
  readonly log: Logger;
}

/** Publishes what a pass has put in order. Losing it costs workers a second, and servers until their next poll. */
export function publishSequenced(link: Pick<StreamLink, 'current'>, { orgs, lanes }: Sequenced): void {
  const linked = link.current();
  if (!linked || linked.nats.isClosed()) return;
  const text = JSON.stringify({ orgs, lanes: lanes.map(({ lane, position }) => [lane, position]) });
  linked.nats.publish(sequencedSubject(linked.stream), text);
}

/** Subscribes to what is sequenced from now on; returns how to stop. */
export function hearSequenced(
  { nats, stream, log }: HearingParts,
  onSequenced: (sequenced: Sequenced) => void,
): () => void {
  const heard = nats.subscribe(sequencedSubject(stream), {
    callback: (error, message) => {
      if (error) return;
      const sequenced = readSequenced(message.string());
      if (sequenced) onSequenced(sequenced);
      else log.warn({ subject: message.subject }, 'message is not understood and was ignored');
    },
  });
  return () => heard.unsubscribe();
}

/** Anyone on the network may publish anything: malformed messages are ignored. */
function readSequenced(text: string): Sequenced | undefined {
  const { orgs, lanes } = jsonOf(text) as { orgs?: unknown; lanes?: unknown };
  if (!Array.isArray(orgs) || !orgs.every((org) => typeof org === 'string')) return undefined;
  if (!Array.isArray(lanes)) return undefined;
  const read = lanes.map(readPosition);
  if (read.includes(undefined)) return undefined;
  return { orgs, lanes: read.filter((each) => each !== undefined) };
}

function readPosition(pair: unknown): LanePosition | undefined {
  if (!Array.isArray(pair)) return undefined;
  const [lane, position] = pair as unknown[];
  if (!Number.isSafeInteger(lane) || !Number.isSafeInteger(position)) return undefined;
  return { lane: Number(lane), position: Number(position) };
}

function jsonOf(text: string): object {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null ? content : {};
  } catch {
    return {};
  }
}
