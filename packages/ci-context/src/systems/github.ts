import type { Facts, Known } from '../ci-context.ts';
import type { Reader } from '../reader.ts';
import { readActions, repositoryAddress } from './actions.ts';

export function readGithub(reader: Reader): Facts {
  const facts = readActions(reader);
  return {
    ...facts,
    repository: { ...facts.repository, provider: { value: 'github', source: 'GITHUB_ACTIONS', trust: 'ci' } },
    buildUrl: runAddress(reader),
  };
}

function runAddress(reader: Reader): Known<string> | undefined {
  const repository = repositoryAddress(reader);
  const run = reader.text('GITHUB_RUN_ID');
  const attempt = reader.optional('GITHUB_RUN_ATTEMPT');
  if (!repository || !run) return undefined;
  return reader.checkedAddress(
    `${repository.value}/actions/runs/${run.value}${attempt ? `/attempts/${attempt.value}` : ''}`,
    `${repository.source}, GITHUB_RUN_ID${attempt ? ', GITHUB_RUN_ATTEMPT' : ''}`,
  );
}
