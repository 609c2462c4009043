import type { KeyObject } from 'node:crypto';
import { accountRoutes } from '../features/accounts/account.routes.ts';
import { userKeyRoutes } from '../features/accounts/user-key.routes.ts';
import { activityRoutes } from '../features/activity/activity.routes.ts';
import { feedRoutes } from '../features/activity/feed/feed.routes.ts';
import type { Listeners } from '../features/activity/feed/listeners.ts';
import { referenceRoutes } from '../features/api-reference/reference.routes.ts';
import { approvalRoutes } from '../features/artifacts/approvals/approval.routes.ts';
import { artifactRoutes } from '../features/artifacts/artifact.routes.ts';
import { attestRoutes } from '../features/attestations/attest.routes.ts';
import { attestationRoutes } from '../features/attestations/attestation.routes.ts';
import { attestationTypeRoutes } from '../features/attestations/types/attestation-type.routes.ts';
import { backTestRoutes } from '../features/back-tests/back-test.routes.ts';
import { changeRequestRoutes } from '../features/change-requests/change-request.routes.ts';
import { assertRoutes } from '../features/compliance/assert/assert.routes.ts';
import { explanationRoutes } from '../features/compliance/explain/explanation.routes.ts';
import { matrixRoutes } from '../features/compliance/matrix/matrix.routes.ts';
import { reportOnlyRoutes } from '../features/compliance/report-only/report-only.routes.ts';
import { summaryRoutes } from '../features/compliance/summaries/summary.routes.ts';
import { controlRoutes } from '../features/controls/control.routes.ts';
import { deploymentRoutes } from '../features/deployments/deployment.routes.ts';
import { environmentEventRoutes } from '../features/environment-history/events/event.routes.ts';
import { timelineRoutes } from '../features/environment-history/timelines/timeline.routes.ts';
import { reportRoutes } from '../features/environment-reports/report.routes.ts';
import { environmentRoutes } from '../features/environment-settings/environment.routes.ts';
import { flowRoutes } from '../features/flows/flow.routes.ts';
import { ledgerRoutes } from '../features/ledger/ledger.routes.ts';
import { regionLogRoutes } from '../features/ledger/region-log.routes.ts';
import type { ServedLedger } from '../features/ledger/served-ledger.ts';
import { invitationPages } from '../features/memberships/invitations/invitation.pages.ts';
import { invitationRoutes } from '../features/memberships/invitations/invitation.routes.ts';
import { membershipRoutes } from '../features/memberships/membership.routes.ts';
import { mailAddressPages } from '../features/notifications/mail-consent/mail-address.pages.ts';
import { mailRefusalPages } from '../features/notifications/mail-consent/mail-refusal.pages.ts';
import { unsubscribeUrl } from '../features/notifications/mail-consent/unsubscribe-link.ts';
import { deliveryRoutes } from '../features/notifications/queue/delivery.routes.ts';
import { notificationRoutes } from '../features/notifications/settings/notification.routes.ts';
import { notificationConfigRoutes } from '../features/notifications/settings/notification-config.routes.ts';
import { targetRoutes } from '../features/notifications/targets/target.routes.ts';
import { targetTestRoutes } from '../features/notifications/targets/target-test.routes.ts';
import { orgRoutes } from '../features/org-settings/org.routes.ts';
import { storageRoutes } from '../features/org-settings/storage-quotas/storage-quota.routes.ts';
import { policyRoutes } from '../features/policies/policy.routes.ts';
import { auditPackageRoutes } from '../features/reports/audit-packages/audit-package.routes.ts';
import { reportRoutes as printedReportRoutes } from '../features/reports/printed/report.routes.ts';
import { repoRoutes } from '../features/repos/repo.routes.ts';
import { erasureRoutes } from '../features/retention/erasure.routes.ts';
import { retentionRoutes } from '../features/retention/retention.routes.ts';
import { scimRoutes } from '../features/scim/scim.routes.ts';
import { scimSetupRoutes } from '../features/scim/scim-setup.routes.ts';
import { componentRoutes } from '../features/search/component.routes.ts';
import { nameSearchRoutes } from '../features/search/name-search.routes.ts';
import { searchRoutes } from '../features/search/search.routes.ts';
import { serviceAccountRoutes } from '../features/service-accounts/service-account.routes.ts';
import { workloadIdentityRoutes } from '../features/service-accounts/workload-identities/workload-identity.routes.ts';
import { setUpRoutes } from '../features/sign-in/set-up.routes.ts';
import { signInRoutes } from '../features/sign-in/sign-in.routes.ts';
import { snapshotRoutes } from '../features/snapshots/read/snapshot.routes.ts';
import { ssoRoutes } from '../features/sso/sso.routes.ts';
import { tagRoutes } from '../features/tags/tag.routes.ts';
import { trailRoutes } from '../features/trails/trail.routes.ts';
import { trustRoutes } from '../features/trust/trust.routes.ts';
import { sessionRoutes } from '../features/users/sessions/session.routes.ts';
import { userRoutes } from '../features/users/user.routes.ts';
import { allowListRoutes } from '../features/waivers/waiver.routes.ts';
import { type App, type AppParts, createApp, type SignInConfig } from '../platform/http/app.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import type { GuardedFetch } from '../platform/outbound/guarded-fetch.ts';
import type { Chromium } from '../platform/print-pdf.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { statusPage } from '../platform/status/status.page.ts';

