import { chmod, mkdir, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { attestation, givenDirectory, givenServer, report } from './given-spool.ts';
import { openSpool } from './spool.ts';
import { inSpool, SpoolError, SpoolFull } from './spool-error.ts';
import type { Spooled } from './spooled.ts';

const nameOf = ({ body }: Spooled) => (body as { attestation_name: string }).attestation_name;
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

async function waitingFile(directory: string, index = 0): Promise<string> {
  const files = (await readdir(join(directory, 'waiting'))).sort();
  return join(directory, 'waiting', files[index] ?? 'none');
}

it('creates nothing before the first entry', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  expect(await spool.list()).toEqual({ entries: [], refused: [], damaged: [] });
  expect(await spool.waits('a/b')).toBe(false);
  expect(await spool.push(givenServer().send)).toMatchObject({ recorded: 0, waiting: 0 });
  expect(await spool.drop('x')).toBe(false);
  await expect(stat(directory)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('stores entries in order of append, for the owner only', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  for (const name of ['a', 'b', 'c']) await spool.append(attestation(name));

  const { entries } = await openSpool(directory).list();
  expect(entries.map(nameOf)).toEqual(['a', 'b', 'c']);
  expect(entries[0]).toEqual({
    ...attestation('a'),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    claimedAt: '2026-03-01T10:00:00.000Z',
  });
  expect(await modeOf(directory)).toBe('700');
  expect(await modeOf(join(directory, 'waiting'))).toBe('700');
  expect(await modeOf(await waitingFile(directory))).toBe('600');
  expect(await spool.waits(attestation('').line)).toBe(true);
  expect(await spool.waits('https://waymark.test/acme/web/t2')).toBe(false);
});

it('stores attachments from memory and from files, and returns them unchanged', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  const path = `${directory}.xml`;
  const text = '<testsuite/>\n\0ü'.repeat(100_000);
  await writeFile(path, text);
  await spool.append(attestation('path', { file: { name: 'junit.xml', content: path } }));
  await spool.append(attestation('bytes', { file: { name: 'a', content: Buffer.from('some bytes') } }));
  await spool.append(attestation('blob', { file: { name: 'b', content: new Blob(['']) } }));
  await spool.append(attestation('none'));

  expect((await spool.list()).entries.map(({ file }) => file?.size)).toEqual([
    Buffer.byteLength(text),
    10,
    0,
    undefined,
  ]);
  const server = givenServer();
  await spool.push(server.send);
  expect(server.contents).toEqual([text, 'some bytes', '', undefined]);
  await expect(
    spool.append(attestation('gone', { file: { name: 'x', content: `${path}.none` } })),
  ).rejects.toMatchObject({ message: 'The file was not spooled', why: `${path}.none cannot be read (ENOENT)` });
});

it('removes recorded entries completely', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  await spool.append(attestation('a'));
  await spool.append(attestation('b'));
  const server = givenServer();

  expect(await spool.push(server.send)).toMatchObject({ recorded: 2, waiting: 0, refused: [], busy: null });
  expect(server.names).toEqual(['a', 'b']);
  expect(await spool.push(server.send)).toMatchObject({ recorded: 0 });
  expect((await readdir(directory, { recursive: true })).sort()).toEqual(['partial', 'refused', 'waiting']);
});

it('stops a line at an unavailable service, and continues with other lines', async () => {
  const spool = openSpool(await givenDirectory());
  for (const name of ['a1', 'a2', 'a3']) await spool.append(attestation(name, { line: 'a' }));
  for (const name of ['b1', 'b2']) await spool.append(attestation(name, { line: 'b' }));
  const server = givenServer((name) => (name === 'a2' ? 'unavailable' : 'recorded'));

  const result = await spool.push(server.send);
  expect(result).toMatchObject({ recorded: 3, waiting: 2, reasons: ['unavailable for a reason'] });
  expect((await spool.list()).entries.map(nameOf)).toEqual(['a2', 'a3']);

  const later = givenServer();
  await spool.push(later.send);
  expect(later.names).toEqual(['a2', 'a3']);
});

it('gives up on a host that is down, and not on its neighbor', async () => {
  const spool = openSpool(await givenDirectory());
  for (let i = 0; i < 20; i++)
    await spool.append(attestation(`down-${i}`, { line: `down/${i}`, host: 'https://down.test' }));
  for (let i = 0; i < 3; i++) await spool.append(attestation(`up-${i}`, { line: `up/${i}` }));
  const server = givenServer((name) => (name.startsWith('down') ? 'unavailable' : 'recorded'));

  expect(await spool.push(server.send)).toMatchObject({ recorded: 3, waiting: 20 });
  expect(server.names.filter((name) => name.startsWith('down')).length).toBeLessThan(8);
});

