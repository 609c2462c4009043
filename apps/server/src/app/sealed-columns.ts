import { ssoSecret } from '../features/sso/sso.service.ts';
import { targetSecrets } from '../features/targets/target-secret.ts';
import { webhookKeySecret } from '../features/targets/webhook-key.service.ts';
import type { SealedColumn } from '../platform/reseal.ts';

/** Every column that holds sealed secrets. */
export const sealedColumns: readonly SealedColumn[] = [ssoSecret, ...targetSecrets, webhookKeySecret];
