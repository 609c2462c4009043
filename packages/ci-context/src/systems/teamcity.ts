import type { Facts, Known } from '../ci-context.ts';
import { builtCommit, mergedCommit } from '../commit.ts';
import { parseProperties } from '../properties.ts';
import type { Reader } from '../reader.ts';
import { branchOf, numberIn } from '../refs.ts';

/** TeamCity sets few variables. Most facts are in two properties files; the first names the second. */
export function readTeamcity(reader: Reader): Facts {
  const { property, names } = propertiesOf(reader);
  const ref = vcsBranch(property, names);
  const request = pullRequest(property, ref);
  const commit = reader.optional('BUILD_VCS_NUMBER') ?? property('build.vcs.number');
  return {
    commit: request && isMerge(ref) ? mergedCommit(reader, commit) : builtCommit(reader, commit, request !== undefined),
    branch: request ? branchOf(property('teamcity.pullRequest.source.branch')) : builtBranch(property, ref),
    pullRequest: request,
    repository: { remote: property('vcsroot.url') },
    buildUrl: reader.address('BUILD_URL') ?? buildPage(reader, property),
    buildNumber: reader.optional('BUILD_NUMBER'),
    actor: property('teamcity.build.triggeredBy.username'),
  };
}

type Property = (name: string) => Known<string> | undefined;

function propertiesOf(reader: Reader): { property: Property; names: readonly string[] } {
  const build = parseProperties(reader.file('TEAMCITY_BUILD_PROPERTIES_FILE') ?? '');
  const configuration = parseProperties(reader.fileAt(build.get('teamcity.configuration.properties.file')) ?? '');
  return {
    property: (name) =>
      reader.checked(configuration.get(name) ?? build.get(name), `TEAMCITY_BUILD_PROPERTIES_FILE ${name}`),
    names: [...configuration.keys()],
  };
}

/** Each root of a build has its own ref, under its id. With several, the first is taken. */
function vcsBranch(property: Property, names: readonly string[]): Known<string> | undefined {
  const name = names.find((it) => /^teamcity\.build\.vcs\.branch\.\w+$/.test(it));
  return (name === undefined ? undefined : property(name)) ?? property('vcsroot.branch');
}

function isMerge(ref: Known<string> | undefined): boolean {
  return ref?.value.endsWith('/merge') ?? false;
}

function pullRequest(property: Property, ref: Known<string> | undefined): Facts['pullRequest'] {
  const built = property('teamcity.build.branch');
  const number = property('teamcity.pullRequest.number') ?? numberIn(ref) ?? numberIn(built);
  return number && { number, baseBranch: branchOf(property('teamcity.pullRequest.target.branch')) };
}

function builtBranch(property: Property, ref: Known<string> | undefined): Known<string> | undefined {
  const name = property('teamcity.build.branch');
  return branchOf(name && name.value !== '<default>' ? name : ref);
}

function buildPage(reader: Reader, property: Property): Known<string> | undefined {
  const server = property('teamcity.serverUrl');
  const id = property('teamcity.build.id');
  if (!server || !id) return undefined;
  return reader.checkedAddress(
    `${server.value}/viewLog.html?buildId=${encodeURIComponent(id.value)}`,
    `${server.source}, teamcity.build.id`,
  );
}