/** Everything the API serves. Needs no port: tests call it directly. */
/** Dependencies of features besides those of every operation. */
export interface ApiParts extends AppParts {
  readonly sandbox: Sandbox;
  /** The first letters of this region's keys, after the prefix. */
  readonly regionLetter: string;
  /** For URLs that customers give. */
  readonly outbound: GuardedFetch;
  /** CIDRs besides the public internet that `outbound` may call. */
  readonly outboundNetworks?: readonly string[];
  /** For mail that a response waits for; the worker sends all other mail. Absent when the operator configured none. */
  readonly mailer: Mailer | undefined;
  /** Absent when the operator configured no key for it; then no secret of a customer can be stored. */
  readonly secretBox: SecretBox | undefined;
  readonly signIn: SignInConfig;
  readonly ledger: ServedLedger;
  /** Private keys that sign verdicts for other tools, newest first; absent when the operator configured none. */
  readonly statementKeys?: readonly KeyObject[];
  /** Sigstore's trusted_root.json of this installation, parsed. */
  readonly sigstoreRoot?: unknown;
  /** Makes PDFs; absent when the operator configured none. */
  readonly chromium?: Chromium | undefined;
}

export function buildApi(parts: ApiParts, listeners: Listeners): App {
  const { sandbox, secretBox, regionLetter, outbound, signIn } = parts;
  const targetParts = { secretBox, networks: parts.outboundNetworks ?? [] };
  const app = createApp(parts);
  app.watchQueue('sandbox', sandbox.figures);
  flowRoutes(app, sandbox);
  trailRoutes(app, sandbox);
  artifactRoutes(app);
  attestRoutes(app, sandbox);
  attestationRoutes(app, sandbox);
  attestationTypeRoutes(app, sandbox);
  approvalRoutes(app);
  environmentRoutes(app);
  environmentEventRoutes(app);
  policyRoutes(app, sandbox);
  backTestRoutes(app, sandbox);
  deploymentRoutes(app);
  deliveryRoutes(app);
  targetTestRoutes(app, { ...parts, unsubscribeUrl: unsubscribeUrl(parts.publicUrl, secretBox), box: secretBox });
  allowListRoutes(app);
  controlRoutes(app);
  assertRoutes(app);
  summaryRoutes(app, parts.statementKeys ?? []);
  explanationRoutes(app);
  auditPackageRoutes(app, parts.ledger.witnesses);
  printedReportRoutes(app, parts.chromium);
  searchRoutes(app);
  componentRoutes(app);
  nameSearchRoutes(app);
  repoRoutes(app);
  reportRoutes(app);
  snapshotRoutes(app);
  matrixRoutes(app);
  reportOnlyRoutes(app);
  tagRoutes(app);
  timelineRoutes(app);
  trustRoutes(app, parts);
  serviceAccountRoutes(app, regionLetter);
  userKeyRoutes(app, regionLetter);
  workloadIdentityRoutes(app, { outbound, regionLetter });
  notificationRoutes(app, targetParts);
  notificationConfigRoutes(app, targetParts);
  targetRoutes(app, secretBox);
  orgRoutes(app);
  storageRoutes(app, parts.storageQuota);
  retentionRoutes(app);
  erasureRoutes(app);
  membershipRoutes(app);
  invitationRoutes(app);
  invitationPages(app, signIn);
  mailRefusalPages(app, secretBox);
  mailAddressPages(app);
  userRoutes(app);
  setUpRoutes(app, signIn);
  signInRoutes(app, signIn);
  sessionRoutes(app);
  accountRoutes(app, regionLetter);
  ssoRoutes(app, { outbound, secretBox, signIn });
  scimSetupRoutes(app, regionLetter);
  scimRoutes(app);
  feedRoutes(app, listeners);
  activityRoutes(app);
  referenceRoutes(app);
  changeRequestRoutes(app);
  ledgerRoutes(app, parts.ledger);
  regionLogRoutes(app, parts.ledger);
  statusPage(app);
  return app;
}
