import { joinContents, type MessageContent, type MessageTrigger } from '@waymark/messages';

/** A message that a notification or a configuration causes. */
export interface PlannedMessage {
  /** A notification, or the org for one of its configurations. */
  readonly source: { readonly id: string; readonly configType: 'api_key_expiry' | null };
  /** The environment or flow it is about, or the org. */
  readonly scopeId: string;
  readonly trigger: MessageTrigger;
  readonly content: MessageContent;
  /** The number of events in it. */
  readonly count: number;
  /** When the event was recorded. */
  readonly at: Date;
  /** The journal entries it comes from; none for messages that the service raises itself. */
  readonly entryIds: readonly string[];
  /** The same for messages from the same entries; meaningless without entries. */
  readonly entriesKey: string;
  /** Whether it may share a message with others of its trigger. A state change never does. */
  readonly groups: boolean;
  /** For a configuration without targets: the recipients. */
  readonly recipients?: readonly string[];
}

/** A message that has a number, or is still open. */
export interface Draft {
  readonly id: string;
  readonly source: PlannedMessage['source'];
  readonly scopeId: string;
  readonly trigger: MessageTrigger;
  readonly createdAt: Date;
  readonly recipients: readonly string[] | undefined;
  count: number;
  content: MessageContent;
  openUntil: Date | null;
  openRank: number;
  sequence: number | null;
}

/**
 * The messages of a source about one environment, flow or org, in order. That is the order of the journal, where a
 * message about several events has the place of the last of them. No message precedes one whose last event was earlier,
 * although its first event may have been earlier still.
 */
export interface Line {
  /** The number of the last message. */
  last: number;
  /** At most one for each trigger, in order. */
  readonly open: Map<MessageTrigger, Draft>;
  /** When the last message of a trigger was numbered. */
  readonly numberedAt: Map<MessageTrigger, Date>;
  /** The changes: messages that were numbered, in order, and open ones that were extended. */
  readonly numbered: Draft[];
  readonly joined: Set<Draft>;
}

/** For this long after a message, others of its trigger are held back and share the next one. */
const PACE_MS = 10_000;

export function newLine(last: number): Line {
  return { last, open: new Map(), numberedAt: new Map(), numbered: [], joined: new Set() };
}

export function addToLine(line: Line, message: PlannedMessage, now: Date, newId: () => string): void {
  if (!message.groups || message.recipients) {
    numberAll(line, [...line.open.values()], now);
    numberAll(line, [toDraft(message, newId(), null)], now);
    return;
  }
  const open = line.open.get(message.trigger);
  if (open) {
    open.count += message.count;
    open.content = joinContents(open.content, message.content);
  }
  const draft = open ?? toDraft(message, newId(), openUntil(line.numberedAt.get(message.trigger), now));
  line.open.delete(draft.trigger);
  draft.openRank = 1 + Math.max(0, ...[...line.open.values()].map(({ openRank }) => openRank));
  line.open.set(draft.trigger, draft);
  line.joined.add(draft);
}

/**
 * Numbers messages that have been open long enough; the first after a pause does not wait at all. Messages that precede
 * them are numbered too, however short they have been open.
 */
export function closeDue(line: Line, now: Date): void {
  const open = [...line.open.values()];
  const last = open.findLastIndex(({ openUntil }) => openUntil === null || openUntil <= now);
  numberAll(line, open.slice(0, last + 1), now);
}

function toDraft(message: PlannedMessage, id: string, openUntil: Date | null): Draft {
  const { source, scopeId, trigger, count, content, at, recipients } = message;
  const draft = { id, source, scopeId, trigger, createdAt: at, recipients, count, content, openUntil };
  return { ...draft, openRank: 0, sequence: null };
}

/** A clock that was set back does not extend the time. */
function openUntil(last: Date | undefined, now: Date): Date {
  const end = (last?.getTime() ?? Number.NEGATIVE_INFINITY) + PACE_MS;
  return new Date(Math.min(Math.max(end, now.getTime()), now.getTime() + PACE_MS));
}

function numberAll(line: Line, drafts: readonly Draft[], now: Date): void {
  for (const draft of drafts) {
    line.last++;
    draft.sequence = line.last;
    draft.openUntil = null;
    line.open.delete(draft.trigger);
    line.joined.delete(draft);
    line.numberedAt.set(draft.trigger, now);
    line.numbered.push(draft);
  }
}
