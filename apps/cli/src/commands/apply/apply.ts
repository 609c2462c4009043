import { checkedDocuments, type Document } from '../../resources/apply/documents.ts';
import { archiveLeftover, findLeftovers, type Leftover } from '../../resources/apply/prune.ts';
import { placeOf, readDocuments } from '../../resources/apply/read-documents.ts';
import { sendDocument } from '../../resources/apply/send-document.ts';
import { collect } from '../../resources/options.ts';
import { noteDryRun, type Put } from '../../resources/write.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';
import type { Ending } from '../../run/exit-codes.ts';
import { failureOf } from '../../run/failure.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';

interface Applied {
  readonly outcome: Put | 'archived';
  readonly kind: string;
  readonly name: string;
  readonly file: string | null;
  readonly document: number | null;
}

export const command = defineCommand({
  description:
    'Reads YAML documents with a kind (flow, environment, policy, control, or notification), a name, and the fields ' +
    'of the API; a policy or a template can be in a separate file (policy_file, template_file). All documents are ' +
    'checked, here and by the service, before the first one is sent. Omitted fields keep their values. Flows, ' +
    'environments, and controls get the tag managed-by=waymark-apply. With --prune, resources that have this tag and ' +
    'are in no file are archived; policies and notifications have no tags and are never pruned.',
  examples: [
    { say: 'Preview the changes', run: 'waymark apply waymark/ --dry-run' },
    { say: 'In a pipeline, archiving what was removed from the files', run: 'waymark apply waymark/ --prune --yes' },
  ],
  settings: ['dryRun', 'yes'],
  build: (command) =>
    command
      .argument('[path...]', 'files or directories, or - for standard input')
      .option('-f, --file <path>', 'same as PATH; can be repeated', collect, [] as string[])
      .option('--prune', 'archive resources from earlier runs that are no longer in any file'),
  async run(session, [paths], { file, prune }) {
    const documents = checkedDocuments(session.io.cwd, await readDocuments(session, required([...paths, ...file])));
    const planned = await plan(session, documents);
    const leftovers = prune ? await findLeftovers(session, documents) : [];
    if (session.settings.dryRun) {
      for (const leftover of leftovers) await archiveLeftover(session, leftover, true);
      noteDryRun(session);
      return resultOf([...planned, ...leftovers.map(asArchived)], 'would be ');
    }
    if (leftovers.length > 0) {
      const names = leftovers.map(({ kind, name }) => `${kind} '${name}'`).join(', ');
      await confirm(session, `Archiving ${names}`);
    }
    const applied: Applied[] = [];
    for (const document of documents) {
      applied.push(await applyOne(session, document, applied.length, documents.length));
    }
    for (const leftover of leftovers) {
      await archiveLeftover(session, leftover, false);
      applied.push(asArchived(leftover));
    }
    return resultOf(applied);
  },
});

function required(paths: readonly string[]): readonly string[] {
  if (paths.length > 0) return paths;
  throw usageError('PATH is missing', 'Add a file, a directory, or - for standard input as PATH');
}

/** Tries all documents: returns what would happen to each, or everything that the service refuses. */
async function plan(session: Session, documents: readonly Document[]): Promise<Applied[]> {
  const coming = new Set<string>();
  const planned: Applied[] = [];
  const refused: { ending: Ending; text: string }[] = [];
  for (const document of documents) {
    try {
      const put = await sendDocument(session, document, { dryRun: true, coming });
      if (put === 'created') coming.add(`${document.kind} ${document.name}`);
      planned.push(asApplied(document, put));
    } catch (error) {
      const failure = failureIn(session, document, error);
      if (!['usage', 'notFound', 'conflict'].includes(failure.ending)) throw failure;
      const why = failure.why === undefined ? '' : `: ${failure.why}`;
      refused.push({ ending: failure.ending, text: `${failure.message}${why}` });
      // It is refused already; documents that refer to it are not refused for that as well.
      coming.add(`${document.kind} ${document.name}`);
    }
  }
  const [first] = refused;
  if (!first) return planned;
  throw new CliError(
    first.ending,
    `Nothing was applied: the service refuses ${refused.length} of ${documents.length}`,
    {
      why: refused.map(({ text }) => text).join('\n  '),
    },
  );
}

async function applyOne(session: Session, document: Document, done: number, all: number): Promise<Applied> {
  try {
    return asApplied(document, await sendDocument(session, document, { dryRun: false, coming: new Set() }));
  } catch (error) {
    const failure = failureIn(session, document, error);
    throw new CliError(failure.ending, failure.message, {
      why: [failure.why, `${done} of ${all} documents were applied before it`].filter(Boolean).join('; '),
      fix: failure.fix ?? 'Fix the problem and run it again; applied documents stay unchanged',
      requestId: failure.requestId ?? null,
      cause: error,
    });
  }
}

function failureIn(session: Session, document: Document, error: unknown): CliError {
  const { ending, message, why, fix, requestId } = failureOf(error, session.settings.host);
  return new CliError(ending, `${placeOf(document)} (${document.kind} '${document.name}'): ${message}`, {
    ...(why !== undefined && { why }),
    ...(fix !== undefined && { fix }),
    requestId: requestId ?? null,
    cause: error,
  });
}

function asApplied({ kind, name, file, number }: Document, outcome: Put): Applied {
  return { outcome, kind, name, file, document: number };
}

function asArchived({ kind, name }: Leftover): Applied {
  return { outcome: 'archived', kind, name, file: null, document: null };
}

/** The data is the same in a dry run. */
function resultOf(applied: readonly Applied[], would = '') {
  const outcomeText = (outcome: Applied['outcome']) => (outcome === 'unchanged' ? outcome : `${would}${outcome}`);
  const counts = Map.groupBy(applied, ({ outcome }) => outcome);
  const summary = (['created', 'updated', 'unchanged', 'archived'] as const)
    .filter((outcome) => counts.has(outcome))
    .map((outcome) => `${counts.get(outcome)?.length ?? 0} ${outcomeText(outcome)}`);
  return {
    data: applied,
    rows: rowsOf({
      items: applied,
      columns: [
        { title: 'outcome', of: ({ outcome }) => outcomeText(outcome) },
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'name', of: ({ name }) => name },
        { title: 'file', of: ({ file }) => file },
        { title: 'document', of: ({ document }) => document, wide: true },
      ],
      name: ({ kind, name }) => `${kind}/${name}`,
      none: 'Nothing to apply.',
    }),
    text: summary.join(', '),
  };
}
