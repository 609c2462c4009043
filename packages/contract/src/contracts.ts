import * as approvals from './approvals.ts';
import * as artifacts from './artifacts.ts';
import { assertArtifact } from './asserts.ts';
import * as attestationTypes from './attestation-types.ts';
import * as attestations from './attestations.ts';
import type { Contract } from './contract.ts';
import * as deployments from './deployments.ts';
import * as environments from './environments.ts';
import { streamEvents } from './events.ts';
import { archiveFlow, getFlow, listFlows, putFlow, putFlowTemplate, renameFlow } from './flows.ts';
import { getOpenApi, getPolicySchema, getTemplateSchema } from './reference.ts';
import * as reports from './reports.ts';
import { getRepo, listLiveArtifacts, listRepos } from './repos.ts';
import { searchComponents, searchSha } from './search.ts';
import * as snapshots from './snapshots.ts';
import { patchTags } from './tags.ts';
import * as trails from './trails.ts';
import * as trust from './trust.ts';

/** Every operation of the API, in the order of the documentation. */
export const contracts: readonly Contract[] = [
  putFlow,
  putFlowTemplate,
  listFlows,
  getFlow,
  renameFlow,
  archiveFlow,
  trails.beginTrail,
  trails.listTrails,
  trails.listFlowTrails,
  trails.getTrail,
  trails.explainTrail,
  trails.listTrailEvents,
  trails.getTrailPackage,
  artifacts.reportArtifact,
  artifacts.listArtifacts,
  artifacts.listFlowArtifacts,
  artifacts.getArtifact,
  artifacts.listCommitArtifacts,
  artifacts.getLatestCommit,
  artifacts.explainArtifact,
  artifacts.getArtifactPackage,
  attestations.attestGeneric,
  attestations.attestJunit,
  attestations.attestSnyk,
  attestations.attestSonar,
  attestations.attestJira,
  attestations.attestPullRequest,
  attestations.attestCustom,
  attestations.attestDecision,
  attestations.attestSystem,
  attestations.attestOverride,
  attestations.attestSbom,
  attestations.attestInToto,
  attestations.listAttestations,
  attestations.listAttestationsForCriteria,
  attestations.listFlowAttestations,
  attestations.listTrailAttestations,
  attestations.listArtifactAttestations,
  attestations.downloadEvidence,
  attestations.getAttestationPackage,
  attestationTypes.postAttestationType,
  attestationTypes.listAttestationTypes,
  attestationTypes.getAttestationType,
  attestationTypes.archiveAttestationType,
  approvals.recordApproval,
  approvals.listApprovals,
  approvals.getApproval,
  approvals.getRunningCommit,
  environments.putEnvironment,
  environments.listEnvironments,
  environments.getEnvironment,
  environments.patchEnvironment,
  environments.renameEnvironment,
  environments.archiveEnvironment,
  environments.joinEnvironment,
  reports.reportK8s,
  reports.reportEcs,
  reports.reportS3,
  reports.reportLambda,
  reports.reportServer,
  reports.reportDocker,
  reports.reportCloudxApps,
  reports.reportAzureApps,
  reports.reportCloudRun,
  snapshots.getSnapshot,
  snapshots.listSnapshots,
  snapshots.diffSnapshots,
  snapshots.listEnvironmentEvents,
  snapshots.getAuditLog,
  deployments.listDeployments,
  deployments.listEnvironmentDeployments,
  deployments.getDeployment,
  deployments.getDeploymentFrequency,
  assertArtifact,
  searchSha,
  trails.searchCommitTrails,
  searchComponents,
  listRepos,
  getRepo,
  listLiveArtifacts,
  patchTags,
  trust.addTrustedKey,
  trust.listTrustedKeys,
  trust.removeTrustedKey,
  trust.addTrustedIdentity,
  trust.listTrustedIdentities,
  trust.removeTrustedIdentity,
  streamEvents,
  getOpenApi,
  getTemplateSchema,
  getPolicySchema,
];
