import type { Action, NotificationTarget } from '@waymark/contract';

export function watchedOf(action: Action): readonly string[] {
  return action.type === 'env' ? action.environments : action.flows;
}

/** Shows only the host of a URL: in chat services the rest is a secret. */
export function targetText(target: NotificationTarget): string {
  if (target.type === 'EMAIL') return `email ${target.emails.join(', ')}`;
  return `${target.type.toLowerCase()} ${URL.parse(target.webhook)?.host ?? ''}`.trim();
}

export function healthText(target: NotificationTarget): string {
  if (target.disabled_at !== null) return `disabled: ${target.disabled_because ?? 'it failed'}`;
  if (target.last_error !== null) return `failing: ${target.last_error}`;
  return target.last_success_at === null ? 'nothing sent yet' : 'works';
}

export function stateOf({ targets, is_failing }: Action): string {
  if (targets.some(({ disabled_at }) => disabled_at !== null)) return 'disabled';
  return is_failing ? 'failing' : 'ok';
}
