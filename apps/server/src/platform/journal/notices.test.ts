import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { endpoints } from '../../../../../tools/services/endpoints.ts';
import { hearNews, hearNotices } from './notices.ts';
import { connectNats, feedSubject, laneSubject, type StreamConfig } from './stream.ts';

const stream: StreamConfig = {
  urls: [endpoints().natsUrl],
  name: `notices_${randomBytes(6).toString('hex')}`,
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

const BROKEN = ['', '{', 'null', '1', '"x"', '{}', '[1]', '{"xid":"x","seq":1}', '{"xid":"1","seq":"1"}', '\u0000'];

it('passes on notices with their lane, and ignores anything else', async () => {
  const { parts, nats, warnings } = await given();
  const heard = vi.fn();
  const stop = hearNotices(parts, heard);
  await nats.flush();
  for (const text of BROKEN) nats.publish(laneSubject(stream, 3), text);
  nats.publish(laneSubject(stream, 7), '{"xid":"123","seq":4,"org_id":"o"}');
  await expect.poll(() => heard).toHaveBeenCalled();
  expect(heard.mock.calls).toEqual([[7, { xid: '123', seq: 4, org_id: 'o' }]]);
  expect(warnings()).toBe(BROKEN.length);

  stop();
  nats.publish(laneSubject(stream, 7), '{"xid":"123","seq":5}');
  await nats.flush();
  expect(heard).toHaveBeenCalledTimes(1);
});

it('passes on which orgs have news, and ignores anything but a list of them', async () => {
  const { parts, nats, warnings } = await given();
  const heard = vi.fn();
  hearNews(parts, heard);
  await nats.flush();
  for (const text of BROKEN) nats.publish(feedSubject(stream), text);
  nats.publish(feedSubject(stream), '["a","b"]');
  await expect.poll(() => heard).toHaveBeenCalled();
  expect(heard.mock.calls.map(([orgs]) => orgs)).toEqual([['a', 'b']]);
  expect(warnings()).toBe(BROKEN.length);
});
