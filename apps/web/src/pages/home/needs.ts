import type { ApiKey, Delivery, Departure, LedgerStatus, Waiver } from '@waymark/contract';

const DAY = 86_400;
const EXPIRING_DAYS = 7;
/** One attempt may fail by chance. */
const ATTEMPTS_LOST = 2;

interface FailingTarget {
  readonly id: string;
  readonly to: string;
  readonly count: number;
  /** When the newest and the oldest of them were created. */
  readonly at: number;
  readonly since: number;
  /** Of all of them; undefined if some failed and some are pending. */
  readonly state: Delivery['state'] | undefined;
}

/** Targets that messages do not reach, the latest failure first. */
export function failingTargets(deliveries: readonly Delivery[]): readonly FailingTarget[] {
  const lost = deliveries.filter(
    ({ state, attempt_count }) => state === 'failed' || (state === 'waiting' && attempt_count >= ATTEMPTS_LOST),
  );
  return [...Map.groupBy(lost, ({ target }) => target.id)]
    .flatMap(([id, group]) => {
      const newest = group.reduce((one, other) => (other.created_at > one.created_at ? other : one));
      const since = Math.min(...group.map(({ created_at }) => created_at));
      const state = group.every((one) => one.state === newest.state) ? newest.state : undefined;
      return [{ id, to: newest.target.to, count: group.length, at: newest.created_at, since, state }];
    })
    .sort((one, other) => other.at - one.at);
}

/** Messages that do not reach a target. There may be more if not all messages were checked. */
export function messageWords(count: number, hasMore: boolean): string {
  const words = `${count} ${count === 1 ? 'message' : 'messages'} not delivered to`;
  return hasMore ? `At least ${words}` : words;
}

/** What is wrong with the ledger, the graver fault first. An installation without a signing key has none. */
export function ledgerFault(
  status: Pick<LedgerStatus, 'state' | 'reason' | 'last_check'> | undefined,
): { readonly word: string; readonly says: string } | undefined {
  const problems = status?.last_check?.problems ?? 0;
  if (problems > 0) {
    const differences = problems === 1 ? '1 difference' : `${problems.toLocaleString('en')} differences`;
    return {
      word: 'Records changed',
      says: `The last self-check found ${differences} between the ledger and the records`,
    };
  }
  if (status?.state !== 'stopped') return undefined;
  return {
    word: 'Signing stopped',
    says: status.reason ?? 'The ledger does not extend a checkpoint that was signed before',
  };
}

/** Keys and rules created by somebody who left. */
export function grantWords({
  keys,
  workload_identities: rules,
}: Pick<Departure, 'keys' | 'workload_identities'>): string {
  const parts = [
    ...(keys > 0 ? [keys === 1 ? '1 key' : `${keys} keys`] : []),
    ...(rules > 0 ? [rules === 1 ? '1 workload identity' : `${rules} workload identities`] : []),
  ];
  return parts.join(' and ');
}

/** The number of things that need attention. */
export function thingWords(count: number, hasMore: boolean): string {
  const words = String(count);
  return hasMore ? `At least ${words}` : words;
}

/** Waivers that end within a week, the next one first. */
export function expiringWaivers(waivers: readonly Waiver[], now: number): readonly Waiver[] {
  return waivers
    .filter(({ expires_at, ended_at }) => ended_at === null && isSoon(expires_at, now, EXPIRING_DAYS))
    .sort((one, other) => (one.expires_at ?? 0) - (other.expires_at ?? 0));
}

function isSoon(at: number | null, now: number, days: number): at is number {
  return at !== null && at > now && at <= now + days * DAY;
}

/** From early enough to act on it, until some days after the key has stopped working. */
const KEY_WARN_DAYS = 14;
const KEY_GONE_DAYS = 7;

/** Keys that expire soon or just expired. A replaced key expires on purpose. */
export function expiringKeys<K extends Pick<ApiKey, 'expires_at' | 'replaced_by'>>(
  keys: readonly K[],
  now: number,
): readonly K[] {
  return keys
    .filter(
      ({ expires_at, replaced_by }) =>
        replaced_by === null &&
        expires_at > 0 &&
        expires_at <= now + KEY_WARN_DAYS * DAY &&
        expires_at > now - KEY_GONE_DAYS * DAY,
    )
    .sort((one, other) => one.expires_at - other.expires_at);
}
