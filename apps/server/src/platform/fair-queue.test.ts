import { describe, expect, it, onTestFinished } from 'vitest';
import { createFairQueue, type FairQueueLimits } from './fair-queue.ts';

const LIMITS: FairQueueLimits = {
  running: 2,
  runningPerOrg: 1,
  waiting: 8,
  waitingPerOrg: 4,
  patienceMs: 60_000,
  heavyFromMs: 500,
  refusal: 'Too much is waiting',
};

/** A queue whose work ends when the test says so, with a clock that the test moves. */
function givenQueue(limits: Partial<FairQueueLimits> = {}) {
  const clock = { now: 0 };
  const queue = createFairQueue({ ...LIMITS, ...limits }, () => clock.now);
  onTestFinished(queue.close);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (org: string, name = org, signal?: AbortSignal) => {
    const work = () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    };
    const asked = queue.run(org, work, signal);
    // Whatever still waits at the end of the test is refused.
    asked.catch(() => undefined);
    return asked;
  };
  const end = async (name: string, ms = 1) => {
    clock.now += ms;
    ends.get(name)?.();
    await settled();
  };
  return { clock, queue, begun, ask, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a fair queue', () => {
  it('runs so much at once, of one org no more than its share', async () => {
    const { ask, begun, end } = givenQueue();
    void ask('a', 'a1');
    void ask('a', 'a2');
    void ask('b', 'b1');
    void ask('c', 'c1');
    await settled();
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('gives the next turn to the org with the least use, however many others wait', async () => {
    const { ask, begun, end } = givenQueue({ running: 1 });
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    await settled();
    void ask('b', 'b1');
    await end('a1', 400);
    await end('b1', 10);
    void ask('b', 'b2');
    await end('a2', 400);
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('keeps one place for orgs that use little, also from many that use much', async () => {
    const { ask, begun, end } = givenQueue();
    const heavy = ['a', 'b', 'c'];
    for (const org of heavy) {
      void ask(org, `${org}1`);
      await settled();
      await end(`${org}1`, 1_000);
    }
    begun.length = 0;
    for (const org of heavy) void ask(org, `${org}2`);
    await settled();
    expect(begun).toEqual(['a2']);
    void ask('new');
    await settled();
    expect(begun).toEqual(['a2', 'new']);
  });

  it('forgets in time what an org has used', async () => {
    const { ask, begun, clock, end } = givenQueue();
    void ask('a', 'a1');
    void ask('b', 'b1');
    await settled();
    await end('a1', 800);
    await end('b1', 0);
    clock.now += 60_000;
    void ask('a', 'a2');
    void ask('b', 'b2');
    await settled();
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('refuses what an org asks beyond its limit, and nobody else', async () => {
    const { ask, queue } = givenQueue();
    for (let i = 0; i < 5; i++) void ask('a', `a${i}`);
    await expect(ask('a', 'one too many')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Too much is waiting',
      retryAfterSeconds: 1,
    });
    void ask('b');
    await settled();
    expect(queue.figures()).toMatchObject({ running: 2, waiting: 4, admitted: 2, refused: 1 });
  });

  it('sends away the last of the longest row when all rows together are full', async () => {
    const { ask, queue } = givenQueue();
    const asked = ['a', 'b'].flatMap((org) => Array.from({ length: 5 }, (_, i) => ask(org, `${org}${i}`)));
    const last = expect(asked[4]).rejects.toMatchObject({ code: 'unavailable' });
    await settled();
    void ask('c');
    await last;
    expect(queue.figures()).toMatchObject({ running: 2, waiting: 8, refused: 1 });
  });

  it('lets nobody wait beyond their patience, nor for a caller who has left', async () => {
    const { ask, queue, clock } = givenQueue({ patienceMs: 5 });
    void ask('a', 'a1');
    const tooLate = ask('a', 'a2');
    clock.now += 4;
    const inTime = ask('a', 'a3');
    clock.now += 1;
    await expect(tooLate).rejects.toMatchObject({ code: 'unavailable' });
    expect(queue.figures()).toMatchObject({ waiting: 1, refused: 1 });
    clock.now += 4;
    await expect(inTime).rejects.toMatchObject({ code: 'unavailable' });
    const patient = givenQueue();
    const left = new AbortController();
    void patient.ask('a', 'a1');
    const waits = patient.ask('a', 'a2', left.signal);
    left.abort(new Error('gone'));
    await expect(waits).rejects.toThrow('gone');
    expect([queue.figures().waiting, patient.queue.figures()]).toEqual([
      0,
      expect.objectContaining({ waiting: 0, refused: 0 }),
    ]);
  });

  it('gives more at once to an org that is alone, until another one asks', async () => {
    const { ask, begun, clock, end } = givenQueue({ running: 6, runningPerOrg: 2, runningAlone: 4 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void ask('a', name);
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    void ask('b', 'b1');
    await settled();
    await end('a1');
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
    await end('b1');
    await end('a3');
    expect(begun.at(-1)).toBe('a5');
    clock.now += 10_000;
    for (const name of ['a6', 'a7', 'a8']) void ask('a', name);
    await settled();
    expect(begun.slice(-2)).toEqual(['a6', 'a7']);
  });

  it('gives more at once to an org that asks for less than the others', async () => {
    const { ask, begun } = givenQueue({ running: 9, runningPerOrg: 2, runningOfLight: 3 });
    for (let i = 0; i < 6; i++) void ask('a', `a${i}`);
    for (let i = 0; i < 4; i++) void ask('b', `b${i}`);
    await settled();
    expect(begun).toEqual(['a0', 'a1', 'b0', 'b1', 'b2']);
  });

  it('takes few large pieces of work for more than many small ones', async () => {
    const { ask, begun, queue } = givenQueue({ running: 9, runningPerOrg: 1, runningOfLight: 3, waiting: 20 });
    queue.weigh('large', 50);
    for (let i = 0; i < 3; i++) void ask('large', `large${i}`);
    for (let i = 0; i < 6; i++) void ask('small', `small${i}`);
    await settled();
    expect(begun).toEqual(['large0', 'small0', 'small1', 'small2']);
  });

  it('gives least at once to the org that asks for the most, while many of it wait', async () => {
    const { ask, begun, end } = givenQueue({
      running: 9,
      runningPerOrg: 3,
      runningOfHeaviest: 1,
      heaviestFrom: 3,
      waitingPerOrg: 9,
      waiting: 20,
    });
    void ask('b', 'b0');
    for (let i = 0; i < 8; i++) void ask('a', `a${i}`);
    await settled();
    expect(begun).toEqual(['b0', 'a0', 'a1', 'a2']);
    // With five and four that wait, one at a time has a turn; with two, three have.
    for (let i = 0; i < 3; i++) await end(`a${i}`);
    expect(begun.slice(4)).toEqual(['a3']);
    await end('a3');
    expect(begun.slice(5)).toEqual(['a4']);
    await end('a4');
    expect(begun.slice(6)).toEqual(['a5', 'a6', 'a7']);
  });

  it('reports that waiting in an endless queue is in vain', async () => {
    const { ask, begun, clock, end, queue } = givenQueue({
      waitingPerOrg: 100,
      waiting: 100,
      congestion: { afterMs: 5_000, patienceMs: 300 },
    });
    for (let i = 0; i < 20; i++) void ask('a', `a${i}`);
    await settled();
    for (let i = 0; i < 3; i++) await end(`a${i}`, 100);
    // A burst may take long, as it ends by itself.
    expect(queue.turnsAway('a')).toBe(false);
    clock.now += 5_000;
    expect(queue.turnsAway('a')).toBe(true);
    expect(queue.turnsAway('b')).toBe(false);
    // Whoever is already waiting gets a turn.
    for (let i = 3; i < 19; i++) await end(`a${i}`, 10);
    expect(begun.at(-1)).toBe('a19');
    expect(queue.turnsAway('a')).toBe(false);
    expect(queue.figures()).toMatchObject({ waiting: 0, refused: 1 });
  });

  it('takes a few that wait for no row, however slow their turns are', async () => {
    const { ask, clock, end, queue } = givenQueue({
      waitingPerOrg: 100,
      waiting: 100,
      congestion: { afterMs: 1_000, patienceMs: 300 },
      congestedFrom: 10,
    });
    for (let i = 0; i < 11; i++) void ask('a', `a${i}`);
    await settled();
    await end('a0', 60_000);
    expect(queue.turnsAway('a')).toBe(false);
    for (let i = 11; i < 20; i++) void ask('a', `a${i}`);
    clock.now += 1_000;
    expect(queue.turnsAway('a')).toBe(true);
  });

  it('is more patient with those that ask for less than another', async () => {
    const { ask, end, queue } = givenQueue({
      waitingPerOrg: 100,
      waiting: 100,
      congestion: { afterMs: 5_000, patienceMs: 60_000 },
      congestionOfHeaviest: { afterMs: 1_000, patienceMs: 300 },
    });
    for (let i = 0; i < 20; i++) void ask('a', `a${i}`);
    for (let i = 0; i < 15; i++) void ask('b', `b${i}`);
    await settled();
    await end('b0', 1);
    await end('a0', 1_001);
    expect([queue.turnsAway('a'), queue.turnsAway('b')]).toEqual([true, false]);
  });

  it('refuses at once again when a row comes back that ended only because newcomers were refused', async () => {
    const { ask, clock, end, queue } = givenQueue({
      waitingPerOrg: 100,
      waiting: 100,
      congestion: { afterMs: 5_000, patienceMs: 300 },
    });
    for (let i = 0; i < 20; i++) void ask('a', `a${i}`);
    await settled();
    await end('a0', 100);
    clock.now += 5_000;
    expect(queue.turnsAway('a')).toBe(true);
    for (let i = 1; i < 19; i++) await end(`a${i}`, 30);
    expect(queue.figures()).toMatchObject({ running: 1, waiting: 0 });
    for (let i = 20; i < 40; i++) void ask('a', `a${i}`);
    await settled();
    expect(queue.turnsAway('a')).toBe(true);
    // After long enough without a refusal, a burst may take long again.
    for (let i = 19; i < 39; i++) await end(`a${i}`, 100);
    clock.now += 5_000;
    for (let i = 40; i < 60; i++) void ask('a', `a${i}`);
    await settled();
    await end('a39', 100);
    expect(queue.turnsAway('a')).toBe(false);
  });

  it('continues work that had a turn before it begins something else', async () => {
    const { ask, begun, end, queue } = givenQueue();
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    const rest = queue.runNext('a', async () => void begun.push('rest of a1'));
    await settled();
    await end('a1');
    await rest;
    await settled();
    expect(begun).toEqual(['a1', 'rest of a1', 'a2']);
  });

  it('gives the place of failed work to the next', async () => {
    const { queue } = givenQueue({ running: 1 });
    await expect(queue.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await queue.run('a', () => Promise.resolve(1))).toBe(1);
    expect(queue.figures()).toMatchObject({ running: 0, waiting: 0, admitted: 2 });
  });

  it('refuses everybody once it is closed', async () => {
    const { ask, queue } = givenQueue();
    void ask('a', 'a1');
    const waits = expect(ask('a', 'a2')).rejects.toMatchObject({ message: 'The server is shutting down' });
    queue.close();
    await waits;
    await expect(ask('b')).rejects.toMatchObject({ message: 'The server is shutting down' });
  });
});
