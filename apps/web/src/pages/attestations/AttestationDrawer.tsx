import { type Attestation, listAttestations } from '@waymark/contract';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useRead } from '../../lib/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Drawer } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ProofLine } from '../proofs/ProofLine.tsx';
import { attestationSubject } from '../proofs/proof-subject.ts';
import { AttachmentPanel } from './AttachmentPanel.tsx';
import { AttestationFacts } from './AttestationFacts.tsx';
import { AttestationReader } from './AttestationReader.tsx';
import { isBlank, JsonView } from './JsonView.tsx';
import { SealMark } from './SealMark.tsx';
import { sealOf } from './seal.ts';
import { summaryOf } from './summary.ts';
import { TrustPanel } from './TrustPanel.tsx';

interface DrawerProps {
  readonly org: string;
  readonly id: string;
  /** Of all attestations to step through, in order of arrival. */
  readonly ids: readonly string[];
  readonly onMove: (id: string) => void;
  readonly onClose: () => void;
}

/** One piece of evidence beside the page it was opened from. Its address is that of the page, plus its id. */
export function AttestationDrawer({ org, id, ids, onMove, onClose }: DrawerProps) {
  const answer = useRead(listAttestations, { params: { org }, query: { attestation_id: id } }, { fresh: true });
  const attestation = answer.data?.data[0];
  return (
    <Drawer title={attestation?.attestation_name ?? 'Attestation'} onClose={onClose}>
      <Leafing id={id} ids={ids} onMove={onMove} />
      <Loaded of={answer}>
        {({ data: [found] }) =>
          found ? (
            <Content key={found.attestation_id} of={found} />
          ) : (
            <Empty title="Attestation not found">Check that the ID is complete and belongs to this org.</Empty>
          )
        }
      </Loaded>
    </Drawer>
  );
}

function Leafing({ id, ids, onMove }: Pick<DrawerProps, 'id' | 'ids' | 'onMove'>) {
  const place = ids.indexOf(id);
  if (place === -1 || ids.length < 2) return null;
  const before = ids[place - 1];
  const next = ids[place + 1];
  return (
    <nav
      aria-label="Attestations of this trail"
      className="-mt-2 -ml-3 flex items-center gap-1 text-[13px] text-quiet no-print"
    >
      <Button variant="quiet" isDisabled={before === undefined} onPress={() => before !== undefined && onMove(before)}>
        <ChevronLeft size={15} aria-hidden /> Previous
      </Button>
      <span>{`${place + 1} of ${ids.length}, by arrival`}</span>
      <Button variant="quiet" isDisabled={next === undefined} onPress={() => next !== undefined && onMove(next)}>
        Next <ChevronRight size={15} aria-hidden />
      </Button>
    </nav>
  );
}

function Content({ of }: { readonly of: Attestation }) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Verdict of={of} />
        <span>{summaryOf(of)}</span>
        <span className="text-quiet">
          received <Time at={of.created_at} />
        </span>
        <SealMark seal={sealOf(of)} />
        <div className="w-full">
          <ProofLine of={attestationSubject(of)} />
        </div>
      </div>
      {of.reasons.length > 0 && (
        <Notice kind="bad" title="Reasons for non-compliance">
          {of.reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </Notice>
      )}
      <AttestationReader of={of} />
      <AttestationFacts of={of} />
      <TrustPanel of={of} />
      <AttachmentPanel of={of} />
      {!isBlank(of.user_data) && <Raw title="Data from the reporter" value={of.user_data} what="data" />}
      <Raw title="Raw JSON" value={of} what="JSON" />
    </>
  );
}

/** An override is not evidence itself: somebody takes responsibility for the verdict. */
function Verdict({ of }: { readonly of: Attestation }) {
  if (of.unreadable) return <StateBadge state="unknown" word="Unreadable" size="large" />;
  if (!of.is_compliant) return <StateBadge state="non-compliant" size="large" />;
  if (of.overrides !== null) return <StateBadge state="waived" word="Overridden" size="large" />;
  return <StateBadge state="compliant" size="large" />;
}

function Raw({ title, value, what }: { readonly title: string; readonly value: unknown; readonly what: string }) {
  return (
    <details>
      <summary className="mb-2 cursor-pointer text-quiet hover:text-ink">{title}</summary>
      <JsonView value={value} what={what} />
    </details>
  );
}
