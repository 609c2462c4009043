import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { emit } from '../../platform/journal/journal.ts';
import { hastenDepartures } from '../memberships/departures/due-departure.service.ts';
import { lockMembers } from '../memberships/membership.service.ts';
import { changeOrg } from '../orgs/org.service.ts';
import { suspensionDelayChanged } from './org-settings.entries.ts';

/** Sets how long keys outlast a departure by SCIM. Repeating it records nothing. */
export async function changeSuspensionDelay(ctx: Ctx, hours: number): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // Nobody departs with the old delay after the new one was applied to those who had left.
    await lockMembers(ctx);
    await changeOrg(ctx, {
      values: { suspension_delay_hours: hours },
      isNews: (org) => org('suspension_delay_hours', '<>', hours),
      tell: (ctx, subject) => emit(ctx, suspensionDelayChanged, subject, { hours }),
    });
    await hastenDepartures(ctx, hours);
  });
}
