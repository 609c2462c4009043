import type { Facts, Known, OidcOffer } from '../ci-context.ts';
import { commitFrom, headOfCheckout, mergedCommit, parentsOf, pushedCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';
import { branchOf, numberIn } from '../refs.ts';

/** What GitHub Actions and the systems that copy its variables have in common. */
export function readActions(reader: Reader): Facts {
  const event = readEvent(reader);
  return {
    ...builtFacts(reader, event),
    defaultBranch: eventText(reader, event, 'repository', 'default_branch'),
    repository: {
      id: reader.optional('GITHUB_REPOSITORY_ID') ?? eventText(reader, event, 'repository', 'id'),
      name: reader.text('GITHUB_REPOSITORY'),
      remote: repositoryAddress(reader),
    },
    buildNumber: reader.optional('GITHUB_RUN_NUMBER'),
    attempt: reader.optional('GITHUB_RUN_ATTEMPT'),
    actor: reader.first('GITHUB_TRIGGERING_ACTOR', 'GITHUB_ACTOR'),
    oidc: actionsOidc(reader),
  };
}

function builtFacts(reader: Reader, event: unknown): Facts {
  if (isTargetOnly(reader, event)) return targetFacts(reader);
  if (!isPullRequest(reader, event)) {
    return {
      commit: pushedCommit(reader, reader.text('GITHUB_SHA')),
      branch: refName(reader, 'branch'),
      tag: refName(reader, 'tag'),
    };
  }
  return {
    commit: headCommit(reader, event),
    branch: headBranch(reader, event),
    pullRequest: pullRequestFacts(reader, event),
  };
}

/**
 * A job of `pull_request_target` runs on the target branch, unless it checks out the proposed one. Its results must not
 * be attributed to a stranger's head.
 */
function isTargetOnly(reader: Reader, event: unknown): boolean {
  if (reader.optional('GITHUB_EVENT_NAME')?.value !== 'pull_request_target') return false;
  const head = commitFrom(reader, eventText(reader, event, 'pull_request', 'head', 'sha'))?.value;
  const checkedOut = headOfCheckout(reader)?.value;
  if (head === undefined || checkedOut === undefined) return true;
  return checkedOut !== head && parentsOf(reader, checkedOut)?.[1] !== head;
}

function targetFacts(reader: Reader): Facts {
  const triggering = commitFrom(reader, reader.text('GITHUB_SHA'));
  const commit = headOfCheckout(reader) ?? triggering;
  return {
    commit,
    branch: commit && commit.value === triggering?.value ? refName(reader, 'branch') : undefined,
    doubt:
      'pull_request_target: the commit that is checked out is recorded, and it is not the head of the pull request; to ' +
      'record about the head, check it out, or give --commit',
  };
}

export function repositoryAddress(reader: Reader): Known<string> | undefined {
  const server = reader.address('GITHUB_SERVER_URL');
  const name = reader.optional('GITHUB_REPOSITORY');
  if (!server || !name) return undefined;
  return {
    value: `${server.value.replace(/\/$/, '')}/${name.value}`,
    source: 'GITHUB_SERVER_URL, GITHUB_REPOSITORY',
    trust: 'ci',
  };
}

function readEvent(reader: Reader): unknown {
  const text = reader.file('GITHUB_EVENT_PATH');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    reader.note('The file of GITHUB_EVENT_PATH is not JSON and was left out');
    return undefined;
  }
}

function eventValue(event: unknown, path: readonly string[]): unknown {
  let value = event;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function eventText(reader: Reader, event: unknown, ...path: string[]): Known<string> | undefined {
  return reader.checked(eventValue(event, path), `GITHUB_EVENT_PATH ${path.join('.')}`);
}

/** Any of these is enough: a pull request mistaken for a push would be recorded with the merge commit. */
function isPullRequest(reader: Reader, event: unknown): boolean {
  const name = reader.optional('GITHUB_EVENT_NAME')?.value;
  if (name !== undefined) return name.startsWith('pull_request');
  const ref = reader.optional('GITHUB_REF')?.value ?? '';
  return (
    ref.startsWith('refs/pull/') ||
    /^\d+\/(?:merge|head)$/.test(reader.optional('GITHUB_REF_NAME')?.value ?? '') ||
    reader.has('GITHUB_HEAD_REF') ||
    reader.has('GITHUB_BASE_REF') ||
    typeof eventValue(event, ['pull_request']) === 'object'
  );
}

function headCommit(reader: Reader, event: unknown): Known<string> | undefined {
  const head = commitFrom(reader, eventText(reader, event, 'pull_request', 'head', 'sha'));
  if (head) return head;
  const ref = reader.optional('GITHUB_REF')?.value ?? '';
  const commit = reader.text('GITHUB_SHA');
  return /^refs\/pull\/\d+\/head$/.test(ref)
    ? commitFrom(reader, commit)
    : mergedCommit(reader, mergeOnly(ref, commit));
}

/** Without a merge ref the commit is of another branch, and its parents are unrelated to the pull request. */
function mergeOnly(ref: string, commit: Known<string> | undefined): Known<string> | undefined {
  return /^refs\/pull\/\d+\/merge$/.test(ref) ? commit : undefined;
}

function headBranch(reader: Reader, event: unknown): Known<string> | undefined {
  return reader.optional('GITHUB_HEAD_REF') ?? eventText(reader, event, 'pull_request', 'head', 'ref');
}

function refName(reader: Reader, type: 'branch' | 'tag'): Known<string> | undefined {
  const ref = reader.optional('GITHUB_REF');
  const refType = reader.optional('GITHUB_REF_TYPE')?.value ?? (ref?.value.startsWith('refs/tags/') ? 'tag' : 'branch');
  if (refType !== type) return undefined;
  const name = reader.optional('GITHUB_REF_NAME') ?? branchOf(ref);
  return name && { ...name, value: name.value.replace(/^refs\/tags\//, '') };
}

function pullRequestFacts(reader: Reader, event: unknown): Facts['pullRequest'] {
  return {
    number:
      eventText(reader, event, 'pull_request', 'number') ??
      eventText(reader, event, 'number') ??
      numberIn(reader.optional('GITHUB_REF')),
    url: reader.checkedAddress(
      eventValue(event, ['pull_request', 'html_url']),
      'GITHUB_EVENT_PATH pull_request.html_url',
    ),
    baseBranch: reader.optional('GITHUB_BASE_REF') ?? eventText(reader, event, 'pull_request', 'base', 'ref'),
  };
}

function actionsOidc(reader: Reader): OidcOffer | undefined {
  const urlVariable = 'ACTIONS_ID_TOKEN_REQUEST_URL';
  const tokenVariable = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN';
  return reader.has(urlVariable) && reader.has(tokenVariable)
    ? { kind: 'github', urlVariable, tokenVariable }
    : undefined;
}
