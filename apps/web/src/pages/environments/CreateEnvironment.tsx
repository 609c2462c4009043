import { useNavigate } from '@tanstack/react-router';
import { type EnvironmentType, getEnvironment, putEnvironment } from '@waymark/contract';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { useFreeName } from '../../lib/free-name.ts';
import { paths } from '../../lib/paths.ts';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field, Select } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { TYPE_CHOICES } from './environment-filters.ts';

export function CreateEnvironmentButton() {
  return (
    <DialogButton
      label="Create environment"
      variant="primary"
      title="Create environment"
      inAddress="create-environment"
      whyNot={useWhyNot('report_environments')}
    >
      {(close) => <CreateEnvironment onClose={close} />}
    </DialogButton>
  );
}

function CreateEnvironment({ onClose }: { readonly onClose: () => void }) {
  const org = useOrg();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [type, setType] = useState<EnvironmentType>('K8S');
  const free = useFreeName();
  const create = useWrite(putEnvironment, {
    done: `Environment ‘${name}’ created`,
    onDone: () => {
      onClose();
      void navigate({ href: type === 'logical' ? paths.environmentSettings(org, name) : paths.environment(org, name) });
    },
  });
  return (
    <Form
      submit="Create environment"
      error={free.error ?? create.error}
      isPending={free.isPending || create.isPending}
      onCancel={onClose}
      onSubmit={({ description = '' }) =>
        free.unlessTaken(
          `Environment ‘${name}’`,
          () => client.call(getEnvironment, { params: { org, env_name: name } }),
          () => create.mutate({ params: { org }, body: { name, type, description } }),
        )
      }
    >
      <Field
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        help="Letters, digits, and . - _."
      />
      <Select
        label="Type"
        value={type}
        onChange={(id) => setType(id as EnvironmentType)}
        choices={TYPE_CHOICES}
        name="type"
      />
      <p className="text-[12.5px] text-quiet">
        {type === 'logical'
          ? 'It receives no reports itself: it combines other environments, which you choose next.'
          : 'Determines which reports it accepts. It cannot be changed later.'}
      </p>
      <Field name="description" label="Description" lines={2} />
    </Form>
  );
}
