import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Block, fits, readBlocks } from './page-blocks.ts';

interface Commands {
  readonly line: number;
  readonly text: string;
  /** The expected output, if the document shows it. */
  readonly output: string | undefined;
}

/** Generous: a busy machine takes many times as long as a quiet one. */
const GIVES_UP_AFTER_MS = 900_000;
const MARK = '--- end of block ---';

/** The `sh` blocks of a document, each with the `text` block that follows. */
export async function readCommands(document: string): Promise<Commands[]> {
  const blocks = await readBlocks(document);
  return blocks.flatMap(({ kind, text, line }, i) => {
    const next: Block | undefined = blocks[i + 1];
    return kind === 'sh' ? [{ line, text, output: next?.kind === 'text' ? next.text : undefined }] : [];
  });
}

/** Runs all commands in one shell, as a reader would, and returns those with other output. */
export async function complaintsAbout(
  commands: readonly Commands[],
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const printed = await run(commands, env);
  return commands.flatMap(({ line, output }, i) => {
    const shown = printed[i] ?? '';
    return output === undefined || fits(output, shown) ? [] : [`line ${line} printed:\n${shown}`];
  });
}

async function run(commands: readonly Commands[], env: Readonly<Record<string, string>>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'waymark-page-'));
  try {
    const script = commands.map(({ text }) => `${text}\necho; echo '${MARK}'`).join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      timeout: GIVES_UP_AFTER_MS,
    }).catch(tellWhere);
    return stdout.split(`${MARK}\n`).slice(0, -1);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function tellWhere(error: Error & { readonly stdout: string; readonly stderr: string }): never {
  throw new Error(`the commands broke off after they had printed:\n${error.stdout}\n${error.stderr}`);
}
