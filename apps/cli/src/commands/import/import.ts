import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importAll } from '../../import/import-all.ts';
import { importReport } from '../../import/import-report.ts';
import type { ImportRun } from '../../import/import-run.ts';
import { type ImportState, openState, unsavedState } from '../../import/import-state.ts';
import { openSource, type Source } from '../../import/source.ts';
import { noteDryRun } from '../../resources/write.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { stateDirectory } from '../../run/config-files.ts';
import { failureOf } from '../../run/failure.ts';
import type { Session } from '../../run/session.ts';

const AGAIN = 'Run the same command again: it continues where it stopped';

export const command = defineCommand({
  description:
    'Reads an org of another service with the API calls of its public client, and records in your org everything that ' +
    'it lacks: custom attestation types, flows with templates and tags, trails, artifacts, attestations with ' +
    'attachments, environments with their members, and the latest snapshot of each. It never changes or deletes what ' +
    'your org has. You can stop it at any time and run it again: it continues, and records nothing twice. The result ' +
    'is a report by kind: found, carried, already there, not carried, and failed, with the reasons. With --dry-run it ' +
    'reads both sides and records nothing.',
  examples: [
    {
      say: 'See what would be imported',
      run: 'waymark import --from-host https://app.example.com --from-org acme --from-token-file key.txt --dry-run',
    },
    {
      say: 'Import, and keep the report',
      run: 'waymark import --from-host https://app.example.com --from-org acme --from-token-file key.txt -o json > report.json',
    },
  ],
  settings: ['fromHost', 'fromOrg', 'fromTokenFile', 'fromToken', 'dryRun'],
  build: (command) =>
    command.option(
      '--state <directory>',
      'where an unfinished import keeps its state (default: below ~/.local/state/waymark/import)',
    ),
  async run(session, _, { state: directory }) {
    const { io, settings } = session;
    const source = await openSource(session);
    const target = {
      client: session.client(),
      host: session.need('host'),
      org: session.need('org'),
      signal: io.signal,
    };
    const state = settings.dryRun ? unsavedState() : await stateOf(session, source, directory);
    const scratch = mkdtempSync(join(tmpdir(), 'waymark-import-'));
    const { say, warn } = session;
    const run: ImportRun = { source, target, state, isDryRun: settings.dryRun === true, scratch, say, warn };
    try {
      await importAll(run, io.now);
      await state.finish();
      noteDryRun(session);
      return importReport(run);
    } catch (error) {
      if (!io.signal.aborted) throw settings.dryRun ? error : stopped(error, settings.host);
      say(settings.dryRun ? 'Interrupted' : `Interrupted. ${AGAIN}`);
      return { ...importReport(run), ending: 'interrupted' };
    } finally {
      rmSync(scratch, { recursive: true, force: true });
      await state.close();
    }
  },
});

function stateOf({ io, need }: Session, source: Source, directory: string | undefined): Promise<ImportState> {
  const name = `${source.host}/${source.org} to ${need('host')}/${need('org')}`;
  // One directory for each pair, so that imports do not wait for each other.
  const own = () => createHash('sha256').update(name).digest('hex').slice(0, 12);
  return openState(directory ? resolve(io.cwd, directory) : join(stateDirectory(io), 'import', own()), name);
}

function stopped(error: unknown, host: string | undefined): CliError {
  const { ending, message, why, fix, requestId } = failureOf(error, host);
  return new CliError(ending, message, {
    ...(why !== undefined && { why }),
    fix: [fix, AGAIN].filter((part) => part !== undefined).join('. '),
    requestId: requestId ?? null,
    cause: error,
  });
}
