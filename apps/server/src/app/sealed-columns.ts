import { targetSecrets } from '../features/notifications/targets/target-secret.ts';
import { webhookKeySecret } from '../features/notifications/targets/webhook-key.service.ts';
import { ssoSecret } from '../features/sso/sso.service.ts';
import type { SealedColumn } from '../platform/reseal.ts';

/** Every column that holds sealed secrets. */
export const sealedColumns: readonly SealedColumn[] = [ssoSecret, ...targetSecrets, webhookKeySecret];
