import type { Command } from 'commander';
import { openObjects } from '../../platform/blobs/open-objects.ts';
import { beginEpoch } from '../../platform/ledger/epochs.ts';
import { parseLogKeys } from '../../platform/ledger/log-keys.ts';
import { ledgerCheckCommand } from './ledger-check.ts';
import { ensureLogKey } from './log-key.ts';
import { print, withDb } from './with-db.ts';

export function ledgerCommands(program: Command): void {
  const ledger = program.command('ledger').description('Manage the ledger');
  ledger
    .command('key <file>')
    .description(
      'Generate the private key that signs the ledger into a file, unless it exists, and print its public key',
    )
    .option('--name <name>', 'name in the file; checkpoints are signed under the name of the log', 'waymark-ledger')
    .action(async (file: string, { name }: { name: string }) => print(await ensureLogKey(file, name)));
  ledger
    .command('epoch')
    .description('Begin a new epoch of the region log after signing stopped; its first leaf names the last checkpoint')
    .requiredOption('--reason <reason>', 'why the log cannot continue; recorded in the log, which is public')
    .option('--while-signing', 'also if signing has not stopped')
    .action(({ reason, whileSigning = false }: { reason: string; whileSigning?: boolean }) =>
      withDb(async (db, _ctx, { blobs, ledger: { name, keys } }) => {
        const parts = { db, objects: openObjects(blobs), name, keys: await parseLogKeys(keys) };
        const { epoch, origin, previous } = await beginEpoch(parts, { reason, whileSigning });
        print(`Epoch ${epoch} began: ${origin}`);
        print(`Its first leaf names the checkpoint of ${previous.size} leaves of ${previous.origin}`);
        print('Add the key of the new origin to trust policies: waymark ledger trust-policy');
      }),
    );
  ledgerCheckCommand(ledger);
}
