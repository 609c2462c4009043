import { randomBytes } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { drivers } from '../../../test/blobs/drivers.ts';
import { collectGarbage } from '../../../test/collect-garbage.ts';
import { newId } from '../ids.ts';

const MiB = 1024 ** 2;
const size = (isFull ? 256 : 64) * MiB;

it.each(drivers)(
  'streams a long file into and out of $name blobs in little memory',
  { timeout: 600_000 },
  async ({ given }) => {
    const { blobs, close } = await given();
    onTestFinished(close);
    const org = newId();
    const memory = await watchMemory();

    const stored = await blobs.put(org, generated(memory.sample), { maxBytes: size });
    const found = await blobs.open(org, stored.sha256);
    if (found) await finished(found.stream.on('data', memory.sample));

    expect(stored).toMatchObject({ size, created: true });
    expect(found?.size).toBe(size);
    expect(memory.growth()).toBeLessThan(48 * MiB);
  },
);

async function* generated(watch: () => void): AsyncGenerator<Buffer> {
  const chunk = randomBytes(64 * 1024);
  for (let sent = 0; sent < size; sent += chunk.length) {
    watch();
    yield chunk;
  }
}

/** The largest growth of the process, or of its buffers, apart from garbage. */
async function watchMemory() {
  collectGarbage();
  await setImmediate();
  collectGarbage();
  const start = process.memoryUsage();
  let calls = 0;
  let most = 0;
  const sample = () => {
    calls += 1;
    if (calls % 64 !== 0) return;
    collectGarbage();
    const now = process.memoryUsage();
    most = Math.max(most, now.rss - start.rss, now.arrayBuffers - start.arrayBuffers);
  };
  return { sample, growth: () => most };
}
