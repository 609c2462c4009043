import { MembershipEvent } from '@waymark/contract';
import { cellTime } from '../../platform/export/csv.ts';
import type { Exported } from '../../platform/export/handle-export.ts';

export const EXPORTED_MEMBERSHIP_EVENTS: Exported<typeof MembershipEvent> = {
  item: MembershipEvent,
  what: 'entries',
  columns: {
    id: ({ id }) => id,
    when: ({ created_at }) => cellTime(created_at),
    change: ({ event_type }) => event_type,
    login: ({ user_login }) => user_login,
    name: ({ user }) => user,
    role: ({ role }) => role,
    previous_role: ({ previous_role }) => previous_role,
    changed_by: ({ changed_by }) => changed_by,
    source: ({ source }) => source,
  },
};
