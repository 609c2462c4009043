import type { Facts, ProviderId } from './ci-context.ts';
import type { Reader } from './reader.ts';
import { readAzure } from './systems/azure.ts';
import { readBitbucket } from './systems/bitbucket.ts';
import { readBuildkite } from './systems/buildkite.ts';
import { readCircleci } from './systems/circleci.ts';
import { readCodebuild } from './systems/codebuild.ts';
import { readDrone } from './systems/drone.ts';
import { readGitea } from './systems/gitea.ts';
import { readGithub } from './systems/github.ts';
import { readGitlab } from './systems/gitlab.ts';
import { readHarness } from './systems/harness.ts';
import { readJenkins } from './systems/jenkins.ts';
import { readLaptop } from './systems/laptop.ts';
import { readTeamcity } from './systems/teamcity.ts';
import { readWoodpecker } from './systems/woodpecker.ts';

export interface System {
  readonly id: ProviderId;
  readonly name: string;
  readonly detect: (reader: Reader) => boolean;
  readonly read: (reader: Reader) => Facts;
}

/**
 * The first match. Harness identifies as Drone and sets variables of GitLab, Gitea and Forgejo identify as GitHub,
 * Woodpecker uses names of Drone in its plugins, and CodeBuild runs jobs of GitHub.
 */
const SYSTEMS: readonly System[] = [
  { id: 'harness', name: 'Harness', detect: ({ has }) => has('HARNESS_BUILD_ID'), read: readHarness },
  {
    id: 'gitea',
    name: 'Gitea Actions',
    detect: ({ isTrue }) => isTrue('GITEA_ACTIONS') || isTrue('FORGEJO_ACTIONS'),
    read: readGitea,
  },
  {
    id: 'woodpecker',
    name: 'Woodpecker',
    detect: (reader) =>
      [reader.optional('CI'), reader.optional('CI_SYSTEM_NAME')].some((it) => it?.value === 'woodpecker'),
    read: readWoodpecker,
  },
  { id: 'github', name: 'GitHub Actions', detect: ({ isTrue }) => isTrue('GITHUB_ACTIONS'), read: readGithub },
  { id: 'gitlab', name: 'GitLab CI', detect: ({ isTrue }) => isTrue('GITLAB_CI'), read: readGitlab },
  { id: 'azure', name: 'Azure Pipelines', detect: ({ isTrue }) => isTrue('TF_BUILD'), read: readAzure },
  {
    id: 'bitbucket',
    name: 'Bitbucket Pipelines',
    detect: ({ has }) => has('BITBUCKET_BUILD_NUMBER'),
    read: readBitbucket,
  },
  { id: 'buildkite', name: 'Buildkite', detect: ({ isTrue }) => isTrue('BUILDKITE'), read: readBuildkite },
  { id: 'circleci', name: 'CircleCI', detect: ({ isTrue }) => isTrue('CIRCLECI'), read: readCircleci },
  {
    id: 'codebuild',
    name: 'AWS CodeBuild',
    detect: ({ has }) => has('CODEBUILD_BUILD_ARN') || has('CODEBUILD_CI'),
    read: readCodebuild,
  },
  { id: 'teamcity', name: 'TeamCity', detect: ({ has }) => has('TEAMCITY_VERSION'), read: readTeamcity },
  { id: 'drone', name: 'Drone', detect: ({ isTrue }) => isTrue('DRONE'), read: readDrone },
  {
    id: 'jenkins',
    name: 'Jenkins',
    detect: ({ has }) => has('JENKINS_URL') && (has('BUILD_ID') || has('BUILD_NUMBER')),
    read: readJenkins,
  },
];

const LAPTOP: System = { id: 'none', name: 'no CI system', detect: () => true, read: readLaptop };

export function detectSystem(reader: Reader): System {
  return SYSTEMS.find((system) => system.detect(reader)) ?? LAPTOP;
}
