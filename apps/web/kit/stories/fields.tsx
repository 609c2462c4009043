import { ApiError } from '@waymark/client';
import { exportFlows } from '@waymark/contract';
import { useState } from 'react';
import { ColumnsMenu } from '../../src/ui/ColumnsMenu.tsx';
import { DayInput } from '../../src/ui/DayInput.tsx';
import { ExportButtons } from '../../src/ui/ExportButtons.tsx';
import { Checkbox, Field, SearchBox, Select } from '../../src/ui/Fields.tsx';
import { Form } from '../../src/ui/Form.tsx';
import { NameBox } from '../../src/ui/NameBox.tsx';
import { NameList } from '../../src/ui/NameList.tsx';
import { RangePicker } from '../../src/ui/RangePicker.tsx';
import { TagFilter } from '../../src/ui/TagFilter.tsx';
import { ORG, type Story } from '../story.ts';

const NAMES = ['prod-release', 'baseline'];
const COLUMNS = [
  { key: 'policies', title: 'Policies', isShown: true },
  { key: 'owner', title: 'Owner', isShown: false },
];
const nothing = () => undefined;

const REFUSED = [
  new ApiError(
    400,
    'Invalid field \'name\': "no spaces"',
    { name: 'has a space', owner: 'does not exist' },
    'request-7',
  ),
  new Error('The service cannot be reached'),
];

function Names() {
  const [name, setName] = useState<string>();
  return <NameBox label="Policy" what="policies" value={name} names={NAMES} onType={nothing} onPick={setName} />;
}

export const fieldStories: readonly Story[] = [
  {
    of: 'Fields',
    show: () => (
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Name" name="name" help="Letters, digits, and hyphens" placeholder="production" />
        <Field label="Reason" name="reason" lines={3} defaultValue="Never called" isRequired />
        <Field label="Expires" name="expires" type="date" defaultValue="2026-12-01" />
        <Select label="Role" choices={[{ id: 'admin', label: 'Admin' }]} value="admin" onChange={nothing} />
        <Select label="Not offered" choices={[]} value="gone" onChange={nothing} />
        <SearchBox label="Filter by name" value="" onChange={nothing} />
        <Checkbox>Include archived</Checkbox>
        <Checkbox defaultSelected>Include expired</Checkbox>
        <Checkbox isDisabled>Not offered</Checkbox>
      </div>
    ),
  },
  {
    of: 'Form',
    show: () => (
      <div className="grid gap-6 sm:grid-cols-3">
        {[null, ...REFUSED].map((error) => (
          <Form
            key={error?.message ?? ''}
            onSubmit={nothing}
            error={error}
            isPending={false}
            submit="Create environment"
            onCancel={nothing}
          >
            <Field label="Name" name="name" defaultValue="no spaces" />
          </Form>
        ))}
        <Form onSubmit={nothing} error={null} isPending submit="Send invitation" danger />
        <Form onSubmit={nothing} error={null} isPending={false} submit="Save" whyNot="Requires the admin role" />
      </div>
    ),
  },
  {
    of: 'DayInput',
    show: () => (
      <div className="flex flex-wrap gap-4">
        <DayInput label="From" value="2026-10-01" onChange={nothing} clear="Clear" />
        <DayInput label="To" value={undefined} onChange={nothing} />
      </div>
    ),
  },
  {
    of: 'RangePicker',
    show: () => (
      <div className="space-y-3">
        <RangePicker from={undefined} to={undefined} unset="Any time" onChange={nothing} />
        <RangePicker from="2026-09-01" to="2026-09-30" unset="Any time" onChange={nothing} />
      </div>
    ),
  },
  {
    of: 'ColumnsMenu',
    show: () => <ColumnsMenu of={{ choices: COLUMNS, toggle: nothing }} />,
  },
  {
    of: 'ExportButtons',
    show: () => (
      <div className="flex gap-6">
        <ExportButtons of={exportFlows} input={{ params: { org: ORG }, query: {} }} name="flows" />
        <ExportButtons
          of={exportFlows}
          input={{ params: { org: ORG }, query: {} }}
          name="flows"
          whyNot="Narrow the filters"
        />
      </div>
    ),
  },
  { of: 'TagFilter', show: () => <TagFilter value="owner:platform" onChange={nothing} /> },
  { of: 'NameBox', show: Names },
  {
    of: 'NameList',
    show: () => (
      <NameList
        label="Policy, loaded"
        what="policies"
        value="prod-release"
        names={NAMES}
        text="prod-release"
        onType={nothing}
        onText={nothing}
        onPick={nothing}
        onDone={nothing}
        marked={{ current: undefined }}
      />
    ),
  },
];
