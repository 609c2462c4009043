import type { LedgerStatus } from '@waymark/contract';
import { Facts, Panel } from '../../../ui/Panel.tsx';
import { StateBadge } from '../../../ui/StateBadge.tsx';
import { Time } from '../../../ui/Time.tsx';

/** What confirms the ledger besides its signature: its self-check, and a time stamp. */
export function LedgerChecks({ of: { last_check: check, time_stamp: stamp } }: { readonly of: LedgerStatus }) {
  return (
    <Panel title="Self-check and time stamp">
      <Facts
        rows={[
          ['Self-check', check ? <CheckState key="state" problems={check.problems} /> : 'not run yet'],
          ['Checked', check && `${check.entries.toLocaleString('en')} entries against the records`],
          ['Last run', check && <Time key="at" at={check.at} as="exact" />],
          ['Time stamp', stamp ? <Time key="stamp" at={stamp.at} as="exact" /> : 'none'],
          ['Authority', stamp?.authority],
          ['Over', stamp && `checkpoint ${stamp.number.toLocaleString('en')}`],
        ]}
      />
      {check !== null && check.problems > 0 && (
        <p className="mt-3">
          Records differ from what the ledger proves. Ask an operator to run <code>waymark-server ledger check</code>,
          which names each difference.
        </p>
      )}
    </Panel>
  );
}

function CheckState({ problems }: { readonly problems: number }) {
  if (problems === 0) return <StateBadge state="compliant" word="No differences" />;
  const words = problems === 1 ? '1 difference' : `${problems.toLocaleString('en')} differences`;
  return <StateBadge state="non-compliant" word={words} />;
}
