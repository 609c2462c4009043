import { allowArtifact, type Environment, listSnapshotArtifacts } from '@waymark/contract';
import { useState } from 'react';
import { dayEnd } from '../../lib/day.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field, Select } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { failingChoices } from './failing-choices.ts';

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
  const { data } = useRead(
    listSnapshotArtifacts,
    {
      params: { org: useOrg(), env_name: name, snapshot_expression: '-1' },
      query: { per_page: OFFERED, compliance: 'non-compliant' },
    },
    { enabled: latest_snapshot_index > 0, fresh: true },
  );
  return {
    failing: failingChoices(data?.artifacts ?? []),
    total: data?.total_count ?? 0,
    hasMore: data !== undefined && data.total_count > data.artifacts.length,
  };
}

function Allow({ environment, onClose }: AllowProps & { readonly onClose: () => void }) {
  const org = useOrg();
  const { failing, total, hasMore } = useFailing(environment);
  const [chosen, setChosen] = useState(OTHER);
  const artifact = failing.find(({ id }) => id === chosen);
  const allow = useWrite(allowArtifact, {
    done: ({ artifact_name }) => `Waiver for ‘${artifact_name}’ added`,
    onDone: onClose,
  });
  return (
    <Form
      submit="Add waiver"
      error={allow.error}
      isPending={allow.isPending}
      onCancel={onClose}
      onSubmit={({ artifact_fingerprint = '', artifact_name = '', description = '', until = '' }) =>
        allow.mutate({
          params: { org, env_name: environment.name },
          body: {
            artifact_fingerprint: artifact?.fingerprint ?? artifact_fingerprint.trim(),
            artifact_name: artifact?.name ?? artifact_name,
            description,
            expires_at: dayEnd(until) ?? null,
          },
        })
      }
    >
      {failing.length > 0 && (
        <Select
          label="Artifact"
          value={chosen}
          onChange={setChosen}
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
      {artifact && artifact.otherNames.length > 0 && (
        <p className="text-quiet">
          {`The same artifact also runs as ${artifact.otherNames.join(', ')}, which the waiver covers, too.`}
        </p>
      )}
      {!artifact && (
        <>
          <Field name="artifact_fingerprint" label="Fingerprint" isRequired mono help="64 hexadecimal digits." />
          <Field name="artifact_name" label="Name" isRequired />
        </>
      )}
      <Field
        name="description"
        label="Reason for the waiver"
        isRequired
        lines={3}
        help="Auditors see this next to your name."
      />
      <Field
        name="until"
        label="Expires at the end of"
        type="date"
        help="In UTC. Leave empty for a waiver that never expires."
      />
    </Form>
  );
}
