import type { Facts, Known, OidcOffer } from '../ci-context.ts';
import { builtCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';
import { numberIn } from '../refs.ts';

export function readCircleci(reader: Reader): Facts {
  const request = pullRequest(reader);
  return {
    // CircleCI builds heads only.
    commit: builtCommit(reader, reader.text('CIRCLE_SHA1'), request !== undefined),
    branch: branch(reader),
    tag: reader.optional('CIRCLE_TAG'),
    pullRequest: request,
    repository: { name: repositoryName(reader), remote: reader.optional('CIRCLE_REPOSITORY_URL') },
    buildUrl: reader.address('CIRCLE_BUILD_URL'),
    buildNumber: reader.optional('CIRCLE_BUILD_NUM'),
    actor: reader.optional('CIRCLE_USERNAME'),
    oidc: readyToken(reader),
  };
}

function pullRequest(reader: Reader): Facts['pullRequest'] {
  const url = reader.address('CIRCLE_PULL_REQUEST');
  const number = numberIn(url) ?? reader.optional('CIRCLE_PR_NUMBER');
  return url || number ? { number, url } : undefined;
}

/** For a fork this is the fetched ref, and not the name of a branch. */
function branch(reader: Reader): Known<string> | undefined {
  const name = reader.optional('CIRCLE_BRANCH');
  if (!name || !/^pull\/\d+$/.test(name.value)) return name;
  reader.note('CIRCLE_BRANCH is a pull request of a fork, and its branch is not known');
  return undefined;
}

function repositoryName(reader: Reader): Known<string> | undefined {
  const owner = reader.optional('CIRCLE_PROJECT_USERNAME');
  const name = reader.optional('CIRCLE_PROJECT_REPONAME');
  // Projects of GitLab and of the GitHub app have neither in a usable form; the address has it then.
  if (!owner || !name || reader.has('CIRCLE_REPOSITORY_URL')) return undefined;
  return { value: `${owner.value}/${name.value}`, source: `${owner.source}, ${name.source}`, trust: 'ci' };
}

function readyToken(reader: Reader): OidcOffer | undefined {
  const variable = ['CIRCLE_OIDC_TOKEN_V2', 'CIRCLE_OIDC_TOKEN'].find(reader.has);
  return variable ? { kind: 'ready', variable } : undefined;
}
