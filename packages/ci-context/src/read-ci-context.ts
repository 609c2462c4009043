import type { CiContext, Facts, Known, OidcOffer, PullRequest, Repository } from './ci-context.ts';
import { createReader, type Environment, type Reader, type Sources } from './reader.ts';
import { nameOfPage, pageOfRemote } from './remote-url.ts';
import { commitPage, providerOfHost, pullRequestPage } from './repository-pages.ts';
import { detectSystem } from './systems.ts';

/** Identifies the build from the CI system and, where it has no value, from git. Never throws. */
export function readCiContext(env: Environment, sources: Sources): CiContext {
  const notes = new Set<string>();
  const reader = createReader(env, sources, notes);
  const system = detectSystem(reader);
  const facts = system.read(reader);
  const { commit, doubt } = facts;
  if (doubt !== undefined) reader.note(doubt);
  const repository = repositoryOf(facts, system.id, reader);
  return {
    provider: system.id,
    providerName: system.id === 'gitea' && reader.isTrue('FORGEJO_ACTIONS') ? 'Forgejo Actions' : system.name,
    ...present({
      commit,
      branch: facts.branch,
      tag: facts.tag,
      defaultBranch: facts.defaultBranch,
      pullRequest: pullRequestOf(facts, repository, reader),
      repository,
      buildUrl: facts.buildUrl,
      buildNumber: facts.buildNumber,
      attempt: facts.attempt,
      actor: facts.actor,
      commitUrl: commitUrlOf(repository, commit),
      oidc: offerOf(facts, reader),
      dirty: facts.dirty,
      doubt,
    }),
    notes: [...notes],
  };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}

function repositoryOf(facts: Facts, system: CiContext['provider'], reader: Reader): Repository | undefined {
  const reported = facts.repository ?? {};
  const url = pageOf(reported.remote, reader) ?? pageOf(gitRemoteOf(reader), reader);
  const name = reported.name ?? (url && reader.checked(nameOfPage(url.value), url.source, url.trust));
  const repository = present({ id: reported.id, name, url, provider: reported.provider ?? providerOf(url, system) });
  return Object.keys(repository).length === 0 ? undefined : repository;
}

function gitRemoteOf(reader: Reader): Known<string> | undefined {
  return reader.checked(reader.git('remote', 'get-url', 'origin'), 'git remote get-url origin', 'git');
}

function pageOf(remote: Known<string> | undefined, reader: Reader): Known<string> | undefined {
  if (!remote) return undefined;
  const page = pageOfRemote(remote.value);
  if (!page) {
    reader.note(`${remote.source} is not the address of a repository that others can open and was left out`);
    return undefined;
  }
  return { ...remote, value: page };
}

function providerOf(url: Known<string> | undefined, system: CiContext['provider']): Known<string> | undefined {
  if (!url) return undefined;
  const value = providerOfHost(url.value) ?? (system === 'circleci' ? 'circleci' : undefined);
  return value === undefined ? undefined : { ...url, value };
}

function pullRequestOf(
  facts: Facts,
  repository: Repository | undefined,
  reader: Reader,
): Known<PullRequest> | undefined {
  const number = facts.pullRequest?.number;
  if (!facts.pullRequest) return undefined;
  if (!number) {
    reader.note('This is a pull request, but its number is missing');
    return undefined;
  }
  if (!/^\d{1,18}$/.test(number.value)) {
    reader.note(`${number.source} is not the number of a pull request and was left out`);
    return undefined;
  }
  const page = repository?.url && pullRequestPage(repository.url.value, repository.provider?.value, number.value);
  const value = present({
    url: facts.pullRequest.url?.value ?? page,
    baseBranch: facts.pullRequest.baseBranch?.value,
  });
  return { ...number, value: { number: number.value, ...value } };
}

function commitUrlOf(repository: Repository | undefined, commit: Known<string> | undefined): Known<string> | undefined {
  if (!repository?.url || !commit) return undefined;
  const value = commitPage(repository.url.value, repository.provider?.value, commit.value);
  if (value === undefined) return undefined;
  const trust = repository.url.trust === 'ci' && commit.trust === 'ci' ? 'ci' : 'git';
  return { value, source: `${repository.url.source}; ${commit.source}`, trust };
}

function offerOf(facts: Facts, reader: Reader): OidcOffer | undefined {
  return reader.has('WAYMARK_ID_TOKEN') ? { kind: 'ready', variable: 'WAYMARK_ID_TOKEN' } : facts.oidc;
}
