import { type Outcome, rowsOf } from '../run/outcome.ts';
import { oneLine } from '../run/table.ts';
import type { ImportRun } from './import-run.ts';
import { type Counts, type ImportKind, importKinds, type Reason, type Tally } from './tally.ts';

/** What an import cannot carry, whatever the source has. */
export const importLimits = [
  'Times: Waymark records when it received an item. The original time of an artifact or attestation is its claimed time and in the annotation original_time; that of a trail is in its link imported_from. Flows and environments do not keep it.',
  'Ids and authors: an item gets a new id, and its author is the key of the import. The originals of artifacts and attestations are in the annotations imported_id and original_author; the author of a trail is in its link imported_from.',
  'Verdicts: Waymark judges everything itself. The original verdict of an attestation is in the annotation original_verdict.',
  'Reports of one artifact: only the newest in each trail can be read.',
  'Snapshots: the latest one of each environment is reported as its first one here. Earlier snapshots and events stay at the source.',
  'Not imported: archived flows and environments, policies, controls, waivers, approvals, repository tags, notifications, members, service accounts, keys, and audit logs.',
] as const;

type Row = { readonly kind: ImportKind } & Counts;

const NONE: Counts = { found: 0, carried: 0, already_there: 0, not_carried: 0, failed: 0 };

/** The report of an import that ended, or was interrupted. */
export function importReport({ source, target, state, isDryRun }: ImportRun): Outcome {
  const { counts, reasons } = state.tally;
  const kinds: Row[] = importKinds
    .filter((kind) => kind !== 'approval' || counts[kind])
    .map((kind) => ({ kind, ...NONE, ...counts[kind] }));
  const of = (outcome: Reason['outcome']) =>
    reasons
      .filter((one) => one.outcome === outcome)
      .map(({ kind, reason, count, examples }) => ({ kind, reason, count, examples }));
  const data = {
    source: { host: source.host, org: source.org },
    target: { host: target.host, org: target.org },
    dry_run: isDryRun,
    kinds,
    not_carried: of('not_carried'),
    failed: of('failed'),
    limits: importLimits,
  };
  return {
    data,
    rows: rowsOf<Row>({
      items: kinds,
      columns: [
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'found', of: ({ found }) => found },
        { title: isDryRun ? 'to carry' : 'carried', of: ({ carried }) => carried },
        { title: 'already there', of: ({ already_there }) => already_there },
        { title: 'not carried', of: ({ not_carried }) => not_carried },
        { title: 'failed', of: ({ failed }) => failed },
      ],
      name: ({ kind }) => kind,
      none: 'Nothing to import.',
    }),
    text: textOf(state.tally),
    ...endingOf(reasons),
  };
}

function endingOf(reasons: readonly Reason[]): Pick<Outcome, 'ending'> {
  const failed = reasons.find(({ outcome }) => outcome === 'failed');
  return failed ? { ending: failed.ending ?? 'usage' } : {};
}

function textOf({ reasons }: Tally): string {
  const of = (title: string, outcome: Reason['outcome']) => {
    const lines = reasons.filter((one) => one.outcome === outcome).map(reasonLine);
    return lines.length === 0 ? [] : ['', title, ...lines];
  };
  return [
    ...of('Not carried', 'not_carried'),
    ...of('Failed (run the command again to retry)', 'failed'),
    '',
    'Limits',
    ...importLimits.map((limit) => `  ${limit}`),
  ].join('\n');
}

function reasonLine({ kind, count, reason, examples }: Reason): string {
  const shown = examples.map(oneLine).join(', ');
  return `  ${kind} (${count}): ${oneLine(reason)} [${shown}${count > examples.length ? ', …' : ''}]`;
}
