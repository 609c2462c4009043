import { createOrganization } from '@waymark/contract';
import { leaveFor, withBase } from '../lib/base-path.ts';
import { useWrite } from '../lib/queries.ts';
import { Field } from '../ui/Fields.tsx';
import { Form } from '../ui/Form.tsx';
import { Panel } from '../ui/Panel.tsx';

export function FirstOrg() {
  const create = useWrite(createOrganization, {
    done: 'Org created',
    onDone: () => leaveFor('/'),
  });
  return (
    <Panel title="No org yet">
      <p className="mb-4 text-quiet">
        Ask a colleague for an invitation, check <a href={withBase('/account')}>your account</a> for a pending one, or
        create an org.
      </p>
      <Form
        submit="Create org"
        error={create.error}
        isPending={create.isPending}
        onSubmit={({ name = '' }) => create.mutate({ body: { name } })}
      >
        <Field name="name" label="Org name" isRequired help="Letters, digits, and dashes. It is part of every URL" />
      </Form>
    </Panel>
  );
}
