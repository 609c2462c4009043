import type { Facts, Known } from '../ci-context.ts';
import type { Reader } from '../reader.ts';
import { readActions, repositoryAddress } from './actions.ts';

/** Gitea and Forgejo, whose runners also identify as GitHub. */
export function readGitea(reader: Reader): Facts {
  const facts = readActions(reader);
  const mark = reader.isTrue('FORGEJO_ACTIONS') ? 'FORGEJO_ACTIONS' : 'GITEA_ACTIONS';
  const provider = mark === 'FORGEJO_ACTIONS' ? 'forgejo' : 'gitea';
  return {
    ...facts,
    repository: { ...facts.repository, provider: { value: provider, source: mark, trust: 'ci' } },
    buildUrl: runAddress(reader),
  };
}

/** The page of a run uses its number in the repository, not its id. */
function runAddress(reader: Reader): Known<string> | undefined {
  const repository = repositoryAddress(reader);
  const run = reader.text('GITHUB_RUN_NUMBER');
  if (!repository || !run) return undefined;
  return reader.checkedAddress(
    `${repository.value}/actions/runs/${run.value}`,
    `${repository.source}, GITHUB_RUN_NUMBER`,
  );
}
