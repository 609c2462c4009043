import type { ChangeControlMode } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { conflict } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { countAdmins } from '../memberships/membership.reads.ts';
import { lockMembers } from '../memberships/membership.service.ts';
import { changeOrg } from '../orgs/org.service.ts';
import { changeControlChanged } from './org-settings.entries.ts';

/** Sets whether changes of policies, attachments, waivers and trust need approval. Repeating it records nothing. */
export async function changeChangeControl(ctx: Ctx, mode: ChangeControlMode): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // The second admin must not leave meanwhile.
    await lockMembers(ctx);
    if (mode === 'two_people') await requireTwoAdmins(ctx);
    await changeOrg(ctx, {
      values: { change_control: mode },
      isNews: (org) => org('change_control', '<>', mode),
      tell: (ctx, subject) => emit(ctx, changeControlChanged, subject, { mode }),
    });
  });
}

async function requireTwoAdmins(ctx: Ctx): Promise<void> {
  if ((await countAdmins(ctx)) > 1) return;
  throw conflict('Nobody could approve a change: make a second person admin of the org first');
}
