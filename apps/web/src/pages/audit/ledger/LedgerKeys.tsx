import type { LedgerStatus } from '@waymark/contract';
import { Download } from 'lucide-react';
import { LinkButton } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Panel } from '../../../ui/Panel.tsx';

/** The keys that a verifier needs, to compare with copies that came another way. */
export function LedgerKeys({ of: { verifier_keys: keys } }: { readonly of: LedgerStatus }) {
  return (
    <Panel
      title="Keys"
      actions={
        keys.length > 0 && (
          <LinkButton href="/api/v2/region-log/trust-policy" download>
            <Download size={14} aria-hidden /> Trust policy
          </LinkButton>
        )
      }
    >
      {keys.length === 0 ? (
        <p className="text-quiet">No keys.</p>
      ) : (
        <>
          <p className="mb-2">
            Checkpoints are signed with {keys.length === 1 ? 'this key' : 'these keys, while they are rotated'}. Compare
            with a copy that came another way before you trust {keys.length === 1 ? 'it' : 'them'}.
          </p>
          <ul className="space-y-1">
            {keys.map((key) => (
              <li key={key} className="flex items-start gap-1">
                <code className="[overflow-wrap:anywhere]">{key}</code>
                <CopyButton text={key} what="verifier key" />
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
