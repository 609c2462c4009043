import { type WhereComponent, whereComponent } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { counted } from '../../run/counted.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';

type Found = WhereComponent['data'][number];

export const command = defineCommand({
  description:
    'Searches the SBOMs of everything that runs now. The range has the syntax of the ecosystem: of semantic ' +
    'versioning for npm, Cargo, Go, Hex, pub, and Swift, of PEP 440 for PyPI. Elsewhere the order of versions is not ' +
    'known, and only a single version can be compared. Exits with 0 if anything runs it, and with 5 if nothing is ' +
    'known to run it. Artifacts without SBOM are counted.',
  examples: [
    { say: 'Any version', run: 'waymark component where pkg:npm/lodash' },
    { say: 'A vulnerable range', run: "waymark component where pkg:npm/lodash --range '<4.17.21'" },
    { say: 'One version', run: 'waymark component where pkg:deb/debian/openssl@3.0.11-1' },
  ],
  build: (command) =>
    command
      .argument('<component>', 'a package URL, such as pkg:npm/lodash')
      .option('--range <range>', 'only these versions'),
  async run(session, [component], { range }) {
    const org = session.need('org');
    const found: Found[] = [];
    let first: WhereComponent | undefined;
    const pages = session.client().pages(whereComponent, {
      params: { org },
      query: given({ component, range, per_page: 100 }),
      signal: session.io.signal,
    });
    for await (const page of pages) {
      first ??= page;
      found.push(...page.data);
    }
    const notes = [orderNote(first, range), coverageNote(first?.coverage)].filter((one) => one !== undefined);
    for (const note of notes) session.say(note);
    const meant = range === undefined ? component : `${component} ${range}`;
    return {
      ...(found.length === 0 && { ending: 'notFound' as const }),
      data: { version_order: first?.version_order, coverage: first?.coverage, data: found },
      rows: rowsOf({
        items: found.flatMap((artifact) => placesOf(session, artifact)),
        columns: [
          { title: 'environment', of: ({ environment }) => environment },
          { title: 'artifact', of: ({ artifact }) => artifact.name },
          { title: 'version', of: ({ artifact }) => versionsOf(artifact) },
          { title: 'in range', of: ({ artifact }) => (artifact.in_range === true ? 'yes' : 'unknown') },
          { title: 'runs since', of: ({ since }) => since },
          { title: 'SBOM recorded', of: ({ artifact }) => showTime(artifact.sboms[0]?.recorded_at ?? null, session) },
          { title: 'fingerprint', of: ({ artifact }) => artifact.fingerprint, wide: true },
          { title: 'flow', of: ({ artifact }) => artifact.sboms[0]?.flow_name, wide: true },
        ],
        name: ({ environment }) => environment,
        none: `No SBOM of a running artifact contains ${meant}.`,
      }),
    };
  },
});

interface Place {
  readonly artifact: Found;
  readonly environment: string;
  readonly since: string;
}

function placesOf(session: Session, artifact: Found): Place[] {
  const places = artifact.environments.map(({ environment_name, since }) => ({
    artifact,
    environment: environment_name,
    since: showTime(since, session),
  }));
  if (!artifact.has_more_environments) return places;
  return [...places, { artifact, environment: `more: waymark where ${artifact.fingerprint}`, since: '' }];
}

function versionsOf({ components, component_count }: Found): string {
  const versions = [...new Set(components.map(({ version }) => version || 'unknown'))].join(', ');
  return component_count > components.length ? `${versions}, …` : versions;
}

function orderNote(page: WhereComponent | undefined, range: string | undefined): string | undefined {
  if (page?.version_order !== 'exact' || range === undefined) return undefined;
  return 'The order of versions of this ecosystem is not known: they are compared for equality';
}

function coverageNote(coverage: WhereComponent['coverage'] | undefined): string | undefined {
  if (!coverage) return undefined;
  const { running, without_sbom: without, unidentified, is_complete } = coverage;
  if (without === 0 && unidentified === 0) return undefined;
  const least = is_complete ? '' : 'at least ';
  const runs = unidentified === 0 ? '' : `, and ${counted(unidentified, 'run')} without fingerprint`;
  return `Not searched: ${least}${without} of ${counted(running, 'running artifact')} without SBOM${runs}`;
}
