import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  COSIGNATURE,
  FormatError,
  formatSigningKey,
  formatVerifierKey,
  parseSigningKey,
  signingKey,
} from '@waymark/transparency';
import type { Command } from 'commander';
import { loadWitnessConfig } from '../../config/witness-env.ts';
import { invalid } from '../../platform/errors.ts';
import { runUntilStopped } from '../running.ts';
import { print } from './with-db.ts';

const SEED_BYTES = 32;

export function witnessCommand(program: Command): void {
  const witness = program
    .command('witness')
    .description('Run a witness, which cosigns the checkpoints of ledgers; it needs no database')
    .action(async () => {
      const { startWitness } = await import('../witness.ts');
      await runUntilStopped(loadWitnessConfig, async (surroundings) => [await startWitness(surroundings)]);
    });
  witness
    .command('key <file>')
    .description('Generate the private key of a witness into a file, unless it exists, and print its verifier key')
    .requiredOption('--name <name>', 'name of the witness, such as witness.example.com')
    .action(async (file: string, { name }: { name: string }) => print(await ensureKey(file, name)));
}

async function ensureKey(file: string, name: string): Promise<string> {
  try {
    if (!existsSync(file)) {
      const generated = formatSigningKey(await signingKey(name, COSIGNATURE, randomBytes(SEED_BYTES)));
      writeFileSync(file, `${generated}\n`, { mode: 0o600, flag: 'wx' });
    }
    const key = await parseSigningKey(readFileSync(file, 'utf8').trim());
    if (key.name !== name) throw invalid(`${file} has the key of '${key.name}'`);
    return formatVerifierKey(key);
  } catch (error) {
    throw error instanceof FormatError ? invalid(error.message) : error;
  }
}
