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
    <DialogButton
      label="Allow-list an artifact"
      title={`Allow-list an artifact in ${environment.name}`}
      whyNot={whyNot}
    >
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
    done: ({ artifact_name }) => `‘${artifact_name}’ is let pass`,
    onDone: onClose,
  });
  return (
    <Form
      submit="Allow-list"
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
          label="What"
          value={chosen}
          onChange={setChosen}
          choices={[
            ...failing.map(({ id, name }) => ({ id, label: `${name} (fails now)` })),
            { id: OTHER, label: 'Another, by its fingerprint' },
          ]}
        />
      )}
      {hasMore && (
        <p className="text-[12.5px] text-quiet">
          {`Of ${total.toLocaleString('en')} that fail only the first ${OFFERED} are looked at here. Another is named by its fingerprint.`}
        </p>
      )}
      {artifact && artifact.otherNames.length > 0 && (
        <p className="text-quiet">
          {`The same artifact runs as ${artifact.otherNames.join(', ')} as well, which is let pass with it.`}
        </p>
      )}
      {!artifact && (
        <>
          <Field name="artifact_fingerprint" label="Fingerprint" isRequired mono help="64 digits, as in its address." />
          <Field name="artifact_name" label="What it is called" isRequired />
        </>
      )}
      <Field
        name="description"
        label="Why it is let pass"
        isRequired
        lines={3}
        help="Auditors read this beside your name."
      />
      <Field
        name="until"
        label="Until, the day included"
        type="date"
        help="In UTC. Without a day it stands until it is withdrawn."
      />
    </Form>
  );
}
