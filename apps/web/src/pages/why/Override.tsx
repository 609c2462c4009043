import { type Attestation, attestOverride, getOrganization, listAttestations } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { Failure, Loading } from '../../ui/States.tsx';

function useAttestation(id: string | undefined) {
  const params = { org: useOrg() };
  const answer = useRead(listAttestations, { params, query: { attestation_id: id } }, { enabled: id !== undefined });
  return { ...answer, found: id === undefined ? undefined : answer.data?.data[0] };
}

/** Where the evidence is, and the pipeline run that reported it, if it named one. */
export function EvidenceLinks({ id }: { readonly id: string }) {
  const { found, isPending } = useAttestation(id);
  // The line that it will be.
  if (isPending) return <span className="mt-0.5 block text-[13px]">&nbsp;</span>;
  if (!found) return null;
  const { org, flow_name, trail_name, attestation_name, origin_url } = found;
  return (
    <span className="mt-0.5 flex flex-wrap gap-x-4 text-[13px] no-print">
      <Link href={paths.trail(org, flow_name, trail_name, id)}>{`Open ${attestation_name}`}</Link>
      {origin_url !== null && /^https?:/.test(origin_url) && (
        <OutsideLink href={origin_url}>Open pipeline run</OutsideLink>
      )}
    </span>
  );
}

export function OverrideButton({ id, isDisabled }: { readonly id: string; readonly isDisabled: boolean }) {
  return (
    <DialogButton label="Override…" isDisabled={isDisabled} title="Override the verdict">
      {(close) => <Override id={id} onClose={close} />}
    </DialogButton>
  );
}

interface OverrideProps {
  readonly id: string;
  readonly onClose: () => void;
}

function Override({ id, onClose }: OverrideProps) {
  const org = useOrg();
  const given = useAttestation(id);
  // Evidence that was overridden as failing is overridden again: what counts is the report.
  const original = useAttestation(given.found?.overrides ?? undefined);
  const rules = useRead(getOrganization, { params: { org } });
  const answer = [given, original].find(({ error }) => error !== null);
  if (answer?.error) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const report = given.found?.overrides == null ? given.found : original.found;
  if (given.data && !given.found) return <p>This evidence no longer exists.</p>;
  if (!report || rules.isPending) return <Loading lines={5} />;
  return <OverrideForm of={report} least={rules.data?.reason_min_length ?? 0} onClose={onClose} />;
}

function OverrideForm({
  of,
  least,
  onClose,
}: {
  readonly of: Attestation;
  readonly least: number;
  readonly onClose: () => void;
}) {
  const override = useWrite(attestOverride, { done: `‘${of.attestation_name}’ overridden`, onDone: onClose });
  return (
    <Form
      submit="Override as compliant"
      error={override.error}
      isPending={override.isPending}
      onCancel={onClose}
      onSubmit={({ reason = '' }) =>
        override.mutate({
          params: { org: of.org, flow_name: of.flow_name, trail_name: of.trail_name },
          body: {
            attestation_name: of.attestation_name,
            attestation_id: of.attestation_id,
            original_attestation_type: of.attestation_type,
            new_compliance_status: true,
            reason,
            ...subjectOf(of),
          },
        })
      }
    >
      <p className="[overflow-wrap:anywhere]">
        Counts <strong>{of.attestation_name}</strong> in trail {of.trail_name} of flow {of.flow_name} as compliant, in
        every environment. Only this report is overridden: both stay in the record, and a later report counts again.
      </p>
      {of.reasons.length > 0 && <p className="text-quiet [overflow-wrap:anywhere]">{of.reasons[0]}</p>}
      <Field
        name="reason"
        label="Reason for the override"
        isRequired
        lines={3}
        help={`Auditors see this next to your name.${least > 0 ? ` At least ${least} characters.` : ''}`}
      />
    </Form>
  );
}

/** The same artifact as the report names. */
function subjectOf({ artifact_fingerprint, target_artifacts, git_commit_info }: Attestation) {
  if (artifact_fingerprint !== null) return { artifact_fingerprint };
  return target_artifacts.length > 0 ? { target_artifacts, git_commit_info } : {};
}
