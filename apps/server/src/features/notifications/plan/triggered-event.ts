import type { MessageContent, MessageTrigger } from '@waymark/messages';
import type { Entry } from '../../../platform/journal/processor.ts';
import type { Facts, Needs } from './triggered-event-facts.reads.ts';

/** Something that a trigger is about, before it is known for whom. */
export interface TriggeredEvent {
  readonly trigger: MessageTrigger;
  readonly count: number;
  /** False for a state change, which has a message of its own. */
  readonly groups: boolean;
  /** What has to be known to tell of it. */
  readonly needs: Needs;
  /** Undefined when it turns out that there is nothing to tell. */
  readonly contentOf: (facts: Facts) => MessageContent | undefined;
}

/** Which triggers an entry of a type can be about, and what its payload tells of them. */
export interface Source {
  readonly triggers: readonly MessageTrigger[];
  readonly events: (payload: never, entry: Entry) => readonly TriggeredEvent[];
}
