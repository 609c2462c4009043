import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { redeliver, redeliverRange } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { givenDelivery, givenNotification, givenTarget } from '../../../../test/given/deliveries.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { createDeliveries } from './deliver.ts';

const api = await startApi();

/** What arrived, in order, and the most at the same time. */
const seen = { ids: [] as string[], now: 0, maxOpen: 0 };
const receiver = createServer((request, response) => {
  seen.now += 1;
  seen.maxOpen = Math.max(seen.maxOpen, seen.now);
  request.resume();
  void wait(5).then(() => {
    seen.ids.push(String(request.headers['webhook-id']));
    seen.now -= 1;
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
afterAll(() => void receiver.close());

it('deliveries that many requests redeliver at once are sent one after another, by several workers', async () => {
  const { port } = receiver.address() as AddressInfo;
  const sourceId = await givenNotification(api, 1);
  const target = await givenTarget(api, { sourceId, url: `http://127.0.0.1:${port}/` });
  const ids: string[] = [];
  for (let sequence = 1; sequence <= 6; sequence++) ids.push(await givenDelivery(api, target, { sequence }));

  const stop = new AbortController();
  const { db, publicUrl, outbound, mailer, secretBox: box } = api.parts;
  const parts = { db, publicUrl, outbound, mailer, box, log: noLog };
  const workers = [1, 2, 3].map(() => createDeliveries(parts, 5).run(stop.signal));
  const seconds = api.clock.now.getTime() / 1000;
  const range = { from_timestamp: seconds - 10, to_timestamp: seconds + 10, state: 'all' } as const;
  const asked = [
    ...[...ids, ...ids, ...ids].map((delivery_id) => api.call(redeliver, { params: { delivery_id } })),
    ...[1, 2, 3].map(() => api.call(redeliverRange, { body: range })),
  ];
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses).toEqual(Array(21).fill(201));
  await expect.poll(waiting).toEqual([]);
  stop.abort();
  await Promise.all(workers);

  expect(seen.maxOpen).toBe(1);
  expect([...new Set(seen.ids)].toSorted()).toEqual(ids.toSorted());
  const { attempts } = await api.db
    .selectFrom('delivery_attempt')
    .select((is) => is.fn.countAll<number>().as('attempts'))
    .where('org_id', '=', api.org.id)
    .executeTakeFirstOrThrow();
  expect(Number(attempts)).toBe(seen.ids.length);
});

function waiting() {
  return api.db
    .selectFrom('delivery')
    .select('id')
    .where('org_id', '=', api.org.id)
    .where('state', '=', 'waiting')
    .execute();
}
