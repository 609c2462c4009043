import { TRAIL_ATTESTATIONS_MAX } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { invalidField } from '../../platform/errors.ts';
import { lockTrail } from '../trails/trail.service.ts';
import { countOtherSlots, type Destination } from './attestation.store.ts';

/**
 * A trail has a slot for each attested name, type and target, and its verdict reads them all. A report for an existing
 * slot needs no room.
 */
interface Slot {
  readonly name: string;
  readonly type: string;
  readonly destination: Omit<Destination, 'is_new_slot'>;
}

export function slotKey({ name, type, destination }: Slot): string {
  const { org_id, flow_name, trail_name, fingerprint, target_artifact, commit_sha } = destination;
  return JSON.stringify([org_id, flow_name, trail_name, name, type, fingerprint, target_artifact, commit_sha]);
}

/** Refuses a new slot in a full trail. Returns false when the slot exists. */
export async function requireRoom(ctx: Ctx, { name, type, destination }: Slot, trailId: string): Promise<boolean> {
  const { trail_name, fingerprint, target_artifact, commit_sha } = destination;
  const others = await countOtherSlots(ctx.db, {
    ...{ org_id: ctx.org, trail_id: trailId, name, counts_as: type },
    ...{ fingerprint, target_artifact, commit_sha },
  });
  if (others === null) return false;
  if (others < TRAIL_ATTESTATIONS_MAX) return true;
  const most = TRAIL_ATTESTATIONS_MAX.toLocaleString('en');
  throw invalidField(
    'attestation_name',
    `is one too many: trail '${trail_name}' has attestations of ${most} different names, types, and targets, ` +
      'which is the maximum. Use another trail, such as one for each build',
  );
}

interface Place {
  readonly flow_id: string;
  readonly trail_id: string;
}

/** Does the same right before the write: concurrent reports near the limit wait for each other. */
export async function requireRoomInTurn(ctx: Ctx, slot: Slot, place: Place): Promise<void> {
  await lockTrail(ctx, { id: place.flow_id }, slot.destination.trail_name);
  await requireRoom(ctx, slot, place.trail_id);
}
