import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newLogKey } from './log-key.ts';

/** Where servers are found that the secrets are for. */
interface Servers {
  /** Host, port and name of the database. */
  readonly database: string;
  readonly nats: string;
}

/** PostgreSQL's and NATS' own programs read these files too, under other users, so they are for everyone to read. */
const READABLE = 0o444;

/** Each file is what a setting with `_FILE` at its end, or a server of the installation, reads. */
export function generateSecrets(directory: string, servers: Servers): { made: string[]; existing: string[] } {
  const made: string[] = [];
  const existing: string[] = [];
  mkdirSync(directory, { recursive: true });
  const ensure = (name: string, content: () => string): string => {
    const path = join(directory, name);
    if (existsSync(path)) existing.push(name);
    else {
      writeFileSync(path, content(), { mode: READABLE, flag: 'wx' });
      made.push(name);
    }
    return readFileSync(path, 'utf8');
  };
  const owner = ensure('database-owner-password', word);
  ensure('database-owner-url', () => `postgres://waymark:${owner}@${servers.database}`);
  ensure('database-url', () => `postgres://waymark_server:${word()}@${servers.database}`);
  const nats = ensure('nats-password', word);
  ensure('nats-url', () => `nats://waymark:${nats}@${servers.nats}`);
  ensure('secret-key', () => randomBytes(32).toString('base64'));
  ensure('ledger-key', () => newLogKey('waymark-ledger'));
  ensure('s3-access-key', () => randomBytes(10).toString('hex').toUpperCase());
  ensure('s3-secret-key', word);
  return { made, existing };
}

/** Needs no escaping in a URL, a configuration file or a command. */
function word(): string {
  return randomBytes(24).toString('hex');
}
