import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drivers, type TestBlobs } from '../../../test/blobs/drivers.ts';
import { newId } from '../ids.ts';
import type { OpenBlob } from './blob-store.ts';
import { TamperedBlob } from './verified.ts';

const MiB = 1024 ** 2;
const limits = { maxBytes: 1024 * MiB };

describe.each(drivers)('$name blobs', ({ given, exactCopies }) => {
  let test: TestBlobs;
  beforeAll(async () => {
    test = await given();
  });
  afterAll(() => test.close());

  const put = (org: string, content: Buffer) => test.blobs.put(org, bodyOf(content), limits);
  const read = async (org: string, sha256: string) => {
    const found = await test.blobs.open(org, sha256);
    return found && buffer(found.stream);
  };

  it.each([0, 1, 1000, 5 * MiB, 5 * MiB + 1, 11 * MiB])('gives back the %i bytes it was given', async (size) => {
    const org = newId();
    const content = randomBytes(size);

    expect(await put(org, content)).toEqual({ sha256: sha256(content), size, created: true });

    expect(await test.blobs.stat(org, sha256(content))).toEqual({ size });
    expect((await test.blobs.open(org, sha256(content)).then(drained))?.size).toBe(size);
    expect((await read(org, sha256(content)))?.equals(content)).toBe(true);
  });

  it.each([1000, 6 * MiB])('keeps %i bytes once, however often they come', async (size) => {
    const org = newId();
    const content = randomBytes(size);

    const raced = await Promise.all(Array.from({ length: 6 }, () => put(org, content)));
    const later = await put(org, content);

    const created = raced.filter((stored) => stored.created).length;
    if (exactCopies || size < 5 * MiB) expect(created).toBe(1);
    else expect(created).toBeGreaterThanOrEqual(1);
    expect(later).toEqual({ sha256: sha256(content), size, created: false });
    expect((await test.everything()).filter((name) => name === sha256(content))).toHaveLength(1);
    expect((await read(org, sha256(content)))?.equals(content)).toBe(true);
  });

  it.each([1000, 7 * MiB])('reads no further than it must to know that a file is over %i bytes', async (maxBytes) => {
    const before = await test.everything();
    let given = 0;
    let closed = false;
    async function* endless() {
      try {
        for (; ; given += 500) yield Buffer.alloc(500);
      } finally {
        closed = true;
      }
    }

    await expect(test.blobs.put(newId(), endless(), { maxBytes })).rejects.toMatchObject({ code: 'too_large' });

    expect(given).toBeLessThanOrEqual(maxBytes);
    expect(closed).toBe(true);
    expect(await test.everything()).toEqual(before);
  });

  it('takes a file of exactly the size allowed', async () => {
    expect(await test.blobs.put(newId(), bodyOf(randomBytes(6 * MiB)), { maxBytes: 6 * MiB })).toMatchObject({
      created: true,
    });
  });

  it.each([1, 12 * MiB])('leaves nothing behind when the sender fails after %i bytes', async (size) => {
    const before = await test.everything();
    async function* cutOff() {
      yield randomBytes(size);
      throw new Error('connection reset');
    }

    await expect(test.blobs.put(newId(), cutOff(), limits)).rejects.toThrow('connection reset');

    expect(await test.everything()).toEqual(before);
  });

  it('leaves nothing behind when the stream is destroyed half way', async () => {
    const before = await test.everything();
    const body = Readable.from(generated(64 * MiB, (sent) => sent > 12 * MiB && body.destroy()));

    await expect(test.blobs.put(newId(), body, limits)).rejects.toThrow();

    expect(await test.everything()).toEqual(before);
  });

  it.each([1000, 6 * MiB])('refuses %i bytes that are not the ones announced', async (size) => {
    const before = await test.everything();
    const content = randomBytes(size);
    const put = (expectedSha256: string) => test.blobs.put(newId(), bodyOf(content), { ...limits, expectedSha256 });

    await expect(put('0'.repeat(64))).rejects.toMatchObject({ code: 'invalid' });

    expect(await test.everything()).toEqual(before);
    expect(await put(sha256(content))).toMatchObject({ created: true });
  });

  it('shows one org nothing of another, and erases for one alone', async () => {
    const [mine, theirs] = [newId(), newId()];
    const content = randomBytes(1000);
    const name = sha256(content);
    await put(theirs, content);

    expect(await test.blobs.stat(mine, name)).toBeUndefined();
    expect(await test.blobs.open(mine, name)).toBeUndefined();
    expect(await put(mine, content)).toMatchObject({ created: true });

    await test.blobs.remove(theirs, name);
    await test.blobs.remove(theirs, name);
    expect(await test.blobs.stat(theirs, name)).toBeUndefined();
    expect((await read(mine, name))?.equals(content)).toBe(true);
    expect(await put(theirs, content)).toMatchObject({ created: true });
  });

  it('reads a range', async () => {
    const org = newId();
    const { sha256: name } = await put(org, Buffer.from('evidence'));
    const range = async (start: number, end: number) => {
      const found = await test.blobs.open(org, name, { start, end });
      return found && { size: found.size, text: (await buffer(found.stream)).toString() };
    };

    expect(await range(0, 0)).toEqual({ size: 8, text: 'e' });
    expect(await range(2, 4)).toEqual({ size: 8, text: 'ide' });
    expect(await range(5, 99)).toEqual({ size: 8, text: 'nce' });
    for (const [start, end] of [
      [8, 9],
      [4, 3],
      [-1, 2],
      [0.5, 2],
    ] as const) {
      await expect(range(start, end)).rejects.toMatchObject({ code: 'invalid' });
    }
    expect(await test.blobs.open(newId(), name, { start: 0, end: 1 })).toBeUndefined();
  });

  it('withholds the end of content that was changed in the store', async () => {
    const org = newId();
    const content = randomBytes(MiB);
    const name = sha256(content);
    await put(org, content);

    for (const changed of [randomBytes(MiB), content.subarray(1), Buffer.alloc(0), Buffer.concat([content, content])]) {
      await test.overwrite(org, name, changed);
      const found = await test.blobs.open(org, name);
      let received = 0;
      found?.stream.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      await expect(found && drained(found)).rejects.toThrow(TamperedBlob);
      expect(received).toBeLessThan(Math.max(changed.length, 1));
    }
  });

  it('touches nothing under a name that is not an org id or a digest', async () => {
    const name = sha256(Buffer.from('x'));
    const refused = { code: 'invalid' };
    for (const org of ['..', '', 'incoming', `${newId()}/..`, `../${newId()}`, `${newId()}\n`, newId().toUpperCase()]) {
      await expect(put(org, Buffer.from('x'))).rejects.toMatchObject(refused);
      await expect(test.blobs.stat(org, name)).rejects.toMatchObject(refused);
    }
    for (const digest of ['..', '', `../${name}`, `${name}/`, name.toUpperCase(), name.slice(1), `${name}\n`]) {
      await expect(test.blobs.open(newId(), digest)).rejects.toMatchObject(refused);
      await expect(test.blobs.stat(newId(), digest)).rejects.toMatchObject(refused);
      await expect(test.blobs.remove(newId(), digest)).rejects.toMatchObject(refused);
    }
  });

  it('sweeps what crashed uploads left, the old only and a bounded number a call', { timeout: 600_000 }, async () => {
    const { sha256: stored } = await put(newId(), randomBytes(10));
    const blobs = await test.everything();
    const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    await test.abandon(502);

    expect(await test.blobs.sweep(past)).toBe(0);
    expect(await test.blobs.sweep(future)).toBe(500);
    expect(await test.blobs.sweep(future)).toBe(2);
    expect(await test.blobs.sweep(future)).toBe(0);

    expect(await test.everything()).toEqual(blobs);
    expect(blobs).toContain(stored);
  });

  it('is ready', async () => {
    await test.blobs.check();
  });
});

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

async function* bodyOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000);
}

async function* generated(size: number, watch: (sent: number) => unknown): AsyncGenerator<Buffer> {
  const chunk = randomBytes(64 * 1024);
  for (let sent = 0; sent < size; sent += chunk.length) {
    watch(sent);
    yield chunk;
  }
}

async function drained(found: OpenBlob | undefined): Promise<OpenBlob | undefined> {
  if (found) await finished(found.stream.resume());
  return found;
}
