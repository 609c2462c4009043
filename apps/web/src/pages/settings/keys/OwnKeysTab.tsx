import { listUserKeys } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { KeyList } from './KeyList.tsx';
import { useOwnKeyActions } from './key-actions.ts';

export function OwnKeysTab() {
  const keys = useRead(listUserKeys, {});
  const onlyOrg = useSession().data?.only_org ?? null;
  return (
    <div className="space-y-4">
      <KeyList title="Your keys" keys={keys} useActions={useOwnKeyActions} />
      <p className="text-[13px] text-quiet">
        {onlyOrg === null
          ? 'Your keys have your permissions in every org you belong to. For automation, use a service account: it stays when you leave.'
          : `You signed in through the identity provider of ${onlyOrg}: these keys are valid only in that org. For programs, prefer a service account: it stays when you leave.`}
      </p>
    </div>
  );
}
