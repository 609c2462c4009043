import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Problem } from '../errors.ts';
import { openSandbox } from './sandbox.ts';
import { SandboxFailed, SandboxTimeout } from './sandbox-error.ts';

/** For jobs that end by themselves, however busy the machine is. */
const PATIENT = { timeoutMs: 60_000 };

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const NO_TYPE = { schema: null, rules: [], summary: [] };
const rule = (...rules: string[]) => ({ ...NO_TYPE, rules, data: { a: 1 } });
const schema = (schema: object, data: unknown) => ({ ...NO_TYPE, schema: JSON.stringify(schema), data });

// Excludes the start of threads from the measurement.
beforeAll(() => sandbox.run('acme', 'judgeCustom', () => rule('true'), PATIENT));

function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

/** A schema whose validation doubles its work with each definition. */
function doubling(depth: number): object {
  const twice = (i: number) => ({ allOf: [{ $ref: `#/$defs/d${i}` }, { $ref: `#/$defs/d${i}` }] });
  const defs = Array.from({ length: depth }, (_, i) => [`d${i}`, i === depth - 1 ? { type: 'object' } : twice(i + 1)]);
  return { $defs: Object.fromEntries(defs), ...twice(0) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

describe('what does not come to an end is stopped, and the next job works', () => {
  it.each([
    ['endless recursion', rule('def f: f; f'), SandboxTimeout],
    ['a huge list', rule('[range(1e9)]'), undefined],
    ['a long loop', rule('reduce range(1e9) as $i (0; . + $i) | . > 0'), SandboxTimeout],
    ['a huge text', rule('"x" * 1e9 | length > 0'), SandboxFailed],
    ['memory that doubles', rule('def f: [., .] | f; f'), undefined],
    ['a deep value', rule('reduce range(100000) as $i (null; [.]) | tojson | length > 0'), undefined],
    ['a schema that doubles its work', schema(doubling(40), {}), SandboxTimeout],
  ])('%s', async (_, input, kind) => {
    const outcome = await outcomeOf(sandbox.run('acme', 'judgeCustom', () => input));
    if (kind) expect(outcome).toBeInstanceOf(kind);
    else expect([SandboxTimeout.name, SandboxFailed.name]).toContain((outcome as Error).name);
    expect(await outcomeOf(sandbox.run('acme', 'judgeCustom', () => rule('.a == 1'), PATIENT))).toMatchObject({
      kind: 'judged',
      results: [{ rule: '.a == 1', passed: true, because: null }],
    });
  });
});

describe('what would be slow elsewhere is harmless', () => {
  it('a catastrophic pattern in a schema', async () => {
    const outcome = await outcomeOf(
      sandbox.run(
        'acme',
        'judgeCustom',
        () => schema({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}!`),
        PATIENT,
      ),
    );
    expect(outcome).toEqual({ kind: 'schema_failed', problems: ['/ must match pattern "^(a+)+$"'] });
  });

  it('a schema that refers to itself without end', async () => {
    const outcome = await outcomeOf(sandbox.run('acme', 'judgeCustom', () => schema({ $ref: '#' }, {}), PATIENT));
    expect(outcome).toEqual({
      kind: 'schema_failed',
      problems: ['the schema refers to itself endlessly on this data'],
    });
  });

  it('a schema of many levels', async () => {
    const text = `${'{"not":'.repeat(4_000)}{}${'}'.repeat(4_000)}`;
    expect(await outcomeOf(sandbox.run('acme', 'checkType', () => ({ ...NO_TYPE, schema: text }), PATIENT))).toEqual({
      ok: false,
      field: 'type_schema',
      problem: 'cannot be used as a JSON Schema: it is nested more than 64 levels deep',
    });
  });
});

it('keeps the main thread answering while a job runs away', async () => {
  let isRunning = true;
  const job = outcomeOf(sandbox.run('acme', 'judgeCustom', () => rule('def f: f; f'))).finally(() => {
    isRunning = false;
  });
  // Counted, not timed: a thread blocked by the job answers once, however busy the machine is otherwise.
  let answers = 0;
  while (isRunning) {
    await setTimeout(20);
    answers += 1;
  }
  expect(await job).toBeInstanceOf(SandboxTimeout);
  expect(answers).toBeGreaterThan(5);
});

it('counts the time of the processor, and not that of other work on a busy machine', { timeout: 120_000 }, async () => {
  const work = () => rule('reduce range(3e5) as $i (0; . + $i) | . > 0');
  const alone = await timed(() => sandbox.run('acme', 'judgeCustom', work, PATIENT));
  const others = Array.from({ length: 2 * availableParallelism() }, () => new Worker('while (true);', { eval: true }));
  onTestFinished(async () => {
    await Promise.all(others.map((other) => other.terminate()));
  });
  const options = { timeoutMs: Math.ceil(1.5 * alone) };
  expect(await sandbox.run('acme', 'judgeCustom', work, options)).toMatchObject({ kind: 'judged' });
});

describe('the queue', () => {
  it('runs all that an org may have waiting and refuses what is too much', async () => {
    const small = openSandbox({ workers: 1 });
    const jobs = Array.from({ length: 20 }, () => small.run('acme', 'judgeCustom', () => rule('true')));
    const outcomes = await Promise.allSettled(jobs);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    // One runs, sixteen wait.
    expect(refused).toHaveLength(3);
    expect(refused[0]).toBeInstanceOf(Problem);
    expect(refused[0]).toMatchObject({ code: 'unavailable' });
    expect(small.figures()).toMatchObject({ running: 0, waiting: 0, admitted: 17, refused: 3 });
    await small.close();
  });

  it('serves an org beside another whose jobs never end', async () => {
    const two = openSandbox();
    const bombs = Array.from({ length: 40 }, () =>
      two.run('mallory', 'judgeCustom', () => rule('def f: f; f')).catch((error: unknown) => error),
    );
    for (let i = 0; i < 5; i++) {
      expect(await two.run('acme', 'judgeCustom', () => rule('true'))).toMatchObject({ kind: 'judged' });
    }
    await two.close();
    await Promise.all(bombs);
  });

  it('does not count waiting as work', async () => {
    const small = openSandbox({ workers: 1 });
    await small.run('acme', 'judgeCustom', () => rule('true'));
    const first = outcomeOf(small.run('acme', 'judgeCustom', () => rule('def f: f; f'), { timeoutMs: 3_000 }));
    const second = small.run('acme', 'judgeCustom', () => rule('true'), { timeoutMs: 2_900 });
    expect(await first).toBeInstanceOf(SandboxTimeout);
    expect(await second).toMatchObject({ kind: 'judged', results: [{ passed: true }] });
    await small.close();
  });

  it('is refused once the sandbox is closed, running and waiting jobs too', async () => {
    const small = openSandbox({ workers: 1 });
    await small.run('acme', 'judgeCustom', () => rule('true'));
    const running = outcomeOf(small.run('acme', 'judgeCustom', () => rule('def f: f; f')));
    const waiting = outcomeOf(small.run('acme', 'judgeCustom', () => rule('true')));
    await small.close();
    expect(await running).toBeInstanceOf(SandboxFailed);
    expect(await waiting).toMatchObject({ code: 'unavailable' });
    await expect(small.run('acme', 'judgeCustom', () => rule('true'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
