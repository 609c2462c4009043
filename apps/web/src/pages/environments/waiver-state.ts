import type { Waiver } from '@waymark/contract';

export type WaiverState = 'active' | 'expiring' | 'expired' | 'withdrawn' | 'replaced';

/** How long before its end a waiver is marked as expiring. */
export const SOON_SECONDS = 7 * 86_400;

/** Whether it still applies. An expired one does not, even if the expiry is not recorded yet. */
export function waiverStateOf(
  { ended_at, end_reason, expires_at }: Pick<Waiver, 'ended_at' | 'end_reason' | 'expires_at'>,
  now: number,
): WaiverState {
  if (ended_at !== null) return end_reason ?? 'expired';
  if (expires_at === null) return 'active';
  if (expires_at <= now) return 'expired';
  return expires_at - now <= SOON_SECONDS ? 'expiring' : 'active';
}

export function counts(state: WaiverState): boolean {
  return state === 'active' || state === 'expiring';
}
