import { useNavigate } from '@tanstack/react-router';
import { getFlow, putFlow } from '@waymark/contract';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { useFreeName } from '../../lib/free-name.ts';
import { paths } from '../../lib/paths.ts';
import { problemOf, useWrite } from '../../lib/queries.ts';
import { useWhyNot } from '../../lib/session.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { TemplateEditor } from './TemplateEditor.tsx';
import { templateProblems } from './template-problems.ts';

const FIRST_TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: pull_request
  artifacts:
    - name: app
      attestations:
        - name: unit-tests
          type: junit
`;

export function CreateFlowButton({ org }: { readonly org: string }) {
  const whyNot = useWhyNot('record_evidence');
  return (
    <DialogButton
      label="Create flow"
      variant="primary"
      title="Create flow"
      inAddress="create-flow"
      wide
      whyNot={whyNot}
    >
      {(close) => <CreateFlow org={org} onClose={close} />}
    </DialogButton>
  );
}

function CreateFlow({ org, onClose }: { readonly org: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [template, setTemplate] = useState(FIRST_TEMPLATE);
  const [name, setName] = useState('');
  const free = useFreeName();
  const create = useWrite(putFlow, {
    done: `Flow ‘${name}’ created`,
    onDone: () => {
      onClose();
      void navigate({ href: paths.flow(org, name) });
    },
  });
  const problems = templateProblems(problemOf(create.error)?.fields['template']);
  return (
    <Form
      submit="Create flow"
      error={free.error ?? (problems.length > 0 ? null : create.error)}
      isPending={free.isPending || create.isPending}
      onCancel={onClose}
      onSubmit={({ description = '', repo_url = '' }) =>
        free.unlessTaken(
          `Flow ‘${name}’`,
          () => client.call(getFlow, { params: { org, flow_name: name } }),
          () => create.mutate({ params: { org }, body: { name, description, repo_url, template } }),
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
        help="Letters, digits, and . - _ ~."
      />
      <Field name="description" label="Description" />
      <Field name="repo_url" label="Source URL" type="url" placeholder="https://" />
      <TemplateEditor
        label="Template (evidence required of every trail)"
        value={template}
        onChange={setTemplate}
        problems={problems}
      />
    </Form>
  );
}
