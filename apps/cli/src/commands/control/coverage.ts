import { getControlCoverage } from '@waymark/contract';
import { limitOption, pageSize } from '../../resources/list-items.ts';
import { given, readYesNo } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';

export const command = defineCommand({
  description: 'Shows which environments require the control, and whether everything that runs there passes it.',
  examples: [
    { say: 'All environments', run: 'waymark control coverage SDLC-7' },
    { say: 'Environments that do not require it', run: 'waymark control coverage SDLC-7 --covered no' },
  ],
  build: (command) =>
    command
      .argument('<identifier>', 'identifier of the control')
      .option('--search <text>', 'only environments whose name contains this text (case-insensitive)')
      .option('--covered <yes|no>', 'only environments that cover it, or only those that do not', readYesNo)
      .addOption(limitOption()),
  async run(session, [identifier], { search, covered, limit }) {
    const org = session.need('org');
    const pages = session.client().pages(getControlCoverage, {
      params: { org, identifier },
      query: given({ search, covered, per_page: pageSize(limit, 100) }),
      signal: session.io.signal,
    });
    const read = [];
    for await (const page of pages) {
      read.push(page);
      if (limit > 0 && read.length * page.per_page >= limit) break;
    }
    const environments = read.flatMap((page) => page.environments).slice(0, limit || undefined);
    const [first] = read;
    if (first && environments.length < first.total_count) {
      session.say(
        `Only the first ${limit} of ${first.total_count} ${limit === 1 ? 'is' : 'are'} shown. Use '--limit 0' to show all.`,
      );
    }
    return {
      data: { ...first, environments },
      rows: rowsOf({
        items: environments,
        columns: [
          {
            title: 'covered',
            of: ({ covered }) => (covered ? 'yes' : 'no'),
            format: (text, { covered }, style) => (covered ? style.good(`✓ ${text}`) : style.bad(`✕ ${text}`)),
          },
          {
            title: 'passing',
            of: ({ passing }) => (passing === null ? '' : passing ? 'yes' : 'no'),
            format: (text, { passing }, style) => {
              if (passing === null) return text;
              return passing ? style.good(`✓ ${text}`) : style.bad(`✕ ${text}`);
            },
          },
          { title: 'environment', of: ({ name }) => name },
          { title: 'type', of: ({ type }) => type },
          { title: 'policies', of: ({ policies }) => policies.join(', ') },
        ],
        name: ({ name }) => name,
        none: 'No environments match.',
      }),
      text: `${first?.covered ?? 0} of ${first?.total ?? 0} environments require ${identifier} (${first?.coverage_percent ?? 0}%), ${first?.passing ?? 0} pass it`,
      page: session.pageOf(org, 'controls', identifier, 'coverage'),
    };
  },
});
