import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startApi } from '../harness.ts';

const TUTORIAL = join(import.meta.dirname, '../../../../docs/tutorial.md');

interface Block {
  readonly line: number;
  readonly commands: string;
  /** What is printed, if the page says so; `…` stands for anything. */
  readonly output: string | undefined;
}

function blocksOf(page: string): Block[] {
  const fences = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(({ 1: kind, 2: commands = '', index }, i) => {
    if (kind !== 'sh') return [];
    const next = fences[i + 1];
    const output = next?.[1] === 'text' ? next[2] : undefined;
    return [{ line: page.slice(0, index).split('\n').length, commands, output }];
  });
}

function fits(expected: string, printed: string): boolean {
  const pattern = expected
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(printed.replaceAll('\r', '').trim());
}

const MARK = '--- end of block ---';

/** Runs all blocks in one shell, as a reader would, and returns what each printed. */
async function run(blocks: readonly Block[], env: Record<string, string>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'waymark-tutorial-'));
  try {
    const script = blocks.map(({ commands }) => `${commands}\necho; echo '${MARK}'`).join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    return stdout.split(`${MARK}\n`).slice(0, -1);
  } finally {
    await rm(directory, { recursive: true });
  }
}

it('the tutorial works as written, from an empty org', async () => {
  const api = await startApi();
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.http.server.address() as AddressInfo;
  const [setting, ...blocks] = blocksOf(await readFile(TUTORIAL, 'utf8'));
  expect(setting?.commands).toContain('export WAYMARK_KEY=');
  expect(blocks.length).toBeGreaterThan(10);

  const printed = await run(blocks, {
    WAYMARK: `http://127.0.0.1:${port}/api/v2`,
    WAYMARK_KEY: api.org.keys.admin,
  });
  for (const [i, { line, output }] of blocks.entries()) {
    const shown = printed[i] ?? '';
    const isRight = output === undefined || fits(output, shown);
    expect(isRight, `docs/tutorial.md, line ${line}, printed:\n${shown}`).toBe(true);
  }
});

it('another output is noticed', () => {
  expect(fits('a\n… c\n', 'a\nb c\n\n')).toBe(true);
  expect(fits('a\n… c\n', 'a\nb d\n')).toBe(false);
  expect(fits('true\n', 'true false')).toBe(false);
});
