import type { Facts, Known, OidcOffer } from '../ci-context.ts';
import { commitFrom, mergedCommit, pushedCommit } from '../commit.ts';
import type { Reader } from '../reader.ts';
import { branchOf, numberIn, tagOf } from '../refs.ts';

export function readAzure(reader: Reader): Facts {
  const request = pullRequest(reader);
  const ref = reader.optional('BUILD_SOURCEBRANCH');
  return {
    commit: request ? headCommit(reader) : pushedCommit(reader, reader.text('BUILD_SOURCEVERSION')),
    branch: request ? branchOf(reader.optional('SYSTEM_PULLREQUEST_SOURCEBRANCH')) : pushedBranch(ref),
    tag: request ? undefined : tagOf(ref),
    pullRequest: request,
    repository: repository(reader),
    buildUrl: buildAddress(reader),
    buildNumber: reader.optional('BUILD_BUILDNUMBER'),
    attempt: reader.optional('SYSTEM_JOBATTEMPT'),
    actor: reader.first('BUILD_REQUESTEDFOREMAIL', 'BUILD_REQUESTEDFOR'),
    oidc: oidc(reader),
  };
}

function pullRequest(reader: Reader): Facts['pullRequest'] {
  const ref = reader.optional('BUILD_SOURCEBRANCH');
  const marks = ['SYSTEM_PULLREQUEST_PULLREQUESTID', 'SYSTEM_PULLREQUEST_SOURCECOMMITID'];
  const isOne = reader.optional('BUILD_REASON')?.value === 'PullRequest' || ref?.value.startsWith('refs/pull/');
  if (!isOne && !marks.some(reader.has)) return undefined;
  return {
    // For GitHub repositories the id is Azure's own; people know the number.
    number: reader.first('SYSTEM_PULLREQUEST_PULLREQUESTNUMBER', 'SYSTEM_PULLREQUEST_PULLREQUESTID') ?? numberIn(ref),
    baseBranch: branchOf(reader.optional('SYSTEM_PULLREQUEST_TARGETBRANCH')),
  };
}

function headCommit(reader: Reader): Known<string> | undefined {
  const head = commitFrom(reader, reader.optional('SYSTEM_PULLREQUEST_SOURCECOMMITID'));
  return head ?? mergedCommit(reader, reader.text('BUILD_SOURCEVERSION'));
}

function pushedBranch(ref: Known<string> | undefined): Known<string> | undefined {
  return ref?.value.startsWith('refs/heads/') ? branchOf(ref) : undefined;
}

function repository(reader: Reader): NonNullable<Facts['repository']> {
  const kind = reader.optional('BUILD_REPOSITORY_PROVIDER');
  const name = reader.text('BUILD_REPOSITORY_NAME');
  const project = reader.optional('SYSTEM_TEAMPROJECT');
  const id = reader.text('BUILD_REPOSITORY_ID');
  const isGit = kind?.value === 'TfsGit';
  if (id && id.value === name?.value) reader.note('BUILD_REPOSITORY_ID is a name that can change and was left out');
  return {
    id: id?.value === name?.value ? undefined : id,
    name:
      isGit && name && project
        ? { value: `${project.value}/${name.value}`, source: `${project.source}, ${name.source}`, trust: 'ci' }
        : name,
    remote: reader.text('BUILD_REPOSITORY_URI'),
    provider: kind && { ...kind, value: providerOf(kind.value, reader) },
  };
}

const PROVIDERS: Readonly<Record<string, string>> = {
  GitHub: 'github',
  GitHubEnterprise: 'github',
  Bitbucket: 'bitbucket_cloud',
  Git: 'git',
  Svn: 'subversion',
};

function providerOf(kind: string, reader: Reader): string {
  if (Object.hasOwn(PROVIDERS, kind)) return PROVIDERS[kind] ?? 'azure-devops';
  if (kind !== 'TfsGit') return 'azure-devops';
  const collection = reader.address('SYSTEM_COLLECTIONURI')?.value ?? '';
  return /^https:\/\/(?:dev\.azure\.com|[\w-]+\.visualstudio\.com)(?:\/|$)/.test(collection)
    ? 'azure_devops_services'
    : 'azure_devops_server';
}

function buildAddress(reader: Reader): Known<string> | undefined {
  const collection = reader.address('SYSTEM_COLLECTIONURI');
  const project = reader.text('SYSTEM_TEAMPROJECT');
  const build = reader.text('BUILD_BUILDID');
  if (!collection || !project || !build) return undefined;
  const base = collection.value.replace(/\/$/, '');
  return {
    value: `${base}/${encodeURIComponent(project.value)}/_build/results?buildId=${encodeURIComponent(build.value)}`,
    source: 'SYSTEM_COLLECTIONURI, SYSTEM_TEAMPROJECT, BUILD_BUILDID',
    trust: 'ci',
  };
}

function oidc(reader: Reader): OidcOffer | undefined {
  const urlVariable = 'SYSTEM_OIDCREQUESTURI';
  const tokenVariable = 'SYSTEM_ACCESSTOKEN';
  if (!reader.has(urlVariable)) return undefined;
  if (!reader.has(tokenVariable)) {
    reader.note(
      'SYSTEM_ACCESSTOKEN is not mapped into the environment of this step, so no OIDC token can be asked for',
    );
    return undefined;
  }
  const connectionVariable = ['WAYMARK_AZURE_SERVICE_CONNECTION_ID', 'AZURESUBSCRIPTION_SERVICE_CONNECTION_ID'].find(
    reader.has,
  );
  return { kind: 'azure', urlVariable, tokenVariable, ...(connectionVariable ? { connectionVariable } : {}) };
}