it('sends nothing more with a refused credential', async () => {
  const spool = openSpool(await givenDirectory());
  for (let i = 0; i < 5; i++) await spool.append(attestation(`a${i}`, { line: `line/${i}` }));
  const server = givenServer(() => 'denied');

  expect(await spool.push(server.send, { parallel: 1 })).toMatchObject({ waiting: 5, denied: new Error('denied') });
  expect(server.names).toEqual(['a0']);
});

it('sets aside refused entries, with the reason, until they are dropped or retried', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  for (const name of ['a', 'b', 'c']) {
    await spool.append(attestation(name, { file: { name, content: Buffer.from(name) } }));
  }
  const server = givenServer((name) => (name === 'c' ? 'recorded' : 'refused'));

  expect(await spool.push(server.send)).toMatchObject({ recorded: 1, waiting: 0, refused: [{}, {}] });
  expect(await spool.push(server.send)).toMatchObject({ recorded: 0, refused: [] });
  expect(server.names).toEqual(['a', 'b', 'c']);
  const { entries, refused } = await spool.list();
  expect(entries).toEqual([]);
  expect(refused.map(({ entry, reason }) => [nameOf(entry), reason])).toEqual([
    ['a', 'refused for a reason'],
    ['b', 'refused for a reason'],
  ]);

  const [a, b] = refused.map(({ entry }) => entry.id);
  expect(await spool.drop(a ?? '')).toBe(true);
  expect(await spool.retry(b ?? '')).toBe(true);
  expect(await spool.retry(b ?? '')).toBe(false);
  const later = givenServer();
  await spool.push(later.send);
  expect([later.names, later.contents]).toEqual([['b'], ['b']]);
  expect(await readdir(join(directory, 'refused'))).toEqual([]);
});

it('reports a truncated or changed file, sends the rest, and drops it by its name', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  for (const name of ['cut', 'changed', 'short', 'good']) {
    await spool.append(attestation(name, { file: { name, content: Buffer.from('0123456789') } }));
  }
  await truncate(await waitingFile(directory, 0), 20);
  const changed = await waitingFile(directory, 1);
  await writeFile(changed, (await readFile(changed, 'utf8')).replace('0123', '0124'));
  const short = await waitingFile(directory, 2);
  await truncate(short, (await stat(short)).size - 1);

  const server = givenServer();
  const result = await spool.push(server.send);
  expect(server.names).toEqual(['good']);
  expect(result.damaged.map(({ why }) => why)).toEqual([
    'its end is missing',
    'its file was changed',
    expect.stringMatching(/^it has \d+ bytes, not \d+$/),
  ]);
  const { damaged } = await spool.list();
  expect(damaged).toHaveLength(2);
  for (const { file } of damaged) expect(await spool.drop(file)).toBe(true);
  expect((await spool.list()).damaged).toEqual([]);
});

it('reports the partial entry of a killed process', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  await spool.append(attestation('a'));
  const partial = join(directory, 'partial', '1-x');
  await writeFile(partial, '{"id":');
  expect((await spool.list()).damaged).toEqual([]);
  await utimes(partial, new Date(0), new Date(0));
  expect((await spool.list()).damaged).toEqual([{ file: '1-x', why: 'its writer stopped before it was complete' }]);
  expect(await spool.drop('1-x')).toBe(true);
});

it('stores and sends only the newest report of an environment', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  await spool.append(report('a'));
  const staging = await spool.append(report('a', { line: 'https://waymark.test/acme/staging' }));
  const latest = await spool.append(report('b'));
  expect((await spool.list()).entries).toEqual([staging, latest]);

  const sent: unknown[] = [];
  await spool.push(async (entry) => {
    sent.push(entry.body);
    return { kind: sent.length === 1 ? 'recorded' : 'superseded' };
  });
  expect(sent).toHaveLength(2);
  await spool.append(report('c'));
  expect(await spool.supersede(report('').line, report('').claimedAt)).toBe(1);
  expect((await spool.list()).entries).toEqual([]);
});

