import type { MessageContent, MessageTrigger } from '@waymark/messages';
import type { Entry } from '../../../platform/journal/processor.ts';
import type { Facts, Needs } from './triggered-event-facts.reads.ts';

/** An event for a trigger, before its recipients are known. */
export interface TriggeredEvent {
  readonly trigger: MessageTrigger;
  readonly count: number;
  /** False for a state change, which has a message of its own. */
  readonly groups: boolean;
  /** The facts that its message needs. */
  readonly needs: Needs;
  /** Undefined when the facts show that no message is due. */
  readonly contentOf: (facts: Facts) => MessageContent | undefined;
}

/** The triggers of a type of entry, and how its payload becomes events. */
export interface EventSource {
  readonly triggers: readonly MessageTrigger[];
  readonly events: (payload: never, entry: Entry) => readonly TriggeredEvent[];
}
