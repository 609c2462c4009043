import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { conflictFile } from '../../ledger/breaks.ts';
import { LedgerFault } from '../../ledger/ledger-fault.ts';
import { readStored, writeStored } from '../../ledger/stored-checkpoint.ts';
import { POLICY_HELP, readTrustPolicy } from '../../ledger/trust-policy.ts';
import type { Checked, Watch } from '../../ledger/watch.ts';
import { checkLedger } from '../../ledger/watch-ledger.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { stateDirectory } from '../../run/config-files.ts';
import { counted } from '../../run/counted.ts';
import { readDuration } from '../../run/duration.ts';
import { failureOf } from '../../run/failure.ts';
import type { Outcome } from '../../run/outcome.ts';
import { replaceFile } from '../../run/replace-file.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';
import { ended, endlessWriter } from '../events/endless.ts';

const DEFAULT_INTERVAL_MS = 600_000;
const DEFAULT_PATIENCE_MS = 60_000;
const SHORTEST_INTERVAL_MS = 1_000;

export const command = defineCommand({
  description:
    'Monitors the ledger from outside: fetches the newest checkpoint, verifies its signature and cosignatures, and ' +
    'verifies by the tiles that the log still contains everything that it contained at the last check. Compares the log ' +
    'of the org with what the region log announced about it. Trusts the policy and the file with the last checkpoint, ' +
    'and nothing that the service says. Exits with 3 if a log was rewritten, got smaller, or began a new epoch, or if ' +
    'cosignatures are missing, and keeps the checkpoint that shows it. Run it on a machine that the operator of the ' +
    'service does not control.',
  examples: [
    { say: 'Check every ten minutes, until stopped', run: 'waymark ledger watch --policy trust.txt' },
    {
      say: 'Check once, from cron',
      run: 'waymark ledger watch --once --policy trust.txt --state /var/lib/waymark/acme.json',
    },
    { say: 'Watch the region log alone, without a key', run: 'waymark ledger watch --region --policy trust.txt' },
  ],
  build: (command) =>
    command
      .requiredOption('--policy <file>', POLICY_HELP)
      .option('--state <file>', 'file with the last verified checkpoint (default: one for each service and org)')
      .option('--every <duration>', 'interval between checks (default: 10m)', readInterval)
      .option('--once', 'check once, and exit')
      .option('--region', 'check only the region log, which is public')
      .option('--wait-for-witnesses <duration>', 'how long cosignatures may be missing (default: 1m)', readPatience)
      .option('--accept-epoch <number>', 'continue with this epoch of the region log after a break', readEpoch),
  async run(session, _, { policy, state, every, once, region, waitForWitnesses, acceptEpoch }) {
    if (once && every !== undefined) throw usageError('--once and --every cannot be combined');
    const host = session.need('host');
    const org = region ? undefined : session.need('org');
    const watch: Watch = {
      policy: readTrustPolicy(session, policy),
      org,
      patienceMs: waitForWitnesses ?? DEFAULT_PATIENCE_MS,
      accepted: acceptEpoch,
      file: state ?? defaultState(session, host, org),
    };
    if (once) return outcomeOf(session, await checkAndKeep(session, watch));
    const write = endlessWriter(session);
    session.say(`The last checkpoint is stored in ${watch.file}; stop with Ctrl-C`);
    for (;;) {
      const checked = await unlessUnavailable(session, checkAndKeep(session, watch));
      if (checked) write(documentOf(session, checked), lineOf(session, checked));
      const isOver = await pause(session, every ?? DEFAULT_INTERVAL_MS);
      if (isOver) return ended;
    }
  },
});

function defaultState({ io }: Session, host: string, org: string | undefined): string {
  const name = `${new URL(host).host}${org === undefined ? '' : `-${org}`}`.replaceAll(/[^a-zA-Z0-9._-]/g, '_');
  return join(stateDirectory(io), 'ledger', `${name}.json`);
}

type Stored = Checked & { readonly isFirst: boolean };

/** Keeps a checkpoint only once it is verified. One that shows a break is stored next to it. */
async function checkAndKeep(session: Session, watch: Watch): Promise<Stored> {
  const path = resolve(session.io.cwd, watch.file);
  const known = readStored(path);
  try {
    const checked = await checkLedger(session, watch, known);
    writeStored(path, checked.stored);
    return { ...checked, isFirst: known === undefined };
  } catch (error) {
    if (error instanceof LedgerFault && error.note !== undefined && known) replaceFile(conflictFile(path), error.note);
    throw error;
  }
}

/** A service that is down now can be checked later: the checkpoint is stored. */
async function unlessUnavailable<T>(session: Session, checking: Promise<T>): Promise<T | undefined> {
  try {
    return await checking;
  } catch (error) {
    session.io.signal.throwIfAborted();
    const failure = failureOf(error, session.settings.host);
    if (failure.ending !== 'unavailable') throw error;
    session.warn(`Not checked: ${failure.message}`);
    return undefined;
  }
}

async function pause({ io }: Session, ms: number): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: io.signal });
    return false;
  } catch (error) {
    if (io.signal.aborted) return true;
    throw error;
  }
}

function outcomeOf(session: Session, checked: Stored): Outcome {
  return {
    data: documentOf(session, checked),
    text: ({ good }) => `${good('✓')} ${lineOf(session, checked)}`,
  };
}

function documentOf({ io }: Session, { stored, region, announced, isFirst }: Stored) {
  const { origin, size, root } = region.signed.checkpoint;
  return {
    checked_at: Math.floor(io.now().getTime() / 1000),
    first_check: isFirst,
    epoch: stored.region.epoch,
    origin,
    size,
    root: Buffer.from(root).toString('hex'),
    witnesses: region.cosigned.map(({ witness, time }) => ({ name: witness, cosigned_at: time })),
    org: stored.org && { ...stored.org, announced_heads: announced },
  };
}

function lineOf(session: Session, { stored, region, isFirst }: Stored): string {
  const { origin, size } = region.signed.checkpoint;
  const names = region.cosigned.map(({ witness }) => witness).join(', ');
  return [
    showTime(session.io.now().getTime() / 1000, session),
    `${oneLine(origin)}: ${counted(size, 'leaf', 'leaves')}`,
    names === '' ? 'signed' : `signed, cosigned by ${names}`,
    ...(stored.org ? [`log of the org: ${counted(stored.org.size, 'entry', 'entries')}`] : []),
    isFirst ? 'first check: nothing to compare with' : 'contains the last checkpoint',
  ].join('  ');
}

function readInterval(text: string): number {
  return readTime(text, SHORTEST_INTERVAL_MS);
}

function readPatience(text: string): number {
  return readTime(text, 0);
}

function readTime(text: string, least: number): number {
  try {
    const ms = readDuration(text);
    if (ms >= least) return ms;
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `It ${error.message}.` : '');
  }
  throw new InvalidArgumentError('It must be at least a second.');
}

function readEpoch(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of an epoch.');
}
