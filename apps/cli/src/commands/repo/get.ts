import { getRepo } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { factsText, tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  examples: [{ say: 'One repository', run: 'waymark repo get acme/shop' }],
  build: (command) =>
    command
      .argument('<name>', 'name of the repository')
      .option('--provider <name>', 'which one, when several have the name')
      .option('--id <id>', 'which one, by its id here'),
  async run(session, [name], { provider, id }) {
    const repo = await session.client().call(getRepo, {
      params: { org: session.need('org'), repo_name: name },
      query: given({ provider, id }),
      signal: session.io.signal,
    });
    return {
      data: repo,
      text: (style) =>
        factsText(style.strong(oneLine(repo.name)), [
          ['description', repo.description],
          ['provider', repo.provider],
          ['url', repo.url],
          ['id there', repo.repo_id],
          ['id here', repo.id],
          ['tags', tagsText(repo.tags)],
          ['seen first', showTime(repo.created_at, session)],
        ]),
    };
  },
});
