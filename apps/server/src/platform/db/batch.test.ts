import { describe, expect, it } from 'vitest';
import { type BatchWork, batch } from './batch.ts';

interface Sent {
  readonly org: string;
  readonly name: string;
  readonly bytes?: number;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const lockTimeout = () => Object.assign(new Error('lock timeout'), { code: '55P03' });

/** A batch whose statements end when the test says so. */
function givenBatch(more: Partial<BatchWork<Sent, string>> = {}) {
  const clock = { now: 0 };
  const groups: string[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const alone: string[] = [];
  const ended: string[] = [];
  const { send, queues } = batch<Sent, string>(
    {
      run(sent) {
        groups.push(sent.map(({ name }) => name));
        const { promise, resolve, reject } = Promise.withResolvers<string[]>();
        ends.push((error) => (error ? reject(error) : resolve(sent.map(({ name }) => name))));
        return promise;
      },
      runAlone({ name }) {
        alone.push(name);
        return Promise.resolve(name);
      },
      shareOf: ({ org }) => org,
      bytesOf: ({ bytes = 0 }) => bytes,
      refusal: 'Too much is waiting',
      ...more,
    },
    () => clock.now,
  );
  const ask = (org: string, name: string, bytes = 0) => {
    const asked = send({ org, name, bytes });
    asked.then(
      () => ended.push(name),
      () => ended.push(`no ${name}`),
    );
    return asked;
  };
  return {
    clock,
    groups,
    alone,
    ended,
    queues,
    ask,
    /** Ends the statement that began as the nth. */
    async end(nth: number, error?: Error) {
      ends[nth]?.(error);
      await settled();
      await settled();
    },
  };
}

async function givenTwoUnderWay(given: ReturnType<typeof givenBatch>): Promise<void> {
  for (const name of ['first', 'second']) {
    void given.ask('a', name);
    await settled();
  }
  expect(given.groups).toEqual([['first'], ['second']]);
}

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('a batch', () => {
  const plain = { shareOf: () => 'org', refusal: 'Too much is waiting' };

  it('shares calls that come together and answers each with its own', async () => {
    const sizes: number[] = [];
    const double = batch<number, number>({
      ...plain,
      run: async (items) => {
        sizes.push(items.length);
        return items.map((item) => item * 2);
      },
    });
    expect(await Promise.all([1, 2, 3, 4, 5].map(double.send))).toEqual([2, 4, 6, 8, 10]);
    expect(sizes).toEqual([5]);
    expect(await double.send(6)).toBe(12);
  });

  it.each([
    ['one share', () => 'org'],
    ['several shares', (item: number) => `org ${item % 3}`],
  ])('fails only the calls of %s that fail alone', async (_, shareOf) => {
    const check = batch<number, number>({
      ...plain,
      shareOf,
      run: async (items) => {
        const odd = items.find((item) => item % 2 === 1);
        if (odd !== undefined) throw new Error(`${odd} is odd`);
        return items;
      },
    });
    const outcomes = await Promise.allSettled([2, 3, 4, 5, 6].map(check.send));
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))).toEqual([
      2,
      '3 is odd',
      4,
      '5 is odd',
      6,
    ]);
  });

