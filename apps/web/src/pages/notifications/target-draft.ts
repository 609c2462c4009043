import { type NotificationTarget, PAYLOAD_VERSION, type TargetInput } from '@waymark/contract';
import type { TargetType } from './target-words.ts';

/** A target as it is edited. An existing one has its id, and keeps its type, secret and delivery record. */
export interface TargetDraft {
  /** Identifies the row of the form. */
  readonly key: string;
  readonly id: string | null;
  readonly type: TargetType;
  readonly webhook: string;
  readonly emails: string;
  readonly context: TargetInput['context'];
}

export function newTarget(key: string, type: TargetType = 'WEBHOOK'): TargetDraft {
  return { key, id: null, type, webhook: '', emails: '', context: null };
}

export function draftOf(target: NotificationTarget): TargetDraft {
  return {
    key: target.id,
    id: target.id,
    type: target.type,
    webhook: target.type === 'EMAIL' ? '' : target.webhook,
    emails: target.type === 'EMAIL' ? target.emails.join('\n') : '',
    context: target.type === 'CHAT' ? target.context : null,
  };
}

export function addressesIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((address) => address !== '');
}

export function inputOf({ id, type, webhook, emails, context }: TargetDraft): TargetInput {
  const known = id === null ? {} : { id };
  if (type === 'EMAIL') return { type, emails: addressesIn(emails), ...known };
  if (type === 'CHAT') return { type, webhook: webhook.trim(), context, ...known };
  return { type, webhook: webhook.trim(), payload_version: PAYLOAD_VERSION, ...known };
}
