import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { TestApi } from '../../server/test/harness.ts';
import { main } from '../src/main.ts';
import type { Io } from '../src/run/io.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Given {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly cwd?: string;
  readonly isTty?: boolean;
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  /** Receives all output while it runs. */
  readonly onWrite?: (text: string) => void;
}

export interface Cli {
  /** A home and a working directory of its own, outside of any git repository. */
  readonly home: string;
  readonly cwd: string;
  run(line: readonly string[], given?: Given): Promise<Ran>;
}

/** The command line within this process, on a machine with no settings but those of the test. */
export function givenCli(env: Readonly<Record<string, string | undefined>> = {}): Cli {
  const home = mkdtempSync(join(tmpdir(), 'waymark-cli-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  return {
    home,
    cwd: home,
    async run(line, given = {}) {
      let stdout = '';
      let stderr = '';
      const collect = (add: (text: string) => void) => ({
        write: (written: string | Uint8Array) => {
          const text = typeof written === 'string' ? written : Buffer.from(written).toString('latin1');
          add(text);
          given.onWrite?.(text);
        },
        isTty: given.isTty === true,
        columns: 120,
      });
      const io: Io = {
        env: { WAYMARK_RETRIES: '0', GIT_CEILING_DIRECTORIES: tmpdir(), ...env, ...given.env },
        cwd: given.cwd ?? home,
        home,
        stdin: {
          isTty: given.isTty === true,
          bytes: async () => Buffer.from(given.stdin ?? ''),
          ask: async () => given.stdin ?? '',
        },
        stdout: collect((text) => {
          stdout += text;
        }),
        stderr: collect((text) => {
          stderr += text;
        }),
        now: given.now ?? (() => new Date()),
        signal: given.signal ?? new AbortController().signal,
        fetch,
        run: (program, args, options = {}) => {
          const done = spawnSync(program, args, { encoding: 'utf8', cwd: home, ...options });
          return {
            status: done.error ? 127 : (done.status ?? 1),
            stdout: done.stdout ?? '',
            stderr: done.stderr ?? '',
          };
        },
      };
      const code = await main(line, io);
      return { code, stdout, stderr };
    },
  };
}

/** Signed in at an API, as the admin by default. */
export async function givenSignedIn(api: TestApi, key = api.org.keys.admin): Promise<Cli> {
  return givenCli({ WAYMARK_HOST: await addressOf(api), WAYMARK_ORG: api.org.name, WAYMARK_TOKEN: key });
}

const addresses = new WeakMap<TestApi, Promise<string>>();

export function addressOf(api: TestApi): Promise<string> {
  const known = addresses.get(api) ?? listen(api);
  addresses.set(api, known);
  return known;
}

async function listen(api: TestApi): Promise<string> {
  await api.app.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.http.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
