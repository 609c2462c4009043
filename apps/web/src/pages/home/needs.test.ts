import type { Delivery, Waiver } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import {
  expiringKeys,
  expiringWaivers,
  failingTargets,
  grantWords,
  ledgerFault,
  messageWords,
  thingWords,
} from './needs.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;

function delivery(id: string, to: string, state: Delivery['state'], attempt_count: number, created_at: number) {
  return { id, target: { id: to, type: 'CHAT', to }, state, attempt_count, created_at } as Delivery;
}

describe('what needs attention', () => {
  it('are targets that failed, not those in their first attempt', () => {
    const found = failingTargets([
      delivery('1', 'chat', 'failed', 8, 10),
      delivery('2', 'chat', 'waiting', 3, 30),
      delivery('3', 'hook', 'failed', 1, 40),
      delivery('4', 'mail', 'waiting', 1, 50),
      delivery('5', 'mail', 'delivered', 4, 60),
    ]);
    expect(found).toEqual([
      { id: 'hook', to: 'hook', count: 1, at: 40, since: 40, state: 'failed' },
      { id: 'chat', to: 'chat', count: 2, at: 30, since: 10, state: undefined },
    ]);
  });

  it('names the keys and workload identities of somebody who left', () => {
    expect(grantWords({ keys: 1, workload_identities: 0 })).toBe('1 key');
    expect(grantWords({ keys: 2, workload_identities: 1 })).toBe('2 keys and 1 workload identity');
    expect(grantWords({ keys: 0, workload_identities: 3 })).toBe('3 workload identities');
  });

  it('is a ledger whose signing stopped, or that differs from the records', () => {
    const check = (problems: number) => ({ at: NOW, entries: 9, problems });
    const signed = { state: 'signed', reason: null, last_check: check(0) } as const;
    expect(ledgerFault(undefined)).toBeUndefined();
    expect(ledgerFault(signed)).toBeUndefined();
    expect(ledgerFault({ ...signed, state: 'unsigned', last_check: null })).toBeUndefined();
    expect(ledgerFault({ ...signed, state: 'stopped', reason: 'PostgreSQL was restored' })).toEqual({
      word: 'Signing stopped',
      says: 'PostgreSQL was restored',
    });
    expect(ledgerFault({ ...signed, state: 'stopped', last_check: check(2) })).toEqual({
      word: 'Records changed',
      says: 'The last self-check found 2 differences between the ledger and the records',
    });
  });

  it('says so when there may be more than was checked', () => {
    expect(messageWords(1, false)).toBe('1 message not delivered to');
    expect(messageWords(50, true)).toBe('At least 50 messages not delivered to');
    expect(thingWords(1, true)).toBe('At least 1');
    expect(thingWords(15, false)).toBe('15');
  });

  it('are waivers that end within a week', () => {
    const waiver = (id: string, expires_at: number | null, ended_at: number | null = null) =>
      ({ id, expires_at, ended_at }) as Waiver;
    const found = expiringWaivers(
      [
        waiver('late', NOW + 6 * DAY),
        waiver('soon', NOW + DAY),
        waiver('far', NOW + 8 * DAY),
        waiver('endless', null),
        waiver('past', NOW - 1),
        waiver('withdrawn', NOW + DAY, NOW - 5),
      ],
      NOW,
    );
    expect(found.map(({ id }) => id)).toEqual(['soon', 'late']);
  });

  it('are keys that expire within two weeks or just expired, not those that never do or were replaced', () => {
    const keys = [
      ...[0, NOW + 13 * DAY, NOW + 15 * DAY, NOW - DAY, NOW - 8 * DAY].map((expires_at) => ({
        expires_at,
        replaced_by: null,
      })),
      { expires_at: NOW + DAY, replaced_by: 'its successor' },
    ];
    expect(expiringKeys(keys, NOW).map(({ expires_at }) => expires_at)).toEqual([NOW - DAY, NOW + 13 * DAY]);
  });
});
