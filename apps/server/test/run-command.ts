import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { compiled } from '../../../tools/services/compiled.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs administration commands on a database, the way an operator does. */
export function commandsOn(
  url: string,
  publicUrl = 'http://waymark.test',
  extra: Record<string, string> = {},
): (...args: string[]) => Promise<Ran> {
  const env = {
    ...compiled,
    PATH: process.env['PATH'],
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: publicUrl,
    WAYMARK_DATABASE_URL: url,
    WAYMARK_NATS_URL: 'nats://127.0.0.1:1',
    WAYMARK_BLOB_DIR: '/tmp',
    ...extra,
  };
  return async (...args) => {
    const child = spawn(process.execPath, [inject('programs').server, ...args], { env });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code: code as number | null, out: out.trim(), err: err.trim() };
  };
}
