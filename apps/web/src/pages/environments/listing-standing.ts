import type { AllowListing } from '@waymark/contract';

const SOON_SECONDS = 7 * 86_400;

/** How it stands with an allow-listing. It counts no longer when it has expired, though it is ended a while after that. */
export function standingOf(
  { ended_at, expires_at }: Pick<AllowListing, 'ended_at' | 'expires_at'>,
  now: number,
): 'ended' | 'expired' | 'soon' | 'in force' {
  if (ended_at !== null) return 'ended';
  if (expires_at === null) return 'in force';
  if (expires_at <= now) return 'expired';
  return expires_at - now < SOON_SECONDS ? 'soon' : 'in force';
}
