import { useNavigate } from '@tanstack/react-router';
import { archiveEnvironment, type Environment, renameEnvironment } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { Panel } from '../../ui/Panel.tsx';

interface OfEnvironment {
  readonly environment: Environment;
}

export function RenamePanel({ environment }: OfEnvironment) {
  const org = useOrg();
  const navigate = useNavigate();
  const [name, setName] = useState(environment.name);
  const rename = useWrite(renameEnvironment, {
    done: `Environment renamed to ‘${name}’`,
    onDone: () => void navigate({ href: paths.environmentSettings(org, name), replace: true }),
  });
  const notPermitted = useWhyNot('manage_environments');
  return (
    <Panel title="Rename">
      <Form
        submit="Rename environment"
        error={rename.error}
        isPending={rename.isPending}
        whyNot={notPermitted ?? (name === environment.name ? 'Enter a new name' : undefined)}
        onSubmit={() => rename.mutate({ params: { org, env_name: environment.name }, body: { new_name: name } })}
      >
        <Field
          name="new_name"
          label="Name"
          value={name}
          onChange={setName}
          isRequired
          help="The old name redirects here until another environment takes it."
        />
      </Form>
    </Panel>
  );
}

export function ArchivePanel({ environment }: OfEnvironment) {
  return (
    <Panel title="Archive">
      <p className="mb-3">
        Archiving cannot be undone: the environment rejects reports, its pages are no longer available, and its name
        becomes free. All records are kept.
      </p>
      <DialogButton
        label="Archive …"
        variant="danger"
        title={`Archive ${environment.name}?`}
        whyNot={useWhyNot('manage_environments')}
      >
        {(close) => <Archive environment={environment} onClose={close} />}
      </DialogButton>
    </Panel>
  );
}

function Archive({ environment, onClose }: OfEnvironment & { readonly onClose: () => void }) {
  const org = useOrg();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const archive = useWrite(archiveEnvironment, {
    done: `Environment ‘${environment.name}’ archived`,
    onDone: () => {
      onClose();
      void navigate({ href: paths.environments(org) });
    },
  });
  return (
    <Form
      submit="Archive environment"
      danger
      error={archive.error}
      isPending={archive.isPending}
      onCancel={onClose}
      whyNot={typed === environment.name ? undefined : 'Type the name to confirm'}
      onSubmit={() => archive.mutate({ params: { org, env_name: environment.name } })}
    >
      <p>
        Waymark then rejects reports to {environment.name}, its pages are no longer available, and it cannot be
        restored. Its deployments stay in the org’s list.
      </p>
      <Field
        name="confirmed"
        label={`Type ${environment.name} to confirm`}
        value={typed}
        onChange={setTyped}
        autoFocus
        mono
      />
    </Form>
  );
}
