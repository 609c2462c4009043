import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openState } from './import-state.ts';

const carried = (name: string) => [{ kind: 'attestation', name, outcome: 'carried' } as const];

function givenDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-import-state-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

it('goes on where it was left, after half a line as well', async () => {
  const directory = givenDirectory();
  const first = await openState(directory, 'a to b');
  first.record('created shop');
  first.record('attestation 1', carried('one'));
  await first.close();
  appendFileSync(join(directory, 'import.jsonl'), '{"done":"attestation 2","it');

  const next = await openState(directory, 'a to b');

  expect(['created shop', 'attestation 1', 'attestation 2'].map(next.isDone)).toEqual([true, true, false]);
  expect(next.tally.counts).toMatchObject({ attestation: { found: 1, carried: 1 } });
  await next.close();
});

it('forgets what is inside of a trail or flow that is done, and keeps the counts', async () => {
  const directory = givenDirectory();
  const state = await openState(directory, 'a to b');
  for (const trail of ['1', '2', '3']) {
    for (const at of [1, 2, 3]) state.record(`attestation ${trail}.${at}`, carried(trail));
    state.record(`trail ${trail}`);
  }
  expect(['attestation 1.1', 'trail 1'].map(state.isDone)).toEqual([false, true]);
  state.record('flow shop');
  expect(['trail 1', 'flow shop'].map(state.isDone)).toEqual([false, true]);
  const lines = readFileSync(join(directory, 'import.jsonl'), 'utf8').trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(state.tally.counts).toMatchObject({ attestation: { found: 9 } });
  await state.finish();
  expect(readdirSync(directory)).toEqual([]);
});

it('is for one import at a time, and for one source and target', async () => {
  const directory = givenDirectory();
  const state = await openState(directory, 'a to b');
  await expect(openState(directory, 'a to b')).rejects.toThrow(/^Another import runs with this state \(process \d+\)$/);
  await state.close();
  await expect(openState(directory, 'c to b')).rejects.toThrow('import.jsonl is the state of another import: a to b');
  writeFileSync(join(directory, 'import.jsonl'), '{');
  await expect(openState(directory, 'a to b')).rejects.toThrow('import.jsonl is damaged');
});
