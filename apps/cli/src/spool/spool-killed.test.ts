import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { attestation, givenDirectory } from './given-spool.ts';
import { openSpool } from './spool.ts';

const PROCESSES = isFull ? 30 : 10;
const CONCURRENT = 3;
/** Sixty processes start; on a busy machine that takes a while. */
const timeout = 180_000;

const APPENDER = new URL('./given-appender.ts', import.meta.url);
const PUSHER = new URL('./given-pusher.ts', import.meta.url);

function start(program: URL, ...args: string[]): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

it(`stores every acknowledged entry, once and in order, when ${PROCESSES} processes are killed`, { timeout }, async ({
  annotate,
}) => {
  const directory = await givenDirectory();
  const acknowledged: string[] = [];
  const killOne = async (writer: string) => {
    const child = start(APPENDER, directory, writer);
    const output = text(child.stdout);
    await Promise.race([once(child.stdout, 'readable'), sleep(randomInt(100, 5_000))]);
    await sleep(randomInt(0, 100));
    child.kill('SIGKILL');
    acknowledged.push(...(await output).split('\n').filter((line) => line.length === 36));
  };
  for (let i = 0; i < PROCESSES; i += CONCURRENT) {
    await Promise.all(Array.from({ length: CONCURRENT }, (_, j) => killOne(`w${i + j}`)));
  }

  const { entries, damaged } = await openSpool(directory).list();
  expect(damaged).toEqual([]);
  const ids = entries.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(PROCESSES);
  const bodies = entries.map(({ body }) => body as { writer: string; i: number });
  for (const own of Map.groupBy(bodies, ({ writer }) => writer).values()) {
    expect(own.map(({ i }) => i)).toEqual(own.map((_, place) => place));
  }
  const sent: string[] = [];
  const result = await openSpool(directory).push(async ({ id, file }, content) => {
    if (content?.size !== file?.size) throw new Error(`the file of ${id} is not whole`);
    sent.push(id);
    return { kind: 'recorded' };
  });
  expect(result).toMatchObject({ recorded: ids.length, waiting: 0, damaged: [] });
  expect(sent.toSorted()).toEqual(ids.toSorted());
  await annotate(`${PROCESSES} processes killed; ${acknowledged.length} acknowledged, ${ids.length} kept`);
});

it(`sends everything in order per line when up to ${PROCESSES} pushers are killed`, { timeout }, async ({
  annotate,
}) => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  const appended = Array.from({ length: 240 }, (_, i) => ({ line: `line-${i % 6}`, i }));
  for (const body of appended) await spool.append(attestation('', { body, line: body.line }));
  const received: { line: string; i: number }[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push(body as { line: string; i: number });
      setTimeout(() => response.end(), randomInt(0, 30));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let kills = 0;
  while (kills < PROCESSES && (await spool.waits('line-0'))) {
    const two = [start(PUSHER, directory, url), start(PUSHER, directory, url)];
    const before = received.length;
    const deadline = Date.now() + 5_000;
    while (received.length === before && two.some(isRunning) && Date.now() < deadline) await sleep(5);
    await sleep(randomInt(0, 40));
    for (const child of two) if (isRunning(child) && child.kill('SIGKILL')) kills += 1;
    await Promise.all(two.filter(isRunning).map((child) => once(child, 'close')));
  }
  const rest = start(PUSHER, directory, url);
  await once(rest, 'close');

  expect(await spool.list()).toEqual({ entries: [], refused: [], damaged: [] });
  for (const [line, own] of Map.groupBy(received, (body) => body.line)) {
    const order = own.map(({ i }) => i);
    // An entry that was sent and not yet marked is sent again before all that follow.
    const once = order.filter((i, place) => i !== order[place - 1]);
    expect(once).toEqual(appended.filter((body) => body.line === line).map(({ i }) => i));
  }
  await annotate(`${kills} pushers killed; ${received.length} requests for ${appended.length} entries`);
});

function isRunning(child: { exitCode: number | null; signalCode: unknown }): boolean {
  return child.exitCode === null && child.signalCode === null;
}
