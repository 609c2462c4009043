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
      .option('--provider <name>', 'provider, if several repositories have the name')
      .option('--id <id>', 'id of the repository in Waymark'),
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
          ['provider id', repo.repo_id],
          ['id', repo.id],
          ['tags', tagsText(repo.tags)],
          ['first seen', showTime(repo.created_at, session)],
        ]),
    };
  },
});
