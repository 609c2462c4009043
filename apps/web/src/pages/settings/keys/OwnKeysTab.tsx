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
          ? 'They may do what you may, in every org that you are a member of. For programs, a service account is better: it stays when you leave.'
          : `You signed in through the identity provider of ${onlyOrg}: these keys are good in that org alone. For programs, a service account is better: it stays when you leave.`}
      </p>
    </div>
  );
}
