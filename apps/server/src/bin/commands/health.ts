import { readFile } from 'node:fs/promises';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Config, loadConfig } from '../../config/env.ts';
import { start } from '../start.ts';
import { print } from './with-db.ts';

/** Longer than a server takes to find out that its database does not answer. */
const PATIENCE_MS = 4_000;

/** Container engines call it: an image without a shell has no other program that could ask. */
export function healthCommand(program: Command): void {
  program
    .command('health')
    .description('Check that the API on this machine is ready; exits with 1 if not')
    .action(async () => {
      const { isReady, found } = await ask(start(loadConfig).config);
      print(found);
      if (!isReady) process.exitCode = 1;
    });
}

async function ask({ listen, tls }: Config): Promise<{ isReady: boolean; found: string }> {
  const host = ['0.0.0.0', '::'].includes(listen.host) ? '127.0.0.1' : listen.host;
  const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listen.port}/ready`;
  try {
    const { status, body } = await fetchReady(url, tls);
    return { isReady: status === 200, found: body };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { isReady: false, found: `${url}: ${message || code}` };
  }
}

async function fetchReady(url: string, tls: Config['tls']): Promise<{ status: number | undefined; body: string }> {
  const options = { agent: false, signal: AbortSignal.timeout(PATIENCE_MS), ...(tls && (await trustOnly(tls.cert))) };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  const get = tls ? getSecure : getPlain;
  get(url, options, (answer) => {
    text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
  }).once('error', reject);
  return promise;
}

/** The server must present the configured certificate. Its names are those of the public address, not of this one. */
async function trustOnly(file: string) {
  return { ca: await readFile(file, 'utf8'), allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}
