import { useNavigate } from '@tanstack/react-router';
import { type EnvironmentType, environmentTypes, putEnvironment } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field, Select } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { TYPE_WORDS } from './type-words.ts';

/** `azure-apps` is an old name of `cloudx-apps`. */
const OFFERED = environmentTypes.filter((type) => type !== 'azure-apps').map((id) => ({ id, label: TYPE_WORDS[id] }));

export function CreateEnvironmentButton() {
  return (
    <DialogButton
      label="Create environment"
      variant="primary"
      title="Create environment"
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
      error={create.error}
      isPending={create.isPending}
      onCancel={onClose}
      onSubmit={({ description = '' }) => create.mutate({ params: { org }, body: { name, type, description } })}
    >
      <Field
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        help="Letters, digits, and . - _. If an environment of this name exists, Waymark updates its description."
      />
      <Select
        label="Type"
        value={type}
        onChange={(id) => setType(id as EnvironmentType)}
        choices={OFFERED}
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
