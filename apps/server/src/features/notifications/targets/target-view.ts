import type * as api from '@waymark/contract';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { TargetRow } from './target.reads.ts';
import { openPart } from './target-secret.ts';
import { MASK } from './target-url.ts';

type ChatTarget = Extract<api.NotificationTarget, { type: 'CHAT' }>;

export function toTarget(row: TargetRow, box: SecretBox | undefined, mayWrite: boolean): api.NotificationTarget {
  const health = {
    id: row.id,
    last_success_at: row.last_success_at && epochSeconds(row.last_success_at),
    last_failure_at: row.last_failure_at && epochSeconds(row.last_failure_at),
    last_error: isFailing(row) ? row.last_error : null,
    disabled_at: row.disabled_at && epochSeconds(row.disabled_at),
    disabled_because: row.disabled_because,
  };
  if (row.kind === 'EMAIL') {
    const { emails, unsubscribed, unconfirmed } = row;
    return { type: row.kind, emails, unsubscribed: [...unsubscribed], unconfirmed: [...unconfirmed], ...health };
  }
  const webhook = (mayWrite ? openPart(box, 'url', row.id, row.url_sealed) : undefined) ?? maskedUrl(row);
  if (row.kind === 'CHAT') {
    return { type: row.kind, webhook, context: row.context as ChatTarget['context'], ...health };
  }
  return { type: row.kind, webhook, payload_version: row.payload_version ?? '', ...health };
}

function maskedUrl({ url_host }: TargetRow): string {
  return `https://${url_host}/${MASK}`;
}

export interface Health {
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly isFailing: boolean;
}

/** Of several targets together. */
export function healthOf(rows: readonly TargetRow[]): Health {
  return {
    lastSuccessAt: newestOf(rows.map(({ last_success_at }) => last_success_at)),
    lastFailureAt: newestOf(rows.map(({ last_failure_at }) => last_failure_at)),
    isFailing: rows.some(isFailing),
  };
}

function newestOf(times: readonly (Date | null)[]): Date | null {
  return times.reduce((newest, at) => (isLater(at, newest) ? at : newest), null);
}

/** Whether its newest attempt failed. Within one moment, only the count of failures shows which came last. */
function isFailing({ last_success_at, last_failure_at, failures }: TargetRow): boolean {
  if (last_success_at?.getTime() === last_failure_at?.getTime()) return last_failure_at !== null && failures > 0;
  return isLater(last_failure_at, last_success_at);
}

function isLater(at: Date | null, other: Date | null): boolean {
  return at !== null && (other === null || at > other);
}
