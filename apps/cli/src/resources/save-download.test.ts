import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { saveDownload } from './save-download.ts';

const cwd = mkdtempSync(join(tmpdir(), 'waymark-download-'));
afterAll(() => rmSync(cwd, { recursive: true }));
beforeEach(() => {
  for (const name of readdirSync(cwd)) rmSync(join(cwd, name));
});

const io = { cwd, signal: new AbortController().signal, stdout: { write: () => undefined, isTty: false, columns: 80 } };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('saves the download under its name', async () => {
  const saved = await saveDownload(io, new Response('hello'), {
    file: 'a.txt',
    sha256: sha256('hello'),
    overwrite: false,
  });

  expect(saved).toEqual({ file: 'a.txt', bytes: 5, sha256: sha256('hello') });
  expect(readdirSync(cwd)).toEqual(['a.txt']);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('hello');
});

it('saves nothing that differs from the record', async () => {
  const saving = saveDownload(io, new Response('other'), { file: 'a.txt', sha256: sha256('hello'), overwrite: false });

  await expect(saving).rejects.toMatchObject({
    ending: 'nonCompliant',
    message: 'The download does not match its record',
  });
  expect(readdirSync(cwd)).toEqual([]);
});

it('saves nothing of a truncated download', async () => {
  const broken = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('hel'));
      controller.error(new Error('the connection broke'));
    },
  });

  await expect(
    saveDownload(io, new Response(broken), { file: 'a.txt', sha256: null, overwrite: false }),
  ).rejects.toThrow('the connection broke');
  expect(readdirSync(cwd)).toEqual([]);
});