  it('does not ask again, one by one, a database that is away', async () => {
    let asked = 0;
    const lost = batch<number, number>({
      ...plain,
      run: async () => {
        asked++;
        throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map(lost.send));
    expect(outcomes.every((one) => one.status === 'rejected')).toBe(true);
    expect(asked).toBe(1);
  });

  it('fills a group with one of each share in turn', async () => {
    const given = givenBatch();
    await givenTwoUnderWay(given);
    for (const i of range(100)) void given.ask('a', `a${i}`);
    void given.ask('b', 'b0');
    void given.ask('c', 'c0');
    void given.ask('c', 'c1');
    await given.end(0);
    const third = given.groups[2];
    expect(third?.slice(0, 5)).toEqual(['a0', 'b0', 'c0', 'a1', 'c1']);
    expect(third).toHaveLength(64);
  });

  it('ends a group at 2 MiB, and sends what is larger by itself', async () => {
    const given = givenBatch();
    await givenTwoUnderWay(given);
    const MiB = 1024 * 1024;
    void given.ask('a', 'small', MiB);
    void given.ask('b', 'huge', 5 * MiB);
    void given.ask('c', 'other', MiB);
    await given.end(0);
    await given.end(1);
    await given.end(2);
    expect(given.groups.slice(2)).toEqual([['small'], ['huge'], ['other']]);
  });

  it('refuses what a share sends beyond its own part of the queue', async () => {
    const given = givenBatch({ waitingPerShare: 3 });
    await givenTwoUnderWay(given);
    for (const i of range(4)) void given.ask('a', `a${i}`);
    void given.ask('b', 'b0');
    await settled();
    expect(given.ended).toEqual(['no a3']);
    expect(given.queues.shared()).toMatchObject({ running: 2, waiting: 4, refused: 1 });
    await given.end(0);
    expect(given.groups[2]).toEqual(['a0', 'b0', 'a1', 'a2']);
  });

  it('gives a newcomer the place of the last in the longest row when the queue is full', async () => {
    const given = givenBatch();
    await givenTwoUnderWay(given);
    for (const org of range(4)) for (const i of range(1_024)) void given.ask(`org ${org}`, `${org}-${i}`);
    void given.ask('new', 'newcomer');
    await settled();
    expect(given.ended).toEqual(['no 0-1023']);
    expect(given.queues.shared()).toMatchObject({ waiting: 4_096, refused: 1 });
  });

  it('refuses what has waited for 10 seconds, with a time to come back', async () => {
    const given = givenBatch();
    await givenTwoUnderWay(given);
    const late = given.ask('a', 'late');
    given.clock.now = 9_000;
    void given.ask('a', 'in-time');
    given.clock.now = 10_000;
    await given.end(0);
    await expect(late).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    expect(given.groups[2]).toEqual(['in-time']);
  });
});

describe('a group that waits for a lock', () => {
  it('is tried again share by share, and what still waits one by one', async () => {
    const given = givenBatch();
    for (const name of ['a1', 'a2']) void given.ask('a', name);
    for (const name of ['b1', 'b2']) void given.ask('b', name);
    await settled();
    await given.end(0, lockTimeout());
    expect(given.groups.slice(1)).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
    await given.end(2);
    expect(given.ended).toEqual(['b1', 'b2']);
    await given.end(1, lockTimeout());
    expect(given.alone).toEqual(['a1', 'a2']);
    expect(given.ended).toEqual(['b1', 'b2', 'a1', 'a2']);
  });

  it('runs few statements of one share at a time, outside of the groups', async () => {
    const begun: string[] = [];
    const given = givenBatch({
      runAlone: ({ name }) => {
        begun.push(name);
        return new Promise(() => undefined);
      },
    });
    for (const i of range(64)) void given.ask('a', `a${i}`);
    await settled();
    await given.end(0, lockTimeout());
    expect(begun).toEqual(['a0', 'a1']);
    void given.ask('a', 'later');
    void given.ask('b', 'b0');
    await settled();
    await given.end(1);
    expect(given.groups.slice(1)).toEqual([['b0']]);
    expect(given.ended).toEqual(['b0']);
    expect(given.queues.alone()).toMatchObject({ running: 2, waiting: 63 });
  });

  it('does not separate a share for longer than its statements take', async () => {
    const given = givenBatch();
    void given.ask('a', 'a0');
    await settled();
    await given.end(0, lockTimeout());
    expect(given.alone).toEqual(['a0']);
    void given.ask('a', 'a1');
    await settled();
    expect(given.groups).toEqual([['a0'], ['a1']]);
  });
});
