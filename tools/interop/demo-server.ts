import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '../services/port.ts';

export interface Demo {
  readonly url: string;
  /** The admin's API key. */
  readonly key: string;
  stop(): Promise<void>;
}

/** A demo on a port of its own. It ends with this process, whatever the reason. */
export async function startDemo(): Promise<Demo> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../demo.ts')], {
    env: { ...process.env, WAYMARK_PORT: String(await findFreePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = await readAddress(lines);
  const key = (await lines.next()).value ?? '';
  void showLog(lines);
  return {
    url,
    key,
    async stop() {
      process.off('exit', kill);
      kill();
      await once(child, 'exit');
    },
  };
}

async function readAddress(lines: AsyncIterator<string>): Promise<string> {
  const { done, value } = await lines.next();
  if (done) throw new Error('the demo did not start');
  return value.startsWith('ready ') ? value.slice('ready '.length) : readAddress(lines);
}

/** Errors of the servers explain those of the client. */
async function showLog(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) console.error(line);
}
