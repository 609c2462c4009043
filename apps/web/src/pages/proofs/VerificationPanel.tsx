import type { LedgerEntry } from '@waymark/contract';
import { CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import { Button } from '../../ui/Button.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Failure } from '../../ui/States.tsx';
import { ProvenContent } from './ProvenContent.tsx';
import type { ProofSubject } from './proof-subject.ts';
import type { TrustState } from './use-trust-policy.ts';
import { useVerification } from './use-verification.ts';
import type { Verification, VerifiedStep } from './verify-entry.ts';

interface VerificationProps {
  readonly org: string;
  readonly of: ProofSubject;
  readonly entry: LedgerEntry;
  readonly trust: TrustState;
}

/** Verifies the proof of an entry with the saved keys, or with those that the server offers. */
export function VerificationPanel({ org, of, entry, trust }: VerificationProps) {
  const { data, error, isPending, mutate } = useVerification(org);
  const policy = trust.saved?.policy ?? trust.offered;
  const verify = () => {
    if (!isPending && typeof policy === 'string') mutate({ entry, shows: of.shows, policy });
  };
  return (
    <Panel title="Verification">
      <p className="mb-3">
        This browser downloads the proof, recomputes every hash, and checks every signature. It does not take the
        server’s word for anything but the keys, and for those only until you save them.
      </p>
      <Button variant="primary" onPress={verify} whyNot={policy === null ? 'The server offers no keys' : undefined}>
        {isPending ? 'Verifying …' : 'Verify in this browser'}
      </Button>
      <div aria-live="polite" className="mt-4 space-y-3 empty:hidden">
        {error && <Failure error={error} retry={verify} />}
        {data && <Result of={data} isTrusted={trust.saved !== null} />}
      </div>
    </Panel>
  );
}

function Result({ of, isTrusted }: { readonly of: Verification; readonly isTrusted: boolean }) {
  const failed = of.steps.filter(({ outcome }) => outcome === 'failed');
  return (
    <>
      {of.ok ? (
        <Notice kind={isTrusted ? 'good' : 'unsure'} title={isTrusted ? 'Proven' : 'Proven, if the keys are right'}>
          {isTrusted
            ? 'The entry is in the ledger, under the keys that you saved.'
            : 'The entry is in a ledger that was signed with the keys that this server offers. Compare them below.'}
        </Notice>
      ) : (
        <Notice kind="bad" title="Not proven">
          {failed.map(({ title, says }) => (
            <p key={title}>
              {title}: {says}.
            </p>
          ))}
        </Notice>
      )}
      <ol className="space-y-2" aria-label="Verified steps">
        {of.steps.map((step) => (
          <Step key={step.title} of={step} />
        ))}
      </ol>
      {of.proof && of.ok && <ProvenContent of={of.proof} />}
    </>
  );
}

const SIGNS = {
  ok: { icon: CircleCheck, word: 'Verified', color: 'text-good' },
  failed: { icon: CircleX, word: 'Failed', color: 'text-bad' },
  not_checked: { icon: CircleMinus, word: 'Not checked', color: 'text-quiet' },
} as const;

function Step({ of: { title, outcome, says } }: { readonly of: VerifiedStep }) {
  const { icon: Icon, word, color } = SIGNS[outcome];
  return (
    <li className="flex gap-2">
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${color}`} />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <span className="sr-only">{word}: </span>
        <span className="font-medium">{title}</span>
        <div className="text-[13px] text-quiet">{says}.</div>
      </div>
    </li>
  );
}
