import type { Action, EnvironmentTrigger, FlowTrigger } from '@waymark/contract';
import { draftOf, newTarget, type TargetDraft } from './target-draft.ts';
import { ENVIRONMENT_TRIGGER_WORDS, FLOW_TRIGGER_WORDS } from './trigger-words.ts';

export type Kind = Action['type'];

/** A notification as it is edited. */
export interface NotificationDraft {
  readonly kind: Kind;
  /** Null while there is none. */
  readonly number: number | null;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly triggers: readonly string[];
  readonly targets: readonly TargetDraft[];
}

export function newNotification(kind: Kind): NotificationDraft {
  return { kind, number: null, name: '', scopes: [], triggers: [], targets: [newTarget('first')] };
}

export function scopesOf(action: Action): readonly string[] {
  return action.type === 'env' ? action.environments : action.flows;
}

export function editable(action: Action): NotificationDraft {
  const { type: kind, number, name, triggers, targets } = action;
  return { kind, number, name, scopes: scopesOf(action), triggers, targets: targets.map(draftOf) };
}

export function triggerWords(kind: Kind): readonly (readonly [string, string])[] {
  return Object.entries(kind === 'env' ? ENVIRONMENT_TRIGGER_WORDS : FLOW_TRIGGER_WORDS);
}

export const environmentTriggersOf = ({ triggers }: NotificationDraft): EnvironmentTrigger[] =>
  triggers.filter((trigger): trigger is EnvironmentTrigger => trigger in ENVIRONMENT_TRIGGER_WORDS);

export const flowTriggersOf = ({ triggers }: NotificationDraft): FlowTrigger[] =>
  triggers.filter((trigger): trigger is FlowTrigger => trigger in FLOW_TRIGGER_WORDS);

/** What is missing before it can be saved; undefined when nothing is. */
export function missingIn(draft: NotificationDraft, taken: readonly string[]): string | undefined {
  if (draft.number === null && taken.includes(draft.name.trim()))
    return 'A notification with this name exists: choose another name, or edit that one';
  if (draft.scopes.length === 0)
    return draft.kind === 'env' ? 'Choose an environment to watch' : 'Choose a flow to watch';
  return draft.triggers.length === 0 ? 'Choose a trigger' : undefined;
}
