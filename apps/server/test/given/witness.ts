import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COSIGNATURE, formatSigningKey, formatVerifierKey, signingKey } from '@waymark/transparency';
import { findFreePort } from '../../../../tools/services/port.ts';
import { type AtEnd, type ServerProcess, startServer } from '../faults/processes.ts';

export interface GivenWitness {
  readonly url: string;
  readonly name: string;
  readonly verifierKey: string;
  readonly server: ServerProcess;
  /** Starts it again, with the same key and state. */
  restart(): Promise<ServerProcess>;
}

/** A witness in a separate process, as an operator sets it up: with no database, and none of the server's settings. */
export async function startWitness(name: string, logs: string, atEnd: AtEnd): Promise<GivenWitness> {
  const directory = mkdtempSync(join(tmpdir(), 'witness-'));
  const keyFile = join(directory, 'witness.key');
  const key = await signingKey(name, COSIGNATURE, randomBytes(32));
  writeFileSync(keyFile, formatSigningKey(key));
  writeFileSync(join(directory, 'logs.policy'), logs);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    WAYMARK_WITNESS_KEY_FILE: keyFile,
    WAYMARK_WITNESS_POLICY: join(directory, 'logs.policy'),
    WAYMARK_WITNESS_STATE: join(directory, 'state'),
    WAYMARK_PORT: `${port}`,
  };
  const start = () => startServer(['witness'], env, () => isServing(url), atEnd);
  return { url, name, verifierKey: formatVerifierKey(key), server: await start(), restart: start };
}

async function isServing(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
