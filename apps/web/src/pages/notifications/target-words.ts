import type { NotificationTarget } from '@waymark/contract';

export type TargetType = NotificationTarget['type'];

export const TARGET_WORDS: Record<TargetType, string> = {
  WEBHOOK: 'Webhook',
  CHAT: 'Chat',
  EMAIL: 'Email',
};

export const TARGET_HELP: Record<TargetType, string> = {
  WEBHOOK: 'Your own endpoint. It receives signed JSON.',
  CHAT: 'The incoming webhook of a chat service, such as Slack or Teams.',
  EMAIL: 'Up to 50 addresses.',
};

/** Where it leads, in short: the host of a URL, whose path may be a secret, or the first address. */
export function whereTo(target: NotificationTarget): string {
  if (target.type !== 'EMAIL') return URL.parse(target.webhook)?.host ?? target.webhook;
  const [first = '', ...others] = target.emails;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

export type Health = 'given-up' | 'failing' | 'works' | 'unused';

export function healthOf(target: NotificationTarget): Health {
  if (target.disabled_at !== null) return 'given-up';
  if (target.last_error !== null) return 'failing';
  return target.last_success_at === null ? 'unused' : 'works';
}
