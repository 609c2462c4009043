import { describe, expect, it } from 'vitest';
import { claimsFault, differingClaims, isPinnedTo, storedClaims } from './required-claims.ts';

const GITHUB = 'https://token.actions.githubusercontent.com';
const GITLAB = 'https://gitlab.com';
const BITBUCKET = 'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc';
const CIRCLECI = 'https://oidc.circleci.com/org/9f8e7d6c-5b4a-4938-8271-605f4e3d2c1b';
const OTHER = 'https://ci.example.org';
const UUID = '1b2c3d4e-5f60-4718-92a3-b4c5d6e7f809';
const BITBUCKET_IDS = 'repositoryUuid or workspaceUuid';
const CIRCLECI_IDS = 'oidc.circleci.com/project-id or oidc.circleci.com/org-id';
const ANY_ID =
  'repository_id, repository_owner_id, project_id, namespace_id, repositoryUuid, workspaceUuid, ' +
  'oidc.circleci.com/project-id, oidc.circleci.com/org-id, or sub';
const NAMES = 'a name, such as that of a repository, can be given up or changed, and its next owner would get access';

describe('what may be asked of a token', () => {
  it.each([
    [GITHUB, { repository_id: '1', ref: 'refs/heads/main' }],
    [GITHUB, { repository_owner_id: '7', job_workflow_ref: 'acme/ci/.github/workflows/x.yml@refs/heads/main' }],
    [GITHUB, { repository_id: '1', ref: 'refs/tags/v*' }],
    [`${GITHUB}/acme`, { repository_id: '1' }],
    ['https://github.acme.example.org/_services/token', { repository_id: '1' }],
    [GITLAB, { project_id: '20', environment: 'production' }],
    [GITLAB, { namespace_id: '20' }],
    [OTHER, { project_id: '20' }],
    [OTHER, { sub: 'organization:1:pipeline:2' }],
    [BITBUCKET, { repositoryUuid: `{${UUID}}`, branchName: 'main' }],
    [BITBUCKET, { workspaceUuid: UUID }],
    [CIRCLECI, { 'oidc.circleci.com/project-id': UUID, 'oidc.circleci.com/vcs-ref': 'refs/heads/main' }],
    [CIRCLECI, { 'oidc.circleci.com/org-id': UUID.toUpperCase() }],
    ['https://oidc.circleci.com', { 'oidc.circleci.com/project-id': UUID }],
    [OTHER, { repositoryUuid: `{${UUID}}` }],
    [OTHER, { 'oidc.circleci.com/org-id': UUID }],
  ])('%s with %j is enough', (issuer, claims) => {
    expect(claimsFault(issuer, claims)).toBeUndefined();
  });

  it.each([
    [GITHUB, {}, 'repository_id or repository_owner_id'],
    [GITHUB, { repository: 'acme/web' }, 'repository_id or repository_owner_id'],
    [GITHUB, { sub: 'repo:acme/web:ref:refs/heads/main' }, 'repository_id or repository_owner_id'],
    [GITHUB, { sub: '42' }, 'repository_id or repository_owner_id'],
    [GITHUB, { project_id: '1' }, 'repository_id or repository_owner_id'],
    ['https://token.actions.acme.ghe.com', { sub: 'x' }, 'repository_id or repository_owner_id'],
    [GITLAB, { project_path: 'acme/web', ref: 'main' }, 'project_id or namespace_id'],
    [GITHUB, { repositoryUuid: UUID }, 'repository_id or repository_owner_id'],
    [GITLAB, { 'oidc.circleci.com/project-id': UUID }, 'project_id or namespace_id'],
    [BITBUCKET, { branchName: 'main' }, BITBUCKET_IDS],
    [BITBUCKET, { sub: `{${UUID}}:{${UUID}}` }, BITBUCKET_IDS],
    [BITBUCKET, { 'oidc.circleci.com/project-id': UUID }, BITBUCKET_IDS],
    [CIRCLECI, { 'oidc.circleci.com/vcs-origin': 'github.com/acme/web' }, CIRCLECI_IDS],
    [CIRCLECI, { sub: `org/${UUID}/project/${UUID}/user/${UUID}` }, CIRCLECI_IDS],
    [CIRCLECI, { project_id: '1' }, CIRCLECI_IDS],
    ['https://oidc.circleci.com', { sub: 'x' }, CIRCLECI_IDS],
    [OTHER, { ref: 'main' }, ANY_ID],
    [OTHER, { sub: 'project_path:acme/web:ref_type:branch:ref:main' }, ANY_ID],
  ])('%s with %j goes by names alone', (issuer, claims, ids) => {
    expect(claimsFault(issuer, claims)).toEqual({ field: 'claims', reason: `must contain ${ids}: ${NAMES}` });
  });

  it.each([
    [{ repository_id: 'acme/web' }, 'claims.repository_id', 'must be the number, not the name'],
    [{ repositoryUuid: 'web' }, 'claims.repositoryUuid', 'must be the UUID, not the name'],
    [{ workspaceUuid: `{${UUID}` }, 'claims.workspaceUuid', 'must be the UUID, not the name'],
    [{ workspaceUuid: `${UUID}0` }, 'claims.workspaceUuid', 'must be the UUID, not the name'],
    [
      { 'oidc.circleci.com/project-id': 'gh/acme/web' },
      'claims.oidc.circleci.com/project-id',
      'must be the UUID, not the name',
    ],
    [{ 'oidc.circleci.com/org-id': '*' }, 'claims.oidc.circleci.com/org-id', 'must be the UUID, not the name'],
    [{ repository_id: '1', aud: 'x' }, 'claims.aud', 'is checked in every token: omit it'],
    [{ repository_id: '1', environment: '' }, 'claims.environment', 'must not be empty'],
    [{ repository_id: '1', environment: 'prod*' }, 'claims.environment', 'must match exactly: only ref can end in *'],
    [{ repository_id: '1', ref: '*' }, 'claims.ref', 'can contain one *, at its end and after other characters'],
    [
      { repository_id: '1', ref: 'refs/*/main' },
      'claims.ref',
      'can contain one *, at its end and after other characters',
    ],
    [
      { repository_id: '1', ref: 'refs/heads/**' },
      'claims.ref',
      'can contain one *, at its end and after other characters',
    ],
  ])('%j cannot be asked for', (claims, field, reason) => {
    expect(claimsFault(GITHUB, claims as Record<string, string>)).toEqual({ field, reason });
  });
});

