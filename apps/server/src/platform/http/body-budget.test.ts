import { describe, expect, it } from 'vitest';
import { givenMetrics } from '../../../test/given/metrics.ts';
import type { Problem } from '../errors.ts';
import { observeBodies } from './body.metrics.ts';
import { type Body, createBodyBudget } from './body-budget.ts';
import { BODY_LIMITS, type BodyLimits } from './body-limits.ts';

function given(limits: Partial<BodyLimits> = {}) {
  const budget = createBodyBudget({
    ...BODY_LIMITS,
    ...{ bytes: 100, bytesPerHolder: 40, littleBytes: 10 },
    ...limits,
  });
  const ended: string[] = [];
  const begin = (org: string, actor: string) =>
    budget.begin({ org, actor }, ({ code }: Problem) => void ended.push(`${org} ${actor}: ${code}`));
  const hold = (body: Body, bytes: number): string => {
    try {
      budget.hold(body, bytes);
      return 'held';
    } catch (error) {
      return (error as Problem).message.includes('You are sending') ? 'share' : 'full';
    }
  };
  return { budget, ended, begin, hold };
}

describe('memory', () => {
  it('is limited for each org and for each actor, however many orgs that actor has', () => {
    const { budget, begin, hold } = given();
    expect(hold(begin('org-1', 'ada'), 40)).toBe('held');
    expect(hold(begin('org-2', 'ada'), 1)).toBe('share');
    expect(hold(begin('org-1', 'bea'), 1)).toBe('share');
    expect(hold(begin('org-2', 'bea'), 1)).toBe('held');
    expect(budget.figures()).toMatchObject({ heldBytes: 41, refused: { share: 2, full: 0 } });
  });

  it('keeps half for holders of little', () => {
    const { ended, begin, hold } = given();
    expect(hold(begin('org-1', 'ada'), 25)).toBe('held');
    expect(hold(begin('org-2', 'bea'), 25)).toBe('held');
    expect(hold(begin('org-3', 'cal'), 25)).toBe('full');
    for (const name of ['d', 'e', 'f', 'g', 'h']) expect(hold(begin(`org-${name}`, name), 10)).toBe('held');
    expect(ended).toEqual([]);
  });

  it('is taken from the slowest body of the largest holder when a smaller one needs it', () => {
    const { budget, ended, begin, hold } = given();
    const quick = begin('org-1', 'ada');
    hold(quick, 20);
    budget.noteReceived(quick, 20);
    const slow = begin('org-1', 'bea');
    hold(slow, 20);
    budget.noteReceived(slow, 1);
    hold(begin('org-2', 'cal'), 10);
    expect(hold(begin('org-3', 'dan'), 11)).toBe('held');
    expect(ended).toEqual(['org-1 bea: unavailable']);
    expect(() => budget.hold(slow, 1)).toThrow(slow.ended);
    expect(budget.figures()).toMatchObject({ heldBytes: 41, arriving: 3, refused: { full: 1 } });
  });

  it('is never taken from a holder of as much, nor from a body that a handler uses', () => {
    const { budget, ended, begin, hold } = given({ bytes: 60, littleBytes: 30 });
    const used = begin('org-1', 'ada');
    hold(used, 30);
    budget.noteArrived(used);
    hold(begin('org-2', 'bea'), 15);
    hold(begin('org-3', 'cal'), 15);
    expect(hold(begin('org-4', 'dan'), 15)).toBe('full');
    expect(ended).toEqual([]);
  });
});

describe('the number of arriving bodies', () => {
  it('is limited for each actor and for each org', () => {
    const { budget, begin } = given({ arrivingPerActor: 2, arrivingPerOrg: 3 });
    begin('org-1', 'ada');
    const second = begin('org-2', 'ada');
    expect(() => begin('org-3', 'ada')).toThrow('You are sending too many request bodies');
    budget.noteArrived(second);
    begin('org-1', 'ada');
    begin('org-1', 'bea');
    expect(() => begin('org-1', 'cal')).toThrow('You are sending too many request bodies');
    expect(budget.figures().arriving).toBe(3);
  });

  it('leaves room for newcomers', () => {
    const { budget, ended, begin } = given({ arriving: 8, littleArriving: 2 });
    for (let i = 0; i < 4; i++) begin('org-1', 'ada');
    expect(() => begin('org-1', 'ada')).toThrow('This server is receiving too many request bodies');
    for (const name of ['b', 'c', 'd', 'e']) begin(`org-${name}`, name);
    begin('org-f', 'f');
    expect(ended).toEqual(['org-1 ada: unavailable']);
    expect(budget.figures().arriving).toBe(8);
  });
});

describe('the pace', () => {
  const tick = (budget: { tick(): void }, times: number) => {
    for (let i = 0; i < times; i++) budget.tick();
  };

  it('is judged by the last five ticks', () => {
    const { budget, ended, begin } = given();
    const body = begin('org-1', 'ada');
    budget.noteReceived(body, BODY_LIMITS.paceBytes);
    tick(budget, 6);
    expect(ended).toEqual([]);
    budget.noteReceived(body, BODY_LIMITS.paceBytes - 1);
    tick(budget, 4);
    expect(ended).toEqual([]);
    tick(budget, 1);
    expect(ended).toEqual(['org-1 ada: too_slow']);
    expect(budget.figures()).toEqual({ heldBytes: 0, arriving: 0, refused: { share: 0, full: 0, slow: 1 } });
  });

  it('is not held against a sender who waits for us, nor against a body that has arrived', () => {
    const { budget, ended, begin } = given();
    begin('org-1', 'ada').isAwaited = false;
    budget.noteArrived(begin('org-1', 'bea'));
    tick(budget, 50);
    expect(ended).toEqual([]);
  });
});

it('forgets everything about a body that is released, however often', () => {
  const { budget, begin, hold } = given();
  const body = begin('org-1', 'ada');
  hold(body, 40);
  budget.release(body);
  budget.release(body);
  expect(budget.figures()).toMatchObject({ heldBytes: 0, arriving: 0 });
  expect(hold(begin('org-1', 'ada'), 40)).toBe('held');
});

it('shows its figures as metrics', async () => {
  const { budget, begin, hold } = given();
  const { metrics, read } = givenMetrics();
  observeBodies(metrics, budget);
  hold(begin('org-1', 'ada'), 40);
  hold(begin('org-1', 'ada'), 40);
  expect(await read('bodies_held_bytes')).toEqual([{ value: 40, labels: {} }]);
  expect(await read('bodies_arriving')).toEqual([{ value: 2, labels: {} }]);
  expect(await read('bodies_refused_total')).toEqual([
    { value: 1, labels: { reason: 'share' } },
    { value: 0, labels: { reason: 'full' } },
    { value: 0, labels: { reason: 'slow' } },
  ]);
});
