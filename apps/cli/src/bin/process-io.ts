import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Io, OutStream } from '../run/io.ts';

const RUN_TIMEOUT_MS = 30_000;
const RUN_OUTPUT_MAX = 16 * 1024 * 1024;
const NO_SUCH_PROGRAM = 127;
const DEFAULT_COLUMNS = 120;

/** The real machine. */
export function processIo(): Io {
  const { env } = process;
  trustOwnAuthorities(env['WAYMARK_CA_FILE']);
  if (hasProxy(env)) process.getBuiltinModule('node:http').setGlobalProxyFromEnv();
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  // A reader may close our output early; that is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    env,
    cwd: process.cwd(),
    home: homedir(),
    stdin: { isTty: process.stdin.isTTY === true, bytes: readStdin, ask },
    stdout: streamOf(process.stdout),
    stderr: streamOf(process.stderr),
    now: () => new Date(),
    signal: interrupted.signal,
    fetch,
    run: runProgram,
  };
}

/** Loading node:http takes a quarter of the time that a command needs to start (45 of 190 ms, 2026-11-19). */
function hasProxy(env: NodeJS.ProcessEnv): boolean {
  return ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some((name) => env[name]);
}

function streamOf(stream: NodeJS.WriteStream): OutStream {
  return {
    write: (text) => {
      stream.write(text);
    },
    isTty: stream.isTTY === true,
    columns: stream.columns ?? DEFAULT_COLUMNS,
  };
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

async function ask(question: string, { isHidden = false } = {}): Promise<string> {
  if (isHidden) process.stderr.write(question);
  const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  // As a terminal, so that the terminal itself does not echo the input.
  const lines = createInterface({ input: process.stdin, output, ...(isHidden && { terminal: true }) });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('SIGINT', () => {
        process.once('SIGINT', () => reject(new Error('Interrupted')));
        process.kill(process.pid, 'SIGINT');
      });
      lines.once('close', () => resolve(''));
      lines.question(isHidden ? '' : question).then(resolve, reject);
    });
  } finally {
    lines.close();
    if (isHidden) process.stderr.write('\n');
  }
}

const runProgram: Io['run'] = (program, args, options = {}) => {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: RUN_TIMEOUT_MS,
    maxBuffer: RUN_OUTPUT_MAX,
    ...(options.input !== undefined && { input: options.input }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  return { status: error ? NO_SUCH_PROGRAM : (status ?? 1), stdout: stdout ?? '', stderr: stderr ?? '' };
};

function trustOwnAuthorities(path: string | undefined): void {
  if (path === undefined || path === '') return;
  try {
    const certificate = readFileSync(path, 'utf8');
    if (!certificate.includes('-----BEGIN CERTIFICATE-----'))
      throw new Error('it does not contain a certificate (PEM)');
    setDefaultCACertificates([...getCACertificates('default'), certificate]);
  } catch (error) {
    throw new Error(`WAYMARK_CA_FILE (${path}) cannot be used: ${error instanceof Error ? error.message : ''}`);
  }
}
