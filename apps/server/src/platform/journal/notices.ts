import type { Logger } from '../log.ts';
import type { Position } from './lanes.ts';
import { feedSubject, type Linked, laneSubject, type StreamLink } from './stream.ts';

interface HearingParts extends Linked {
  readonly log: Logger;
}

/**
 * Subscribes to what is published from now on, lane by lane; returns how to stop. A plain subscription to the subjects
 * of the stream: a worker needs a wake-up, not the history, as positions are in the database and a sweep finds what was
 * missed. A consumer of the stream, which reads what is being written, halved the rate of publishing (measured
 * 2026-11).
 */
export function hearNotices(parts: HearingParts, onNotice: (lane: number, notice: Position) => void): () => void {
  const prefix = laneSubject(parts.stream, '');
  return hear(parts, laneSubject(parts.stream, '*'), isPosition, (notice, subject) =>
    onNotice(Number(subject.slice(prefix.length)), notice),
  );
}

/** Subscribes to orgs with news in their feeds, from now on; returns how to stop. */
export function hearNews(parts: HearingParts, onNews: (orgs: readonly string[]) => void): () => void {
  return hear(parts, feedSubject(parts.stream), isListOfTexts, onNews);
}

/** Publishes that these orgs have news in their feeds. Without a connection, servers find them when they poll. */
export function publishNews(link: Pick<StreamLink, 'current'>, orgs: readonly string[]): void {
  const linked = link.current();
  linked?.nats.publish(feedSubject(linked.stream), JSON.stringify(orgs));
}

/** Anyone on the network may publish anything: malformed messages are ignored. */
function hear<Content>(
  { nats, log }: HearingParts,
  subject: string,
  isExpected: (content: unknown) => content is Content,
  onContent: (content: Content, subject: string) => void,
): () => void {
  const heard = nats.subscribe(subject, {
    callback: (error, message) => {
      if (error) return;
      const content = jsonOf(message.string());
      if (isExpected(content)) onContent(content, message.subject);
      else log.warn({ subject: message.subject }, 'message is not understood and was ignored');
    },
  });
  return () => heard.unsubscribe();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isPosition(content: unknown): content is Position {
  if (typeof content !== 'object' || content === null) return false;
  const { xid, seq } = content as Partial<Position>;
  return typeof xid === 'string' && /^\d{1,20}$/.test(xid) && Number.isSafeInteger(seq);
}

function isListOfTexts(content: unknown): content is string[] {
  return Array.isArray(content) && content.every((item) => typeof item === 'string');
}
