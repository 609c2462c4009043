import { mkdtempSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { originHash } from '@waymark/transparency';
import { expect, it } from 'vitest';
import { givenLog } from '../../../test/given/ledger-log.ts';
import { openWitnessState } from './witness-state.ts';

const log = await givenLog();

async function givenState() {
  const directory = mkdtempSync(join(tmpdir(), 'witness-'));
  const state = await openWitnessState(directory);
  const folder = join(directory, originHash(log.origin));
  const store = async (generation: number) => state.store(log.origin, generation, await log.checkpoint(generation));
  const sizeOf = async () => (await state.read(log.origin))?.signed.checkpoint.size;
  return { directory, folder, store, sizeOf };
}

it('stores each generation once, and keeps the latest few', async () => {
  const { folder, store, sizeOf } = await givenState();
  expect(await sizeOf()).toBeUndefined();
  for (let generation = 1; generation <= 12; generation++) expect(await store(generation)).toBe(true);
  expect(await store(12)).toBe(false);
  expect(await sizeOf()).toBe(12);
  expect(readdirSync(folder).sort()).toEqual(['10', '11', '12']);
});

it('does not go back to a generation that another process has already removed', async () => {
  const { store, sizeOf } = await givenState();
  for (let generation = 1; generation <= 9; generation++) await store(generation);
  expect(await store(5)).toBe(false);
  expect(await sizeOf()).toBe(9);
  expect(await store(10)).toBe(true);
});

it('ignores the draft of a process that was killed', async () => {
  const { folder, store, sizeOf } = await givenState();
  await store(1);
  writeFileSync(join(folder, 'draft-0123456789abcdef'), 'half of a check');
  expect(await sizeOf()).toBe(1);
  expect(await store(2)).toBe(true);
});

it('fails when the latest checkpoint is damaged or that of another log, and does not take an older one', async () => {
  const { folder, store, sizeOf } = await givenState();
  for (const generation of [1, 2]) await store(generation);
  truncateSync(join(folder, '2'), 20);
  await expect(sizeOf()).rejects.toThrow('signed note');
  writeFileSync(join(folder, '2'), await (await givenLog('other.example/log')).checkpoint(9));
  await expect(sizeOf()).rejects.toThrow("is that of 'other.example/log'");
});

it('begins again when an operator has removed its directory', async () => {
  const { directory, store, sizeOf } = await givenState();
  await store(1);
  await rm(directory, { recursive: true });
  expect(await sizeOf()).toBeUndefined();
  expect(await store(1)).toBe(true);
});
