import { type Environment, listSnapshotArtifacts } from '@waymark/contract';
import { useState } from 'react';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field, Select } from '../../ui/Fields.tsx';
import { Loading } from '../../ui/States.tsx';
import { failingChoices } from './failing-choices.ts';
import { WaiverForm } from './WaiverForm.tsx';

interface AllowProps {
  readonly environment: Environment;
}

export function AllowButton({ environment, whyNot }: AllowProps & { readonly whyNot: string | undefined }) {
  return (
    <DialogButton label="Add waiver" title={`Add waiver in ${environment.name}`} whyNot={whyNot}>
      {(close) => <Allow environment={environment} onClose={close} />}
    </DialogButton>
  );
}

const OTHER = 'other';
const OFFERED = 100;

function useFailing({ name, latest_snapshot_index }: Environment) {
  const { data, isLoading } = useRead(
    listSnapshotArtifacts,
    {
      params: { org: useOrg(), env_name: name, snapshot_expression: '-1' },
      query: { per_page: OFFERED, compliance: 'non-compliant' },
    },
    { enabled: latest_snapshot_index > 0, fresh: true },
  );
  return {
    isLoading,
    failing: failingChoices(data?.artifacts ?? []),
    total: data?.total_count ?? 0,
    hasMore: data !== undefined && data.total_count > data.artifacts.length,
  };
}

/** Offers what fails first: that is what a waiver is nearly always for. */
function Allow({ environment, onClose }: AllowProps & { readonly onClose: () => void }) {
  const { isLoading, failing, total, hasMore } = useFailing(environment);
  const [picked, setPicked] = useState<string>();
  if (isLoading) return <Loading lines={5} />;
  const chosen = picked ?? failing[0]?.id ?? OTHER;
  const artifact = failing.find(({ id }) => id === chosen);
  return (
    <WaiverForm environment={environment.name} artifact={artifact} onClose={onClose}>
      {failing.length > 0 && (
        <Select
          label="Artifact"
          value={chosen}
          onChange={setPicked}
          choices={[
            ...failing.map(({ id, name }) => ({ id, label: `${name} (failing)` })),
            { id: OTHER, label: 'Another artifact, by fingerprint' },
          ]}
        />
      )}
      {hasMore && (
        <p className="text-[12.5px] text-quiet">
          {`Only the first ${OFFERED} of ${total.toLocaleString('en')} failing artifacts are listed. Choose any other by its fingerprint.`}
        </p>
      )}
      {artifact && <OtherNames names={artifact.otherNames} />}
      {!artifact && (
        <>
          <Field name="artifact_fingerprint" label="Fingerprint" isRequired mono help="64 hexadecimal digits." />
          <Field name="artifact_name" label="Name" isRequired />
        </>
      )}
    </WaiverForm>
  );
}

function OtherNames({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p className="text-quiet">{`The same artifact also runs as ${names.join(', ')}, which the waiver covers, too.`}</p>
  );
}

/** Waives one of the artifacts that a fix would help. Ones without a fingerprint cannot be waived. */
export function WaiveDialog({
  environment,
  artifacts,
  onClose,
}: {
  readonly environment: string;
  readonly artifacts: readonly { readonly name: string; readonly fingerprint: string }[];
  readonly onClose: () => void;
}) {
  const choices = failingChoices(artifacts);
  const [picked, setPicked] = useState<string>();
  const artifact = choices.find(({ id }) => id === picked) ?? choices[0];
  if (!artifact) return null;
  return (
    <WaiverForm environment={environment} artifact={artifact} onClose={onClose}>
      {choices.length > 1 ? (
        <Select
          label="Artifact"
          value={artifact.id}
          onChange={setPicked}
          choices={choices.map(({ id, name }) => ({ id, label: name }))}
        />
      ) : (
        <p className="[overflow-wrap:anywhere]">
          The policies of {environment} no longer count for <strong>{artifact.name}</strong> until the waiver expires.
        </p>
      )}
      <OtherNames names={artifact.otherNames} />
    </WaiverForm>
  );
}
