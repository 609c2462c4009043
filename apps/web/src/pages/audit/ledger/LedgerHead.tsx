import type { LedgerStatus } from '@waymark/contract';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Facts, Panel } from '../../../ui/Panel.tsx';
import { Time } from '../../../ui/Time.tsx';

const count = (number: number) => number.toLocaleString('en');

/** The newest root of the log of the org, and the checkpoint of the region log that covers it. */
export function LedgerHead({ of }: { readonly of: LedgerStatus }) {
  const { region } = of;
  return (
    <Panel title="Head">
      <Facts
        rows={[
          ['Sealed entries', count(of.size)],
          ['Not sealed yet', count(of.entries_waiting)],
          [
            'Root',
            <span key="root" className="flex items-start gap-1">
              <code>{of.root}</code>
              <CopyButton text={of.root} what="root" />
            </span>,
          ],
          ['Log', of.origin === null ? 'begins with the first sealed entry' : <code key="log">{of.origin}</code>],
          ['Checkpoint', region ? `${count(region.number)} of epoch ${count(of.epoch)}` : 'none yet'],
          ['Signed', region && <Time key="signed" at={region.signed_at} as="exact" />],
          ['Region log', region && `${count(region.size)} leaves: keys, and heads of all orgs by random id`],
        ]}
      />
    </Panel>
  );
}
