import { expireChangeRequests } from '../features/change-requests/change-request.tasks.ts';
import { flowDeployments } from '../features/deployments/deployment.processor.ts';
import { watchFreshness } from '../features/environments/freshness.tasks.ts';
import { flowActivity } from '../features/flows/flow.processor.ts';
import { checkLedgers, checkRegionLog } from '../features/ledger-checks/ledger-check.tasks.ts';
import { departureMail } from '../features/memberships/departures/departure.mail.ts';
import { suspendAfterDepartures } from '../features/memberships/departures/departure.tasks.ts';
import { invitationMail } from '../features/memberships/invitations/invitation.mail.ts';
import { confirmationMail } from '../features/notifications/mail-consent/mail-address.mail.ts';
import { notificationProcessor } from '../features/notifications/plan/notification.processor.ts';
import { pruneMessages, wakeTargets } from '../features/notifications/queue/delivery.tasks.ts';
import { targetDisabledMail } from '../features/notifications/targets/target-disabled.mail.ts';
import { storageMail } from '../features/org-settings/storage-quotas/storage-quota.mail.ts';
import { countStorage } from '../features/org-settings/storage-quotas/storage-quota.processor.ts';
import { warnOfStorage } from '../features/org-settings/storage-quotas/storage-quota.tasks.ts';
import { sweepEvidenceFiles } from '../features/retention/file-sweep.tasks.ts';
import { reevaluationProcessor } from '../features/runtime-verdicts/reevaluation/reevaluation.processor.ts';
import { pruneJobCredentials } from '../features/service-accounts/workload-identities/workload-identity.tasks.ts';
import { signInMail } from '../features/sign-in/sign-in.mail.ts';
import { pruneSignInLinks } from '../features/sign-in/sign-in.tasks.ts';
import { pruneSignInAttempts } from '../features/sso/sign-in-attempt.tasks.ts';
import { pruneSessions } from '../features/users/sessions/session.tasks.ts';
import { sweepBlobs } from '../platform/blobs/blob.tasks.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { ObjectStore } from '../platform/blobs/object-store.ts';
import type { SignInConfig } from '../platform/http/app.ts';
import { pruneIdempotentReplies } from '../platform/http/idempotency.tasks.ts';
import type { StorageQuota } from '../platform/http/storage-quota.ts';
import type { Task } from '../platform/jobs/task.ts';
import type { Processor } from '../platform/journal/processor.ts';
import { archiveLedger } from '../platform/ledger/archive.tasks.ts';
import type { Logger } from '../platform/log.ts';
import { pruneMails } from '../platform/mail/mail.tasks.ts';
import type { MailKind } from '../platform/mail/outbox.ts';

interface Wakers {
  /** Starts re-evaluations without delay. */
  readonly reevaluations: () => void;
  /** Starts deliveries without delay. */
  readonly deliveries: () => void;
}

/** What reacts to the journal. */
export function processors(wake: Wakers): readonly Processor[] {
  return [
    flowActivity,
    flowDeployments,
    countStorage,
    reevaluationProcessor(wake.reevaluations),
    notificationProcessor(wake.deliveries),
  ];
}

/** What runs on a schedule. */
export function tasks(
  { blobs, objects }: { readonly blobs: BlobStore; readonly objects: ObjectStore },
  storageQuota: StorageQuota,
  log: Logger,
): readonly Task[] {
  return [
    pruneIdempotentReplies,
    pruneSignInAttempts,
    pruneSignInLinks,
    pruneSessions,
    pruneMails,
    pruneMessages,
    wakeTargets,
    pruneJobCredentials,
    sweepBlobs(blobs),
    archiveLedger(objects),
    sweepEvidenceFiles(blobs, log),
    checkLedgers({ blobs, log }),
    checkRegionLog({ objects, log }),
    watchFreshness(log),
    suspendAfterDepartures(log),
    warnOfStorage(storageQuota, log),
    expireChangeRequests(log),
  ];
}

/** What is sent by mail. */
export function mailKinds(parts: {
  publicUrl: string;
  signUp: SignInConfig['signUp'];
  storageQuota: StorageQuota;
}): readonly MailKind[] {
  const { publicUrl, storageQuota } = parts;
  return [
    signInMail(parts),
    invitationMail(publicUrl),
    targetDisabledMail(publicUrl),
    confirmationMail(publicUrl),
    departureMail(publicUrl),
    storageMail(publicUrl, storageQuota),
  ];
}