it('picks the newest report by its own time, not by when it was spooled', async () => {
  const spool = openSpool(await givenDirectory());
  const at = (hour: number) => ({ claimedAt: new Date(Date.UTC(2026, 2, 1, hour)) });
  await spool.append(report('b', at(11)));
  await spool.append(report('a', at(10)));
  expect((await spool.list()).entries).toHaveLength(2);
  expect(await spool.supersede(report('').line, at(9).claimedAt)).toBe(0);

  const sent: unknown[] = [];
  const result = await spool.push(async ({ body }) => {
    sent.push(body);
    return { kind: 'recorded' };
  });
  expect(result).toMatchObject({ recorded: 1, superseded: 1, waiting: 0 });
  expect(sent).toEqual([report('b').body]);
  await spool.append(report('c', at(12)));
  expect(await spool.supersede(report('').line, at(13).claimedAt)).toBe(1);
});

it('keeps entries waiting that another server answered, and tries all other lines', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  for (let i = 0; i < 8; i++) await spool.append(attestation(`odd-${i}`, { line: `odd/${i}` }));
  await spool.append(attestation('good', { line: 'good' }));
  const server = givenServer((name) => (name === 'good' ? 'recorded' : 'unexpected'));
  const waiting = { waiting: 8, refused: [], reasons: ['unexpected for a reason'] };
  expect(await spool.push(server.send)).toMatchObject({ ...waiting, recorded: 1 });

  const { entries, damaged } = await spool.list();
  expect(damaged).toEqual([]);
  for (const { id } of entries.slice(1)) expect(await spool.drop(id)).toBe(true);
  expect(await readdir(join(directory, 'waiting'))).toHaveLength(2);
  const tries = join(directory, 'waiting', (await readdir(join(directory, 'waiting'))).sort()[1] ?? '');
  expect(await modeOf(tries)).toBe('600');
  // A truncated count starts over.
  await writeFile(tries, '{"tri');
  expect(await spool.push(server.send)).toMatchObject({ waiting: 1 });
  expect(JSON.parse(await readFile(tries, 'utf8'))).toMatchObject({ tries: 1 });
});

it('gives up only after enough tries and enough time, and starts over on a retry', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  const { id } = await spool.append(attestation('odd'));
  await spool.append(attestation('next'));
  const server = givenServer((name) => (name === 'odd' ? 'unexpected' : 'recorded'));
  const path = `${await waitingFile(directory)}.tries`;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  await writeFile(path, JSON.stringify({ tries: 500, since: hoursAgo(23) }));
  expect(await spool.push(server.send)).toMatchObject({ waiting: 2, refused: [] });
  await writeFile(path, JSON.stringify({ tries: 5, since: hoursAgo(1000) }));
  expect(await spool.push(server.send)).toMatchObject({ waiting: 2, refused: [] });
  await writeFile(path, JSON.stringify({ tries: 19, since: hoursAgo(25) }));
  const { recorded, refused } = await spool.push(server.send);
  expect(recorded).toBe(1);
  expect(refused.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^unexpected for a reason \(20 tries since /),
  ]);
  expect(await readdir(join(directory, 'waiting'))).toEqual([]);

  expect(await spool.retry(id)).toBe(true);
  expect(await spool.push(server.send)).toMatchObject({ waiting: 1, refused: [] });
});

it('sends entries of its credential, and leaves the others waiting', async () => {
  const spool = openSpool(await givenDirectory());
  await spool.append(attestation('here', { line: 'here' }));
  await spool.append(attestation('there', { line: 'there', host: 'https://elsewhere.test' }));
  const server = givenServer();
  const result = await spool.push(server.send, { only: ({ host }) => host === 'https://waymark.test' });
  expect(result).toMatchObject({ recorded: 1, elsewhere: 1, waiting: 0 });
  expect(server.names).toEqual(['here']);
});

it('stops when it is aborted', async () => {
  const spool = openSpool(await givenDirectory());
  for (const name of ['a', 'b', 'c']) await spool.append(attestation(name));
  const stopping = new AbortController();
  const server = givenServer();
  const result = await spool.push(server.send, { signal: stopping.signal, onSent: () => stopping.abort() });
  expect(result).toMatchObject({ recorded: 1, waiting: 2 });
});

it('lets one process push at a time, also when one fails', async () => {
  const spool = openSpool(await givenDirectory());
  await spool.append(attestation('a'));
  const begun = Promise.withResolvers<void>();
  const sending = Promise.withResolvers<never>();
  const push = spool.push(() => {
    begun.resolve();
    return sending.promise;
  });
  const failing = expect(push).rejects.toThrow('broken');
  await begun.promise;
  const server = givenServer();
  expect(await spool.push(server.send)).toMatchObject({ recorded: 0, waiting: 1, busy: { pid: process.pid } });
  const patient = spool.push(server.send, { waitMs: 45_000 });
  sending.reject(new Error('broken'));
  expect(await patient).toMatchObject({ recorded: 1, busy: null });
  await failing;
});

