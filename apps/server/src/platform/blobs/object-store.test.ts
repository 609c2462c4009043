import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drivers, type TestBlobs } from '../../../test/blobs/drivers.ts';
import { newId } from '../ids.ts';

const KiB = 1024;

describe.each(drivers)('$name objects', ({ given }) => {
  let test: TestBlobs;
  beforeAll(async () => {
    test = await given();
  });
  afterAll(() => test.close());

  const newPath = () => `ledger/region/1/checkpoint/${newId()}`;
  const text = async (path: string) => (await test.objects.read(path))?.toString();

  it.each([0, 1, 200 * KiB])('gives back the %i bytes it was given', async (size) => {
    const path = newPath();
    const content = randomBytes(size);

    expect(await test.objects.read(path)).toBeUndefined();
    expect(await test.objects.create(path, content)).toBe(true);

    expect((await test.objects.read(path))?.equals(content)).toBe(true);
  });

  it('creates an object once, and leaves what the first writer put there', async () => {
    const path = newPath();
    expect(await test.objects.create(path, Buffer.from('first'))).toBe(true);
    expect(await test.objects.create(path, Buffer.from('second'))).toBe(false);
    expect(await test.objects.create(path, Buffer.from('first'))).toBe(false);
    expect(await text(path)).toBe('first');
  });

  it('lets exactly one of many racing writers create an object, and its content is there', async () => {
    for (let round = 0; round < 10; round++) {
      const path = newPath();
      const contents = Array.from({ length: 8 }, () => randomBytes(64 * KiB));
      const raced = await Promise.all(contents.map((content) => test.objects.create(path, content)));
      expect(raced.filter(Boolean)).toHaveLength(1);
      const found = await test.objects.read(path);
      expect(found?.equals(contents[raced.indexOf(true)] ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it('shows a reader of an object that is overwritten one content or the other', async () => {
    const path = newPath();
    const contents = [randomBytes(300 * KiB), randomBytes(200 * KiB)];
    await test.objects.overwrite(path, contents[0] ?? Buffer.alloc(0));
    let isDone = false;
    const writing = (async () => {
      for (let time = 0; time < 20; time++) await test.objects.overwrite(path, contents[time % 2] ?? Buffer.alloc(0));
      isDone = true;
    })();
    let reads = 0;
    for (; !isDone; reads++) {
      const found = await test.objects.read(path);
      expect(contents.some((content) => found?.equals(content))).toBe(true);
    }
    await writing;
    expect(reads).toBeGreaterThan(0);
  });

  it('removes an object, and one that is not there', async () => {
    const path = newPath();
    await test.objects.create(path, Buffer.from('x'));
    await test.objects.remove(path);
    await test.objects.remove(path);
    expect(await test.objects.read(path)).toBeUndefined();
    expect(await test.objects.create(path, Buffer.from('y'))).toBe(true);
  });

  it('touches nothing under a path that is not of the ledger', async () => {
    const before = await test.everything();
    for (const path of [
      '',
      'ledger',
      'ledger/',
      'ledger/../x',
      `${newId()}/x`,
      'ledger//x',
      'ledger/.x',
      'ledger/X',
      '/ledger/x',
    ])
      for (const work of [
        () => test.objects.create(path, Buffer.from('x')),
        () => test.objects.read(path),
        () => test.objects.overwrite(path, Buffer.from('x')),
        () => test.objects.remove(path),
      ])
        await expect(work(), path).rejects.toMatchObject({ code: 'invalid' });
    expect(await test.everything()).toEqual(before);
  });

  it('leaves evidence alone, and evidence leaves it alone', async () => {
    const path = newPath();
    await test.objects.create(path, Buffer.from('checkpoint'));
    const org = newId();
    const { sha256 } = await test.blobs.put(org, Readable.from([Buffer.from('evidence')]), { maxBytes: KiB });
    await test.blobs.sweep(new Date(Date.now() + 60_000));
    await test.blobs.remove(org, sha256);
    expect(await text(path)).toBe('checkpoint');
  });
});
