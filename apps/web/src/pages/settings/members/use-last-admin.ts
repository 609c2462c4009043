import { listMembers } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { useMay } from '../../../lib/session.ts';
import { lastAdminIn } from './last-admin.ts';

const READ = 100;

/** The login of the only admin of the org, who cannot leave it, as far as the caller may know. */
export function useLastAdmin(): string | undefined {
  const { data } = useRead(
    listMembers,
    { params: { org: useOrg() }, query: { page: 1, per_page: READ } },
    { enabled: useMay('read_members') },
  );
  return data && lastAdminIn(data.members, data.total_count);
}

export const LAST_ADMIN = 'The last admin: make another member admin first';
