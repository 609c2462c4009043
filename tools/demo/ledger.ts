import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Algorithm,
  COSIGNATURE,
  ED25519,
  formatSigningKey,
  formatVerifierKey,
  parseSigningKey,
  regionOrigin,
  signingKey,
  verifierKey,
} from '../../packages/transparency/src/index.ts';
import { findFreePort } from '../services/port.ts';

/** Stays the same whatever the port, because it is in every checkpoint. */
const NAME = 'waymark.demo/eu';
const WITNESSES = ['auditor', 'customer'] as const;
const SEED_BYTES = 32;

/** A ledger that is signed and cosigned by two witnesses on this machine. */
interface DemoLedger {
  /** For the API and the worker. */
  readonly settings: Readonly<Record<string, string>>;
  /** For one `waymark-server witness` each. */
  readonly witnesses: readonly Readonly<Record<string, string>>[];
}

/** Makes what is missing of the keys in a directory, and the settings with them. */
export async function givenLedger(directory: string): Promise<DemoLedger> {
  await mkdir(directory, { recursive: true });
  const logKey = await keyIn(join(directory, 'log.key'), NAME, ED25519);
  const { publicKey } = await parseSigningKey(logKey);
  const log = formatVerifierKey(verifierKey(regionOrigin(NAME, 1), ED25519, publicKey));
  const logsFile = join(directory, 'logs.policy');
  await writeFile(logsFile, `log ${log}\nquorum none\n`);
  const witnesses = await Promise.all(WITNESSES.map((name) => givenWitness(directory, name, logsFile)));
  const policy = [...witnesses.map(({ line }) => line), `group both all ${WITNESSES.join(' ')}`, 'quorum both'];
  return {
    settings: {
      WAYMARK_LEDGER_NAME: NAME,
      WAYMARK_LEDGER_KEY: logKey,
      WAYMARK_STATEMENT_KEY: await pemIn(join(directory, 'statement.pem')),
      WAYMARK_LEDGER_WITNESSES: `${policy.join('\n')}\n`,
    },
    witnesses: witnesses.map(({ settings }) => settings),
  };
}

async function givenWitness(directory: string, name: string, logsFile: string) {
  const state = join(directory, name);
  await mkdir(state, { recursive: true });
  const key = await keyIn(join(directory, `${name}.key`), `${name}.waymark.demo`, COSIGNATURE);
  const port = await findFreePort();
  return {
    line: `witness ${name} ${formatVerifierKey(await parseSigningKey(key))} http://127.0.0.1:${port}`,
    settings: {
      WAYMARK_WITNESS_KEY: key,
      WAYMARK_WITNESS_POLICY: logsFile,
      WAYMARK_WITNESS_STATE: state,
      WAYMARK_LISTEN_HOST: '127.0.0.1',
      WAYMARK_PORT: String(port),
    },
  };
}

/** The key that signs verdicts. */
async function pemIn(file: string): Promise<string> {
  return ensured(file, String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })));
}

async function keyIn(file: string, name: string, algorithm: Algorithm): Promise<string> {
  return ensured(file, formatSigningKey(await signingKey(name, algorithm, randomBytes(SEED_BYTES))));
}

/** Returns the content of the file, which is the generated one if it did not exist. */
async function ensured(file: string, generated: string): Promise<string> {
  await writeFile(file, generated, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
}
