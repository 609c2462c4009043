import type { LedgerStatus } from '@waymark/contract';
import { withBase } from '../../../lib/base-path.ts';
import { paths } from '../../../lib/paths.ts';
import { Notice } from '../../../ui/Panel.tsx';

/** Why nothing is sealed, and what to do about it. */
export function SigningNotice({ of: { state, reason, entries_waiting: waiting } }: { readonly of: LedgerStatus }) {
  if (state === 'signed') return null;
  const count = waiting === 1 ? '1 entry is' : `${waiting.toLocaleString('en')} entries are`;
  if (state === 'unsigned')
    return (
      <Notice kind="unsure" title="No signing key">
        <p>
          This installation signs no checkpoints, so nothing can be proven outside of it. {count} recorded and not
          sealed.
        </p>
        <p>
          Ask an operator to configure a signing key. Everything that was recorded before is sealed too.{' '}
          {help('Set up signing')}
        </p>
      </Notice>
    );
  return (
    <Notice kind="bad" title="Signing has stopped">
      <p>{reason ?? 'The ledger does not extend a checkpoint that was signed before.'}</p>
      <p>
        Waymark never signs two histories. {count} recorded and not sealed; recording continues. Ask an operator to find
        the cause, and to begin a new epoch, which names the break permanently. {help('When signing stops')}
      </p>
    </Notice>
  );
}

function help(label: string) {
  return (
    <a href={withBase(paths.ledgerHelp())} className="underline">
      {label}
    </a>
  );
}
