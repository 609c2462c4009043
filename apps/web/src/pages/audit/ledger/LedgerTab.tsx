import { getLedger, type LedgerStatus } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { Loaded } from '../../../ui/States.tsx';
import { useRefetchWhile } from '../../deliveries/use-refetch-while.ts';
import { LedgerChecks } from './LedgerChecks.tsx';
import { LedgerEpochs } from './LedgerEpochs.tsx';
import { LedgerGrowth } from './LedgerGrowth.tsx';
import { LedgerHead } from './LedgerHead.tsx';
import { LedgerKeys } from './LedgerKeys.tsx';
import { LedgerWitnesses } from './LedgerWitnesses.tsx';
import { SigningNotice } from './SigningNotice.tsx';

/** The state of the ledger of the org: what is sealed, who signed it, and who watches. */
export function LedgerTab() {
  const org = useOrg();
  const ledger = useRead(getLedger, { params: { org } }, { fresh: true });
  useRefetchWhile(isSealing(ledger.data), ledger.refetch);
  return (
    <Loaded of={ledger}>
      {(status) => (
        <div className="space-y-4">
          <SigningNotice of={status} />
          <div className="grid gap-4 xl:grid-cols-2 xl:items-start">
            <LedgerHead of={status} />
            <LedgerChecks of={status} />
          </div>
          <LedgerGrowth of={status} />
          <LedgerWitnesses of={status} />
          <LedgerKeys of={status} />
          <LedgerEpochs of={status} />
        </div>
      )}
    </Loaded>
  );
}

function isSealing(status: LedgerStatus | undefined): boolean {
  return status?.state === 'signed' && status.entries_waiting > 0;
}
