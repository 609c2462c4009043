/** What the specification of the API, or a public client of it, asks for. Paths as in the contracts. */
export interface AskedFor {
  readonly operation: string;
  /** A section of the specification, or who calls it. */
  readonly by: string;
}

export const askedFor: readonly AskedFor[] = [
  { operation: 'PUT /trails/:org/:flow_name', by: 'spec 4.7' },
  { operation: 'GET /search/:org/commit/:sha/trails', by: 'spec 4.7' },
  { operation: 'GET /trails/:org', by: 'client, list trails' },
  { operation: 'GET /trails/:org/:flow_name/:trail_name', by: 'client, get trail' },
  { operation: 'GET /trails/:org/:flow_name', by: 'API description' },
  { operation: 'GET /trails/:org/:flow_name/:trail_name/explain', by: 'Waymark' },
  { operation: 'GET /trails/:org/:flow_name/:trail_name/events', by: 'Waymark' },
  { operation: 'GET /trails/:org/:flow_name/:trail_name/audit_package', by: 'API description' },
  { operation: 'POST /artifacts/:org/:flow_name', by: 'spec 4.3' },
  { operation: 'GET /artifacts/:org', by: 'client, list artifacts' },
  { operation: 'GET /artifacts/:org/:flow_name', by: 'API description' },
  { operation: 'GET /artifacts/:org/:flow_name/fingerprint/:fingerprint', by: 'spec 4.3' },
  { operation: 'GET /artifacts/:org/:flow_name/commit_sha/:commit', by: 'client, get artifact' },
  { operation: 'GET /artifacts/:org/:flow_name/:fingerprint/latest_commit', by: 'client, report artifact' },
  { operation: 'GET /artifacts/:org/:flow_name/fingerprint/:fingerprint/explain', by: 'Waymark' },
  { operation: 'GET /artifacts/:org/:flow_name/:fingerprint/audit_package', by: 'API description' },
  ...['generic', 'junit', 'snyk', 'sonar', 'jira', 'custom', 'system', 'override'].map((kind) => ({
    operation: `POST /attestations/:org/:flow_name/trail/:trail_name/${kind}`,
    by: `client, attest ${kind === 'system' ? 'decision' : kind}`,
  })),
  { operation: 'POST /attestations/:org/:flow_name/trail/:trail_name/pull_request', by: 'spec 4.8' },
  { operation: 'POST /attestations/:org/:flow_name/trail/:trail_name/decision', by: 'spec 2.11' },
  { operation: 'POST /attestations/:org/:flow_name/trail/:trail_name/sbom', by: 'Waymark' },
  { operation: 'POST /attestations/:org/:flow_name/trail/:trail_name/in_toto', by: 'Waymark' },
  { operation: 'GET /attestations/:org', by: 'spec 4.12' },
  { operation: 'GET /attestations/:org/:flow_name', by: 'API description' },
  { operation: 'GET /attestations/:org/list_attestations_for_criteria', by: 'API description' },
  { operation: 'GET /attestations/:org/:flow_name/trail/:trail_name/:attestation_name', by: 'client, get attestation' },
  {
    operation: 'GET /attestations/:org/:flow_name/artifact/:fingerprint/:attestation_name',
    by: 'client, get attestation',
  },
  {
    operation: 'GET /attestations/:org/:flow_name/trail/:trail_name/attestation/:attestation_id/evidence',
    by: 'API description',
  },
  {
    operation: 'GET /attestations/:org/:flow_name/trail/:trail_name/attestation/:attestation_id/audit_package',
    by: 'Waymark',
  },
  { operation: 'POST /custom-attestation-types/:org', by: 'client, create attestation-type' },
  { operation: 'GET /custom-attestation-types/:org', by: 'client, list attestation-types' },
  { operation: 'GET /custom-attestation-types/:org/:name', by: 'client, get attestation-type' },
  { operation: 'PUT /custom-attestation-types/:org/:name/archive', by: 'client, archive attestation-type' },
  { operation: 'GET /asserts/:org/fingerprint/:fingerprint', by: 'client, assert artifact' },
  { operation: 'GET /search/:org/sha/:sha', by: 'client, search' },
  { operation: 'GET /search/:org/components', by: 'Waymark' },
  { operation: 'GET /repos/:org', by: 'client, list repos' },
  { operation: 'GET /repos/:org/*repo_name', by: 'client, get repo' },
  { operation: 'GET /repos/:org/live-artifacts/*repo_name', by: 'API description' },
  { operation: 'POST /approvals/:org/:flow_name', by: 'spec 4.12' },
  { operation: 'GET /approvals/:org/:flow_name', by: 'spec 4.12' },
  { operation: 'GET /approvals/:org/:flow_name/:number', by: 'spec 4.12' },
  { operation: 'GET /approvals/:org/:flow_name/artifact-commit/:env_name', by: 'spec 4.12' },
  { operation: 'POST /organizations/:org/trust/keys', by: 'Waymark' },
  { operation: 'GET /organizations/:org/trust/keys', by: 'Waymark' },
  { operation: 'DELETE /organizations/:org/trust/keys/:key_id', by: 'Waymark' },
  { operation: 'POST /organizations/:org/trust/identities', by: 'Waymark' },
  { operation: 'DELETE /organizations/:org/trust/identities/:identity_id', by: 'Waymark' },
  { operation: 'GET /organizations/:org/trust/identities', by: 'Waymark' },
];
