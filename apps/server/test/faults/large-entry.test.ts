import { expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg } from './installation.ts';
import { putFlow } from './load.ts';
import { takeNote } from './notes.ts';

const FRAME = '{"text":""}'.length;
const LARGEST = 'x'.repeat(256 * 1024 - FRAME);

it('carries an entry of 256 KiB in an org with dots in its name, and holds up no neighbour in its lane', async () => {
  const site = await givenInstallation();
  const sameLane = { ...site.ctx, newId: () => newId().replace(/.$/, '7') };
  const dotted = await givenOrg(sameLane, 'acme.eu.prod');
  const neighbour = await givenOrg(sameLane, 'neighbour');
  await Promise.all([site.startApi(), site.startWorker()]);
  await untilProcessed(site.db);

  const answers = [await putFlow(site.url, neighbour, { name: 'earlier' })];
  await takeNote({ ...site.ctx, org: dotted.id }, LARGEST);
  answers.push(await putFlow(site.url, dotted, { name: 'payments.api' }));
  answers.push(await putFlow(site.url, neighbour, { name: 'later' }));
  await untilProcessed(site.db);

  expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
  expect(
    await findFaults(site.db, [
      { org_id: neighbour.id, name: 'earlier', revision: 1 },
      { org_id: dotted.id, name: 'payments.api', revision: 1 },
      { org_id: neighbour.id, name: 'later', revision: 1 },
    ]),
  ).toEqual([]);
});

it('refuses an entry of one byte more', async () => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');

  const taken = takeNote({ ...site.ctx, org: org.id }, `${LARGEST}x`);

  await expect(taken).rejects.toMatchObject({ name: 'Problem', code: 'too_large' });
});
