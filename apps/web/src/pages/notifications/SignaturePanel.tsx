import { listWebhookKeys } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { CopyButton } from '../../ui/Copy.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';

/** For the developers of a receiver. */
export function SignaturePanel() {
  const keys = useRead(listWebhookKeys, { params: { org: useOrg() } });
  return (
    <Panel title="Message signatures">
      <p>
        Every webhook message is signed twice, following Standard Webhooks: with the secret of its target (
        <code>v1,</code> in <code>webhook-signature</code>), and with a key of the org (<code>v1a,</code>) that
        receivers can verify without a secret, using its public key:
      </p>
      <Loaded of={keys} lines={2}>
        {({ keys: found }) => (
          <ul className="mt-2 space-y-1">
            {found.map(({ kid, waymark_key }) => (
              <li key={kid} className="flex items-start gap-1">
                <code className="min-w-0 [overflow-wrap:anywhere]">{waymark_key}</code>
                <CopyButton text={waymark_key} what="public key" />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
