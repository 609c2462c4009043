import type { SecretBox } from '../../../platform/secret-box.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { DueTarget, WaitingRow } from '../queue/delivery-queue.store.ts';
import { openTarget } from '../targets/target.service.ts';
import type { Outgoing } from './outgoing.ts';

/** A target with the name of its org. */
export interface NamedTarget extends DueTarget {
  readonly org_name: string;
}

/** Undefined when the installation has no key, or not the one that sealed the URL and the secrets. */
export function outgoingOf(
  box: SecretBox | undefined,
  target: NamedTarget,
  delivery: WaitingRow,
  now: Date,
): Outgoing | undefined {
  const { url, secrets } = openTarget(box, { ...target, id: target.target_id }, now);
  const isOpen = target.url_sealed === null || url !== undefined;
  if (!isOpen || (target.kind === 'WEBHOOK' && secrets.length === 0)) return undefined;
  const { id, trigger, sequence, count, content, message_created_at } = delivery;
  return {
    orgId: target.org_id,
    message: {
      id,
      org: target.org_name,
      trigger,
      sequence,
      count,
      timestamp: epochSeconds(message_created_at),
      content,
    },
    address: delivery.address,
    target: {
      id: target.target_id,
      kind: target.kind,
      url: url ?? null,
      secrets,
      sourceName: target.source_name,
      derived: target.derived,
    },
  };
}
