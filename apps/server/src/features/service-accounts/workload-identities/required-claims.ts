import { isStorableText } from '@waymark/contract';

/** The claims that a workload identity requires, with their values. */
export type RequiredClaims = Readonly<Record<string, string>>;
/** The claims of a token. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** Checked for every token, whatever an identity requires. */
const CHECKED_ANYWAY = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']);

const GITHUB = /^https:\/\/token\.actions\.(githubusercontent\.com|[a-z0-9-]+\.ghe\.com)(\/|$)|\/_services\/token$/;
const GITLAB = 'https://gitlab.com';
const BITBUCKET = /^https:\/\/api\.bitbucket\.org\//;
const CIRCLECI = /^https:\/\/oidc\.circleci\.com(\/|$)/;
const GITHUB_IDS = ['repository_id', 'repository_owner_id'];
const GITLAB_IDS = ['project_id', 'namespace_id'];
/** The subject of these two is of no use: it contains the step or the user who started the job. */
const BITBUCKET_IDS = ['repositoryUuid', 'workspaceUuid'];
const CIRCLECI_IDS = ['oidc.circleci.com/project-id', 'oidc.circleci.com/org-id'];
const NUMBERED = new Set([...GITHUB_IDS, ...GITLAB_IDS]);
const UNIQUE = new Set([...BITBUCKET_IDS, ...CIRCLECI_IDS]);
const UUID = /^(\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });
/** These CI systems use names in the subject. */
const SUBJECT_OF_NAMES = /^(repo|project_path):/;

/** Runs code proposed by a stranger with the rights of the repository. */
const RISKY_EVENT = 'pull_request_target';

/** Returns what cannot be required of a token, or is not enough, with its path; undefined if nothing. */
export function claimsFault(issuer: string, claims: RequiredClaims): { field: string; reason: string } | undefined {
  for (const [claim, value] of Object.entries(claims)) {
    const reason = claimFault(claim, value);
    if (reason) return { field: `claims.${claim}`, reason };
  }
  const ids = idsOf(issuer);
  if (pinsOf(claims).some((claim) => ids.includes(claim))) return undefined;
  const reason =
    `must contain ${EITHER.format(ids)}: a name, such as that of a repository, can be given up or changed, and its ` +
    'next owner would get access';
  return { field: 'claims', reason };
}

function claimFault(claim: string, value: string): string | undefined {
  if (CHECKED_ANYWAY.has(claim)) return 'is checked in every token: omit it';
  if (value === '') return 'must not be empty';
  if (NUMBERED.has(claim) && !/^\d{1,20}$/.test(value)) return 'must be the number, not the name';
  if (UNIQUE.has(claim) && !UUID.test(value)) return 'must be the UUID, not the name';
  if (claim === 'ref' && /^[^*]+\*?$/.test(value)) return undefined;
  if (claim === 'ref') return 'can contain one *, at its end and after other characters';
  return value.includes('*') ? 'must match exactly: only ref can end in *' : undefined;
}

function idsOf(issuer: string): readonly string[] {
  if (GITHUB.test(issuer)) return GITHUB_IDS;
  if (issuer === GITLAB) return GITLAB_IDS;
  if (BITBUCKET.test(issuer)) return BITBUCKET_IDS;
  if (CIRCLECI.test(issuer)) return CIRCLECI_IDS;
  return [...NUMBERED, ...UNIQUE, 'sub'];
}

/** The claims that permanently identify the owner of a job. */
function pinsOf(claims: RequiredClaims): string[] {
  return Object.keys(claims).filter(
    (claim) =>
      NUMBERED.has(claim) || UNIQUE.has(claim) || (claim === 'sub' && !SUBJECT_OF_NAMES.test(claims[claim] ?? '')),
  );
}

/** Whether a token is from the owner, repository or subject of an identity, whatever its other claims. */
export function isPinnedTo(claims: RequiredClaims, payload: TokenClaims): boolean {
  return pinsOf(claims).every((claim) => fits(claim, claims[claim] ?? '', claimText(payload, claim)));
}

/** The claims that differ from what is required. */
export function differingClaims(claims: RequiredClaims, payload: TokenClaims): string[] {
  const differing = Object.entries(claims).filter(([claim, value]) => !fits(claim, value, claimText(payload, claim)));
  const isRisky = claimText(payload, 'event_name') === RISKY_EVENT && !Object.hasOwn(claims, 'event_name');
  return [...differing.map(([claim]) => claim), ...(isRisky ? ['event_name'] : [])];
}

function fits(claim: string, wanted: string, value: string | undefined): boolean {
  if (claim === 'ref' && wanted.endsWith('*')) return value?.startsWith(wanted.slice(0, -1)) === true;
  if (UNIQUE.has(claim)) return value !== undefined && bareUuid(value) === bareUuid(wanted);
  return value === wanted;
}

/** Bitbucket writes UUIDs in braces, and people copy them with and without. */
function bareUuid(text: string): string {
  return UUID.test(text) ? text.replace(/[{}]/g, '').toLowerCase() : text;
}

/** Claims of a job that are worth knowing later. */
const CLAIM_SHOWN = [
  ...['repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'repository_visibility'],
  ...['ref', 'ref_type', 'ref_protected', 'sha', 'base_ref', 'head_ref', 'environment', 'event_name'],
  ...['workflow', 'workflow_ref', 'workflow_sha', 'job_workflow_ref', 'job_workflow_sha'],
  ...['run_id', 'run_number', 'run_attempt', 'runner_environment', 'actor', 'actor_id'],
  ...['project_id', 'project_path', 'namespace_id', 'namespace_path', 'pipeline_id', 'pipeline_source', 'job_id'],
  ...['user_id', 'user_login', 'ci_config_ref_uri', 'ci_config_sha', 'environment_protected', 'deployment_tier'],
  ...[...BITBUCKET_IDS, 'pipelineUuid', 'stepUuid', 'deploymentEnvironmentUuid', 'branchName'],
  ...[...CIRCLECI_IDS, 'oidc.circleci.com/vcs-origin', 'oidc.circleci.com/vcs-ref', 'oidc.circleci.com/ssh-rerun'],
  ...['oidc.circleci.com/pipeline-id', 'oidc.circleci.com/pipeline-definition-id'],
  ...['oidc.circleci.com/workflow-id', 'oidc.circleci.com/job-id'],
];
const CLAIM_MAX_LENGTH = 512;

/** The required claims, and the others that are stored of an accepted token. */
export function storedClaims(claims: RequiredClaims, payload: TokenClaims): Record<string, string> {
  const names = new Set([...Object.keys(claims), ...CLAIM_SHOWN]);
  const stored = [...names].flatMap((claim) => {
    const value = claimText(payload, claim);
    const isShortEnough = value !== undefined && (value.length <= CLAIM_MAX_LENGTH || Object.hasOwn(claims, claim));
    return isShortEnough && isStorableText(value) ? [[claim, value] as const] : [];
  });
  return Object.fromEntries(stored);
}

/** Some CI systems send numbers and booleans as text, some do not. A rounded number could be somebody else's. */
function claimText(payload: TokenClaims, claim: string): string | undefined {
  const value = Object.hasOwn(payload, claim) ? payload[claim] : undefined;
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : undefined;
}
