import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newId } from '../ids.ts';
import { directoryBlobs } from './directory-blobs.ts';

async function givenRoot() {
  const parent = await mkdtemp(join(tmpdir(), 'waymark-blobs-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  return join(parent, 'evidence', 'files');
}

it('keeps files under org and digest, for its own user only', async () => {
  const root = await givenRoot();
  const org = newId();

  const { sha256 } = await directoryBlobs({ root }).put(org, oneChunk('evidence'), { maxBytes: 10 });

  const path = join(root, org, sha256.slice(0, 2), sha256);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  for (const directory of [dirname(path), join(root, org), join(root, 'incoming'), root]) {
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  }
});

it('makes its root, and is not ready when it cannot', async () => {
  const root = await givenRoot();
  await directoryBlobs({ root }).check();

  await writeFile(join(root, 'file'), '');
  await expect(directoryBlobs({ root: join(root, 'file', 'x') }).check()).rejects.toMatchObject({
    code: 'unavailable',
  });
});

it('lets go of a file whose stream is destroyed unread', async () => {
  const blobs = directoryBlobs({ root: await givenRoot() });
  const org = newId();
  const { sha256 } = await blobs.put(org, oneChunk('evidence'), { maxBytes: 10 });

  const found = await blobs.open(org, sha256);
  const closed = new Promise((resolve) => found?.stream.once('close', resolve));
  found?.stream.destroy();
  await closed;
});

async function* oneChunk(text: string) {
  yield Buffer.from(text);
}