it('takes over from a dead pusher, and stops when it is taken over itself', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  for (const name of ['a', 'b', 'c']) await spool.append(attestation(name));
  await spool
    .push(async () => {
      throw new Error('x');
    })
    .catch(() => undefined);
  const lock = join(directory, 'push-7.lock');
  await writeFile(lock, JSON.stringify({ pid: 1, started: '1', machine: 'another', since: '', token: 't' }));
  expect(await spool.push(givenServer().send)).toMatchObject({ recorded: 0, busy: { pid: 1 } });
  await utimes(lock, new Date(0), new Date(0));

  const server = givenServer();
  const result = await spool.push(async (entry, content) => {
    // Leftovers of a process that took over and was killed at once.
    await writeFile(join(directory, 'push-9.lock'), '');
    return server.send(entry, content);
  });
  expect(result).toMatchObject({ recorded: 1, waiting: 2, reasons: ['another process took over'] });
  expect(await spool.push(server.send)).toMatchObject({ recorded: 2 });
  expect(await readdir(directory)).not.toContain('push-7.lock');
});

it('limits entries and bytes, refused ones included', async () => {
  const few = openSpool(await givenDirectory(), { maxEntries: 2, maxBytes: 1e6 });
  await few.append(attestation('a'));
  await few.push(givenServer(() => 'refused').send);
  await few.append(attestation('b'));
  await expect(few.append(attestation('c'))).rejects.toThrow(SpoolFull);
  expect((await few.list()).entries).toHaveLength(1);

  const small = openSpool(await givenDirectory(), { maxEntries: 10, maxBytes: 1000 });
  const file = { name: 'x', content: Buffer.alloc(2000) };
  await expect(small.append(attestation('a', { file }))).rejects.toMatchObject({
    name: 'SpoolFull',
    message: 'The request was not spooled: the spool is full',
    why: expect.stringContaining('0 entries with 0 bytes; the limits are 10 and 1000'),
  });
  await small.append(attestation('a'));
});

it('refuses a directory that others can read, and explains how to fix it', async () => {
  const directory = await givenDirectory();
  await mkdir(directory);
  await chmod(directory, 0o750);
  const spool = openSpool(directory);
  const refusal = { name: 'SpoolError', why: `${directory} is accessible to other users (mode 750)` };
  await expect(spool.append(attestation('a'))).rejects.toMatchObject({ ...refusal, fix: `chmod 700 '${directory}'` });
  await expect(spool.list()).rejects.toMatchObject(refusal);
  await expect(spool.waits('a')).rejects.toMatchObject(refusal);
  await expect(spool.push(givenServer().send)).rejects.toMatchObject(refusal);
  await chmod(directory, 0o700);
  await spool.append(attestation('a'));
});

it('reports a directory that cannot be created', async () => {
  const directory = await givenDirectory();
  await writeFile(directory, 'a file');
  const spool = openSpool(join(directory, 'spool'));
  await expect(spool.append(attestation('a'))).rejects.toMatchObject({
    name: 'SpoolError',
    message: 'The request was not spooled',
    why: expect.stringContaining('not a directory'),
  });
});

it('reports a place that the system does not allow, and does not retry forever', async () => {
  await expect(openSpool('/proc/nowhere/deep/spool').append(attestation('a'))).rejects.toMatchObject({
    name: 'SpoolError',
    why: '/proc/nowhere/deep/spool: It cannot be created, or was removed in the meantime',
  });
  const long = `/tmp/${'x'.repeat(300)}`;
  await expect(openSpool(long).append(attestation('a'))).rejects.toMatchObject({
    name: 'SpoolError',
    why: expect.stringContaining('ENAMETOOLONG'),
  });
});

it('reports a full disk', async () => {
  // The device that is always full.
  await expect(inSpool('It was not kept', '/spool', () => writeFile('/dev/full', 'x'))).rejects.toMatchObject({
    name: 'SpoolError',
    message: 'It was not kept',
    why: '/spool: The disk is full',
  });
});

it('stores no password of an address', async () => {
  const directory = await givenDirectory();
  const spool = openSpool(directory);
  const host = 'https://ada:secret@waymark.test';
  await expect(spool.append(attestation('a', { host }))).rejects.toThrow(SpoolError);
  await spool.append({ ...attestation('a'), apiKey: 'hidden-key' } as never);
  expect(await readFile(await waitingFile(directory), 'utf8')).not.toContain('hidden-key');
});
