import type { Command } from 'commander';
import { sealedColumns } from '../../app/sealed-columns.ts';
import { invalid } from '../../platform/errors.ts';
import { resealSecrets } from '../../platform/reseal.ts';
import { openSecretBox, secretKeyId } from '../../platform/secret-box.ts';
import { generateSecrets } from './generated-secrets.ts';
import { print, withDb } from './with-db.ts';

export function secretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('Secrets of the installation, and those that it seals');
  secrets
    .command('generate <directory>')
    .description('Write the secrets of a new installation, each into a file; existing files stay as they are')
    .requiredOption('--database <address>', 'PostgreSQL, such as postgres:5432/waymark')
    .requiredOption('--nats <address>', 'NATS, such as nats:4222')
    .action((directory: string, servers: { database: string; nats: string }) => {
      const { made, existing } = generateSecrets(directory, servers);
      print(`${made.length} secrets generated in ${directory}, ${existing.length} already there`);
    });
  secrets
    .command('reseal')
    .description('Seal all of them with the first key of WAYMARK_SECRET_KEY; exits 1 if one cannot be opened')
    .action(() =>
      withDb(async (db, _ctx, { secretKeys }) => {
        if (!secretKeys) throw invalid('WAYMARK_SECRET_KEY is not set, so there is no key to seal secrets with');
        const { resealed, left } = await resealSecrets(db, openSecretBox(...secretKeys), sealedColumns);
        print(`${resealed} resealed with key ${secretKeyId(secretKeys[0])}`);
        for (const [key, count] of left) {
          print(`${count} left: sealed with key ${key}, which WAYMARK_SECRET_KEY does not hold, or damaged`);
        }
        if (left.size > 0) process.exitCode = 1;
        else print('No secret needs another key');
      }),
    );
}
