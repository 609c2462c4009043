import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { endpoints } from '../../../../../tools/services/endpoints.ts';
import { hearLanes, hearOrg, publishSequenced } from './notices.ts';
import { connectNats, type StreamConfig, sequencedSubject } from './stream.ts';

const stream: StreamConfig = {
  urls: [endpoints().natsUrl],
  name: `notices_${randomBytes(6).toString('hex')}`,
  region: 'eu',
  replicas: 1,
};

async function given() {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const nats = await connectNats(stream, 'tests', log);
  onTestFinished(() => nats.close());
  const warnings = () => lines.filter((line) => line.includes('message is not understood and was ignored')).length;
  return { parts: { nats, stream, log }, nats, warnings };
}

const BROKEN = ['', '{', 'null', '1', '"x"', '{}', '[1]', '\u0000', '[["1",2]]', '[[1]]', '[[1,2],null]'];

it('passes on which lanes have new entries, and ignores anything else', async () => {
  const { parts, nats, warnings } = await given();
  const heard = vi.fn();
  const stop = hearLanes(parts, heard);
  await nats.flush();
  for (const text of BROKEN) nats.publish(sequencedSubject(stream), text);
  const sequenced = { orgs: ['a', 'b'], lanes: [{ lane: 7, position: 4 }] };
  publishSequenced({ current: () => parts }, sequenced);
  await expect.poll(() => heard).toHaveBeenCalled();
  expect(heard.mock.calls).toEqual([[sequenced.lanes]]);
  expect(warnings()).toBe(BROKEN.length);

  stop();
  publishSequenced({ current: () => parts }, sequenced);
  await nats.flush();
  expect(heard).toHaveBeenCalledTimes(1);
});

it('passes on news of one org, and reports once that it can be heard', async () => {
  const { parts, nats } = await given();
  const heard = vi.fn();
  const stop = hearOrg(parts, 'a', heard);
  await expect.poll(() => heard).toHaveBeenCalledTimes(1);
  const publish = (orgs: readonly string[]) => publishSequenced({ current: () => parts }, { orgs, lanes: [] });
  publish(['b']);
  await nats.flush();
  expect(heard).toHaveBeenCalledTimes(1);
  publish(['b', 'a']);
  await nats.flush();
  expect(heard).toHaveBeenCalledTimes(2);

  stop();
  publish(['a']);
  await nats.flush();
  expect(heard).toHaveBeenCalledTimes(2);
});

it('publishes nothing without a connection', () => {
  expect(() => publishSequenced({ current: () => undefined }, { orgs: [], lanes: [] })).not.toThrow();
});
