import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Problem } from './errors.ts';
import { createPdfPrinter, requireChromium } from './print-pdf.ts';

/** A program started in place of Chromium, in a directory that it may write to. */
async function givenProgram(script: string): Promise<{ path: string; directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'waymark-program-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'program');
  await writeFile(path, `#!/bin/sh\nhere=${directory}\n${script}\n`);
  await chmod(path, 0o700);
  return { path, directory };
}

const WRITES =
  'for arg; do case "$arg" in --print-to-pdf=*) pdf="${arg#*=}";; file:*) page="${arg#file://}";; esac; done';

const given = (path: string) => ({ path, isSandboxed: true });
const pageOf = (page: string) => () => Promise.resolve({ page });

async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error = await work.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(Problem);
  return error as Problem;
}

it('gives the page in a private place, none of our environment, and leaves nothing behind', async () => {
  const { path, directory } = await givenProgram(
    `${WRITES}\nenv > $here/env\nstat -c %a "$page" "$(dirname "$page")" > $here/modes\necho "$page" > $here/page\ncp "$page" "$pdf"`,
  );
  const { pdf } = await createPdfPrinter(given(path)).print('acme', pageOf('<p>hello'));
  expect(pdf.toString()).toBe('<p>hello');
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  const names = (await read('env')).split('\n').map((line) => line.split('=')[0]);
  expect(
    names.filter((name) => !['PATH', 'HOME', 'TMPDIR', 'PWD', 'OLDPWD', '_', 'SHLVL', ''].includes(name ?? '')),
  ).toEqual([]);
  expect((await read('modes')).split('\n')).toEqual(['600', '700', '']);
  await expect(readFile((await read('page')).trim())).rejects.toThrow('ENOENT');
});

it('ends what takes too long, with all that it started', async () => {
  const { path, directory } = await givenProgram('sleep 60 &\necho $! > $here/pid\nwait');
  const problem = await refusal(createPdfPrinter(given(path), 500).print('acme', pageOf('<p>')));
  expect(problem).toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
  expect(problem.message).toContain('it took more than 0.5 s');
  await sleep(100);
  const pid = (await readFile(join(directory, 'pid'), 'utf8')).trim();
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone');
  expect(stat).toMatch(/^gone$|\) Z /);
});

it('says that it failed, and goes on with the next', async () => {
  const { path, directory } = await givenProgram(
    `${WRITES}\n[ -e $here/again ] && echo pdf > "$pdf" && exit\ntouch $here/again\necho no >&2\nexit 3`,
  );
  const { print } = createPdfPrinter(given(path));
  const [first, second] = await Promise.allSettled([print('acme', pageOf('<p>')), print('acme', pageOf('<p>'))]);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('it exited with 3') } });
  expect(first).toMatchObject({ reason: { cause: 'no\n' } });
  expect(second).toMatchObject({ status: 'fulfilled' });
  const withoutOutput = await givenProgram('exit 0');
  expect((await refusal(createPdfPrinter(given(withoutOutput.path)).print('acme', pageOf('<p>')))).message).toContain(
    'it wrote no file',
  );
  expect(
    (await refusal(createPdfPrinter(given(join(directory, 'missing'))).print('acme', pageOf('<p>')))).message,
  ).toContain('it could not be started');
});

it('prints one at a time and lets four of an org wait', async () => {
  const { path, directory } = await givenProgram(
    `${WRITES}\nmkdir $here/busy || exit 1\nwhile [ ! -e $here/go ]; do sleep 0.02; done\nrmdir $here/busy\necho pdf > "$pdf"`,
  );
  const { print } = createPdfPrinter(given(path));
  const printing = Array.from({ length: 5 }, () => print('acme', pageOf('<p>')));
  const never = () => Promise.reject(new Error('it was made for nothing'));
  expect(await refusal(print('acme', never))).toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
  const ofAnother = print('beta', pageOf('<p>'));
  await writeFile(join(directory, 'go'), '');
  expect((await ofAnother).pdf.toString()).toBe('pdf\n');
  expect(await Promise.all(printing)).toHaveLength(5);
  expect((await print('acme', pageOf('<p>'))).pdf.toString()).toBe('pdf\n');
  expect(await readdir(directory)).not.toContain('busy');
});

it.each([true, false])(
  'turns the sandbox of Chromium off only where that is configured (on: %s)',
  async (isSandboxed) => {
    const { path, directory } = await givenProgram(`${WRITES}\necho "$@" > $here/args\necho pdf > "$pdf"`);
    await createPdfPrinter({ path, isSandboxed }).print('acme', pageOf('<p>'));
    expect((await readFile(join(directory, 'args'), 'utf8')).includes('--no-sandbox')).toBe(!isSandboxed);
  },
);

it('refuses a path that cannot be executed', async () => {
  const { path, directory } = await givenProgram('exit 0');
  const log = { warn: () => expect.fail('nothing to warn of') };
  expect(await requireChromium(given(path), log, false)).toEqual(given(path));
  expect(await requireChromium(undefined, log, true)).toBeUndefined();
  await expect(requireChromium(given(join(directory, 'missing')), log, false)).rejects.toThrow('ENOENT');
});

it('runs as root only without the sandbox and with a warning, and only where that is configured', async () => {
  const { path } = await givenProgram('exit 0');
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text) };
  await expect(requireChromium(given(path), log, true)).rejects.toThrow('set WAYMARK_CHROMIUM_SANDBOX to off');
  expect(warnings).toEqual([]);
  expect(await requireChromium({ path, isSandboxed: false }, log, true)).toEqual({ path, isSandboxed: false });
  expect(warnings).toEqual([expect.stringContaining('WAYMARK_CHROMIUM_SANDBOX is off')]);
});
