import { createOrganization } from '@waymark/contract';
import { leaveFor, withBase } from '../lib/base-path.ts';
import { useWrite } from '../lib/queries.ts';
import { Field } from '../ui/Fields.tsx';
import { Form } from '../ui/Form.tsx';
import { Panel } from '../ui/Panel.tsx';

export function FirstOrg() {
  const create = useWrite(createOrganization, {
    done: 'The org is there',
    onDone: () => leaveFor('/'),
  });
  return (
    <Panel title="You are in no org yet">
      <p className="mb-4 text-quiet">
        Ask a colleague to invite you, look at <a href={withBase('/account')}>your account</a> for an invitation that
        waits, or create an org.
      </p>
      <Form
        submit="Create the org"
        error={create.error}
        isPending={create.isPending}
        onSubmit={({ name = '' }) => create.mutate({ body: { name } })}
      >
        <Field
          name="name"
          label="Name of the org"
          isRequired
          help="Letters, digits and dashes; it is part of every address"
        />
      </Form>
    </Panel>
  );
}
