import type { Command } from 'commander';
import { sealedColumns } from '../../app/sealed-columns.ts';
import { invalid } from '../../platform/errors.ts';
import { resealSecrets } from '../../platform/reseal.ts';
import { openSecretBox, secretKeyId } from '../../platform/secret-box.ts';
import { generateSecrets } from './generated-secrets.ts';
import { print, withDb } from './with-db.ts';

export function secretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('Generate and reseal the secrets of the installation');
  secrets
    .command('generate <directory>')
    .description('Generate the secrets of a new installation, each in its own file; existing files stay unchanged')
    .requiredOption('--database <address>', 'address of PostgreSQL, such as postgres:5432/waymark')
    .requiredOption('--nats <address>', 'address of NATS, such as nats:4222')
    .action((directory: string, servers: { database: string; nats: string }) => {
      const { made, existing } = generateSecrets(directory, servers);
      print(`${made.length} secrets generated in ${directory}, ${existing.length} already exist`);
    });
  secrets
    .command('reseal')
    .description(
      'Reseal all stored secrets with the first key of WAYMARK_SECRET_KEY; exits with 1 if one cannot be opened',
    )
    .action(() =>
      withDb(async (db, _ctx, { secretKeys }) => {
        if (!secretKeys) throw invalid('WAYMARK_SECRET_KEY is not set, so there is no key to seal secrets with');
        const { resealed, left } = await resealSecrets(db, openSecretBox(...secretKeys), sealedColumns);
        print(`${resealed} resealed with key ${secretKeyId(secretKeys[0])}`);
        for (const [key, count] of left) {
          print(`${count} not resealed: sealed with key ${key}, which is not in WAYMARK_SECRET_KEY, or damaged`);
        }
        if (left.size > 0) process.exitCode = 1;
        else print('All secrets use the first key');
      }),
    );
}
