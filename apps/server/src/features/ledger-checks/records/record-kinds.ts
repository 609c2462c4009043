import { controls } from './controls.ts';
import { attestationTypes, legalHolds, trustedIdentities, trustedKeys } from './definitions.ts';
import { environments } from './environments.ts';
import { approvals, artifacts, attestations } from './evidence.ts';
import { flows } from './flows.ts';
import { changeRequests, memberships, serviceAccounts, workloadIdentities } from './people.ts';
import { policies } from './policies.ts';
import type { RecordKind } from './record-kind.ts';
import { repositories } from './repositories.ts';
import { invitations, notifications, orgs, ssoIdentities, ssoSettings } from './settings.ts';
import { trails } from './trails.ts';

/** Everything whose rows are compared with the entries about it. Snapshots are compared by themselves. */
export const RECORD_KINDS: ReadonlyMap<string, RecordKind> = new Map(
  [
    orgs,
    memberships,
    serviceAccounts,
    workloadIdentities,
    invitations,
    ssoSettings,
    ssoIdentities,
    flows,
    trails,
    artifacts,
    attestations,
    approvals,
    attestationTypes,
    trustedKeys,
    trustedIdentities,
    environments,
    policies,
    controls,
    changeRequests,
    legalHolds,
    repositories,
    notifications,
  ].map((kind) => [kind.kind, kind]),
);