describe('holding a token against it', () => {
  it('compares as a whole, and numbers and truths like their text', () => {
    const claims = { repository_id: '1', ref: 'refs/heads/main', ref_protected: 'true' };
    expect(differingClaims(claims, { repository_id: 1, ref: 'refs/heads/main', ref_protected: true })).toEqual([]);
    expect(differingClaims(claims, { repository_id: '1', ref: 'refs/heads/main2', ref_protected: 'True' })).toEqual([
      'ref',
      'ref_protected',
    ]);
    expect(differingClaims(claims, {})).toEqual(['repository_id', 'ref', 'ref_protected']);
    expect(differingClaims({ constructor: 'x' }, {})).toEqual(['constructor']);
    expect(differingClaims({ repository_id: '1' }, { repository_id: ['1'] })).toEqual(['repository_id']);
    const rounded = JSON.parse('{"repository_id": 9007199254740993}') as Record<string, unknown>;
    expect(differingClaims({ repository_id: '9007199254740992' }, rounded)).toEqual(['repository_id']);
  });

  it('takes the end of a ref for anything only where it says so', () => {
    const fits = (wanted: string, ref: string) => differingClaims({ ref: wanted }, { ref }).length === 0;
    expect(fits('refs/tags/v*', 'refs/tags/v1.2')).toBe(true);
    expect(fits('refs/tags/v*', 'refs/heads/v1')).toBe(false);
    expect(fits('refs/tags/v', 'refs/tags/v1')).toBe(false);
  });

  it('does not let in what strangers propose, unless that is asked for by name', () => {
    const proposed = { repository_id: '1', event_name: 'pull_request_target' };
    expect(differingClaims({ repository_id: '1' }, proposed)).toEqual(['event_name']);
    expect(differingClaims({ repository_id: '1', event_name: 'push' }, proposed)).toEqual(['event_name']);
    expect(differingClaims({ repository_id: '1', event_name: 'pull_request_target' }, proposed)).toEqual([]);
  });

  it('knows whom a job belongs to by all ids that are asked for', () => {
    const claims = { repository_id: '1', repository_owner_id: '2', ref: 'refs/heads/main' };
    expect(isPinnedTo(claims, { repository_id: '1', repository_owner_id: '2', ref: 'other' })).toBe(true);
    expect(isPinnedTo(claims, { repository_id: '1', repository_owner_id: '3', ref: 'refs/heads/main' })).toBe(false);
  });

  it('compares UUIDs with and without braces, and as a whole', () => {
    for (const wanted of [UUID, `{${UUID}}`, UUID.toUpperCase()]) {
      const claims = { repositoryUuid: wanted };
      for (const value of [UUID, `{${UUID}}`]) {
        expect(isPinnedTo(claims, { repositoryUuid: value })).toBe(true);
        expect(differingClaims(claims, { repositoryUuid: value })).toEqual([]);
      }
      for (const value of [`{${UUID}`, `${UUID} `, UUID.replace('1', '2'), [UUID], 'web', undefined]) {
        expect(isPinnedTo(claims, { repositoryUuid: value })).toBe(false);
        expect(differingClaims(claims, { repositoryUuid: value })).toEqual(['repositoryUuid']);
      }
    }
    // Only the ids are known to be UUIDs.
    expect(differingClaims({ pipelineUuid: UUID }, { pipelineUuid: `{${UUID}}` })).toEqual(['pipelineUuid']);
  });

  it('stores the required and the informative claims, within limits', () => {
    const payload = {
      repository_id: 1,
      custom: 'x',
      secret: 's',
      sha: 'abc',
      actor: 'a'.repeat(513),
      run_id: 'a\u0000',
    };
    expect(storedClaims({ repository_id: '1', custom: 'x' }, payload)).toEqual({
      repository_id: '1',
      custom: 'x',
      sha: 'abc',
    });
  });
});
