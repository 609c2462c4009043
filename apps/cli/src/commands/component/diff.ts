import { type ComponentDiff, diffComponents, searchSha } from '@waymark/contract';
import { artifactOf, unknownArtifact } from '../../explain/subject.ts';
import { shortDigest } from '../../resources/show.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { counted } from '../../run/counted.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import type { Style } from '../../run/style.ts';

type Change = ComponentDiff['data'][number];
type Side = Change['from'];

export const command = defineCommand({
  description:
    'Compares the SBOMs of two artifacts: components that were added or removed, and those with other versions or ' +
    'licenses.',
  examples: [
    { say: 'Two builds', run: 'waymark component diff 9f14efa 8f05d73' },
    { say: 'Two images', run: 'waymark component diff oci://ghcr.io/acme/web:1.9.0 oci://ghcr.io/acme/web:1.9.1' },
  ],
  build: (command) =>
    command
      .argument('<from>', 'a fingerprint or its first 5 digits, a path, or oci://IMAGE')
      .argument('<to>', 'what to compare it with'),
  async run(session, [from, to]) {
    const org = session.need('org');
    const query = { from: await fingerprintOf(session, from), to: await fingerprintOf(session, to), per_page: 500 };
    const changes: Change[] = [];
    let first: ComponentDiff | undefined;
    for await (const page of session.client().pages(diffComponents, {
      params: { org },
      query,
      signal: session.io.signal,
    })) {
      first ??= page;
      changes.push(...page.data);
    }
    for (const side of [first?.from, first?.to]) if (side?.has_sbom === false) throw withoutSbom(side.fingerprint);
    const title = `${shortDigest(query.from)} → ${shortDigest(query.to)}`;
    const same = `${counted(first?.counts.unchanged ?? 0, 'component')} unchanged`;
    return {
      data: first && { from: first.from, to: first.to, counts: first.counts, data: changes },
      text: changes.length === 0 ? `${title}: no component changed; ${same}` : `${title}; ${same}`,
      rows: rowsOf({
        items: changes,
        columns: [
          { title: '', of: ({ kind }) => MARKS[kind], format: (text, { kind }, style) => STYLES[kind](style)(text) },
          { title: 'component', of: ({ component }) => component },
          { title: 'from', of: ({ from }) => versionsOf(from) },
          { title: 'to', of: ({ to }) => versionsOf(to) },
          { title: 'license', of: licensesOf },
        ],
        name: ({ component }) => component,
        none: `${title}: no component changed; ${same}`,
      }),
      page: session.pageOf(org, 'artifacts', query.to),
    };
  },
});

const MARKS = { added: '+', removed: '-', version: '~', license: '~' } as const;

const STYLES: Readonly<Record<Change['kind'], (style: Style) => (text: string) => string>> = {
  added: (style) => style.good,
  removed: (style) => style.bad,
  version: (style) => style.doubtful,
  license: (style) => style.doubtful,
};

function versionsOf(side: Side): string {
  return side?.versions.map((version) => version || 'unknown').join(', ') ?? '';
}

function licensesOf({ from, to }: Change): string {
  const [before, after] = [from, to].map((side) => side?.licenses.join(', '));
  if (before === undefined || after === undefined || before === after) return after ?? before ?? '';
  return `${before || 'none'} → ${after || 'none'}`;
}

async function fingerprintOf(session: Session, text: string): Promise<string> {
  const digits = await artifactOf(session, text);
  if (digits.length === 64) return digits;
  const params = { org: session.need('org'), sha: digits };
  const found = await unlessMissing(session.client().call(searchSha, { params, signal: session.io.signal }));
  const { count = 0, matches = [] } = found?.resolved_to.fingerprints ?? {};
  const [only] = matches;
  if (only === undefined) throw unknownArtifact(digits);
  if (count > 1) throw usageError(`${count} fingerprints begin with '${digits}'`, 'Use more digits');
  return only;
}

function withoutSbom(fingerprint: string): CliError {
  return new CliError('notFound', `Artifact ${fingerprint} has no SBOM`, {
    fix: `Record one with 'waymark attest sbom FILE --artifact sha256:${fingerprint}'`,
  });
}
