import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unavailable } from './errors.ts';
import { createFairQueue, type QueueFigures } from './fair-queue.ts';
import type { Logger } from './log.ts';

const TIMEOUT_MS = 30_000;

/** One at a time: Chromium takes more memory than the rest of the server. */
const QUEUE = {
  running: 1,
  runningPerOrg: 1,
  waiting: 16,
  waitingPerOrg: 4,
  patienceMs: 120_000,
  heavyFromMs: TIMEOUT_MS,
  refusal: 'Too many PDF reports are being created. Try again shortly, or use format=html',
  retryAfterSeconds: 10,
};

/** Chromium's version, for the log. */
const OUTPUT_MAX = 2_000;

/**
 * Makes a PDF of a self-contained page. The page is made when its turn comes, so that a refused request costs nothing.
 */
type PrintPdf = <Made extends { readonly page: string }>(
  org: string,
  make: () => Promise<Made>,
) => Promise<{ readonly made: Made; readonly pdf: Buffer }>;

export interface PdfPrinter {
  readonly print: PrintPdf;
  readonly figures: () => QueueFigures;
}

export interface Chromium {
  readonly path: string;
  /** Whether Chromium's own sandbox is used; without it, a vulnerability in Chromium has the rights of the server. */
  readonly isSandboxed: boolean;
}

/** Checks at the start what would otherwise fail with the first PDF. */
export async function requireChromium(
  chromium: Chromium | undefined,
  log: Pick<Logger, 'warn'>,
  isRoot = process.getuid?.() === 0,
): Promise<Chromium | undefined> {
  if (chromium === undefined) return undefined;
  await access(chromium.path, constants.X_OK);
  if (chromium.isSandboxed && isRoot) {
    throw new Error(
      'Chromium does not run as root with its sandbox. Run the server as another user, or set WAYMARK_CHROMIUM_SANDBOX to off',
    );
  }
  if (!chromium.isSandboxed) {
    log.warn('WAYMARK_CHROMIUM_SANDBOX is off: a fault in Chromium would have all rights of this server');
  }
  return chromium;
}

export function createPdfPrinter(chromium: Chromium, timeoutMs = TIMEOUT_MS): PdfPrinter {
  const queue = createFairQueue(QUEUE);
  return {
    print: (org, make) =>
      queue.run(org, async () => {
        const made = await make();
        const pdf = await inPrivate((directory) => print(chromium, directory, made.page, timeoutMs));
        return { made, pdf };
      }),
    figures: queue.figures,
  };
}

/** A private temporary directory that is removed afterwards. */
async function inPrivate<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'waymark-pdf-'));
  try {
    return await work(directory);
  } finally {
    // A killed process may still be writing.
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function print(chromium: Chromium, directory: string, html: string, timeoutMs: number): Promise<Buffer> {
  const page = join(directory, 'report.html');
  const pdf = join(directory, 'report.pdf');
  await writeFile(page, html, { mode: 0o600 });
  const args = [...flags(chromium, directory), `--print-to-pdf=${pdf}`, pathToFileURL(page).href];
  await run(chromium.path, args, directory, timeoutMs);
  try {
    return await readFile(pdf);
  } catch (error) {
    throw failed('it wrote no file', error);
  }
}

/**
 * Nothing is loaded and no name is resolved. The policy in the page prevents scripts; with scripts disabled altogether
 * Chromium does not print, because its own printing code is a script.
 */
function flags({ isSandboxed }: Chromium, directory: string): string[] {
  return [
    '--headless',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-extensions',
    '--disable-background-networking',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    '--no-pdf-header-footer',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    `--user-data-dir=${join(directory, 'profile')}`,
    ...(isSandboxed ? [] : ['--no-sandbox']),
  ];
}

/** Chromium gets none of our own environment, which holds secrets. */
async function run(chromium: string, args: readonly string[], directory: string, timeoutMs: number): Promise<void> {
  const child = spawn(chromium, args, {
    cwd: directory,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: directory, TMPDIR: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its processes form a group, and are killed together.
    detached: true,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-OUTPUT_MAX);
  });
  // If the server exits meanwhile, none is left behind.
  const end = () => endGroup(child.pid);
  process.once('exit', end);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    if (isLate) throw failed(`it took more than ${timeoutMs / 1000} s`, output);
    if (code !== 0) throw failed(`it exited with ${code ?? 'a signal'}`, output);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? failed('it could not be started', error) : error;
  } finally {
    clearTimeout(timer);
    process.off('exit', end);
    end();
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

function failed(why: string, cause: unknown) {
  return unavailable(`The PDF could not be created: ${why}. Use format=html and print it from a browser`, {
    cause,
    retryAfterSeconds: 10,
  });
}
