import type { Logger } from '../log.ts';
import type { LanePosition } from './pass.ts';
import type { Sequenced } from './sequencer.ts';
import { type Linked, type StreamLink, sequencedOfOrgSubject, sequencedSubject } from './stream.ts';

interface HearingParts extends Linked {
  readonly log: Logger;
}

/**
 * Publishes what a pass has put in order: the lanes to workers, and each org to servers with listeners. Losing it costs
 * workers a second, and servers until their next poll.
 */
export function publishSequenced(link: Pick<StreamLink, 'current'>, { orgs, lanes }: Sequenced): void {
  const linked = link.current();
  if (!linked || linked.nats.isClosed()) return;
  const positions = lanes.map(({ lane, position }) => [lane, position]);
  linked.nats.publish(sequencedSubject(linked.stream), JSON.stringify(positions));
  for (const org of orgs) linked.nats.publish(sequencedOfOrgSubject(linked.stream, org));
}

/** Subscribes to the lanes with what is sequenced from now on; returns how to stop. */
export function hearLanes(
  { nats, stream, log }: HearingParts,
  onSequenced: (lanes: readonly LanePosition[]) => void,
): () => void {
  const heard = nats.subscribe(sequencedSubject(stream), {
    callback: (error, message) => {
      if (error) return;
      const lanes = readLanes(message.string());
      if (lanes) onSequenced(lanes);
      else log.warn({ subject: message.subject }, 'message is not understood and was ignored');
    },
  });
  return () => heard.unsubscribe();
}

/**
 * Subscribes to an org, and returns how to stop. `onSequenced` is also called once the subscription is known to the NATS
 * server, because nothing that was published before is heard.
 */
export function hearOrg({ nats, stream }: Linked, org: string, onSequenced: () => void): () => void {
  const heard = nats.subscribe(sequencedOfOrgSubject(stream, org), {
    callback: (error) => {
      if (!error) onSequenced();
    },
  });
  nats.flush().then(
    () => {
      if (!heard.isClosed()) onSequenced();
    },
    // The connection is lost. Subscriptions return with it, and `hearReconnects` reports that.
    () => undefined,
  );
  return () => heard.unsubscribe();
}

/** Reports that notices may have been lost while there was no connection. */
export async function hearReconnects({ nats }: Linked, onReconnected: () => void): Promise<void> {
  for await (const { type } of nats.status()) if (type === 'reconnect') onReconnected();
}

/** Anyone on the network may publish anything: malformed messages are ignored. */
function readLanes(text: string): LanePosition[] | undefined {
  const lanes = jsonOf(text);
  if (!Array.isArray(lanes)) return undefined;
  const read = lanes.map(readPosition);
  return read.includes(undefined) ? undefined : read.filter((each) => each !== undefined);
}

function readPosition(pair: unknown): LanePosition | undefined {
  if (!Array.isArray(pair)) return undefined;
  const [lane, position] = pair as unknown[];
  if (!Number.isSafeInteger(lane) || !Number.isSafeInteger(position)) return undefined;
  return { lane: Number(lane), position: Number(position) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
