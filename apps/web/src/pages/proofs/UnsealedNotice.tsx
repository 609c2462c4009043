import { getLedger } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { Link } from '../../ui/Link.tsx';
import { Notice } from '../../ui/Panel.tsx';

const WORDS = {
  signed: {
    title: 'Not sealed yet',
    says: 'The next checkpoint seals this entry, usually within seconds. Until then, nothing proves it.',
  },
  unsigned: {
    title: 'No signing key',
    says: 'This installation signs no checkpoints, so nothing can be proven outside of it. An operator can configure a signing key: entries recorded before are sealed too.',
  },
  stopped: {
    title: 'Signing has stopped',
    says: 'The ledger no longer extends a checkpoint that was signed before, for example after a restore from a backup. Entries since then are not sealed until an operator begins a new epoch.',
  },
} as const;

/** Why an entry has no proof. */
export function UnsealedNotice({ org }: { readonly org: string }) {
  const { data } = useRead(getLedger, { params: { org } });
  if (!data) return null;
  const { title, says } = WORDS[data.state];
  return (
    <Notice kind={data.state === 'signed' ? 'info' : 'unsure'} title={title}>
      {says}{' '}
      <Link href={paths.audit(org, 'ledger')} className="underline">
        Ledger
      </Link>
    </Notice>
  );
}
