import { type Flow, getTrail, putFlow } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { problemOf, useWrite } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { useReads } from '../../lib/use-reads.ts';
import { CopyButton } from '../../ui/Copy.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { FlowHead, useFlow } from './FlowHead.tsx';
import { useLatestTrails } from './LatestTrails.tsx';
import { TemplateEditor } from './TemplateEditor.tsx';
import { templateProblems, templateText } from './template-problems.ts';

const TRAILS_ASKED = 10;

export function FlowTemplatePage() {
  const org = useOrg();
  const name = useParam('flow');
  const { data } = useFlow();
  return (
    <>
      <FlowHead />
      {data && (
        <div className="space-y-4">
          <Template org={org} flow={data} />
          <WhoHasIt org={org} name={name} flow={data} />
        </div>
      )}
    </>
  );
}

function Template({ org, flow }: { readonly org: string; readonly flow: Flow }) {
  const whyNot = useWhyNot('record_evidence');
  const text = templateText(flow.template);
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <Panel
      title="Template"
      note={
        <>
          Evidence required of every new trail. Last change <Time at={flow.last_modified_at} />
        </>
      }
      actions={
        <>
          <CopyButton text={text} what="template" label="Copy" />
          <DialogButton label="Edit" title={`Template of ${flow.name}`} wide whyNot={whyNot}>
            {(close) => <EditTemplate org={org} flow={flow} onClose={close} />}
          </DialogButton>
        </>
      }
    >
      {Array.isArray(flow.template) && (
        <div className="mb-3">
          <Notice kind="info">
            This template uses the older format, a list of names. It still works; YAML supports more, such as types.
          </Notice>
        </div>
      )}
      <div className="relative overflow-x-auto rounded-md border border-line bg-raised">
        <table className="border-collapse font-mono text-[13px] leading-5">
          <caption className="sr-only">Template, line by line</caption>
          <tbody>
            {lines.map((line, index) => (
              <tr key={index}>
                <th scope="row" className="border-r border-line px-2 text-right font-normal text-quiet select-none">
                  {index + 1}
                </th>
                <td className="px-3 whitespace-pre">{line || ' '}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function EditTemplate({
  org,
  flow,
  onClose,
}: {
  readonly org: string;
  readonly flow: Flow;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(templateText(flow.template));
  const put = useWrite(putFlow, { done: 'Template saved. It applies to new trails.', onDone: onClose });
  const problems = templateProblems(problemOf(put.error)?.fields['template']);
  return (
    <Form
      submit="Save template"
      error={problems.length > 0 ? null : put.error}
      isPending={put.isPending}
      onCancel={onClose}
      onSubmit={() => put.mutate({ params: { org }, body: { name: flow.name, template: text } })}
    >
      <p className="text-quiet">Existing trails keep the template they started with. Only new trails use this one.</p>
      <TemplateEditor label="Template" value={text} onChange={setText} problems={problems} />
    </Form>
  );
}

/**
 * Templates have no versions: a trail has the text it began with. So the page shows which of the last trails have this
 * one.
 */
function WhoHasIt({ org, name, flow }: { readonly org: string; readonly name: string; readonly flow: Flow }) {
  const newest = (useLatestTrails(org, name).trails ?? []).slice(0, TRAILS_ASKED);
  const reads = useReads(
    getTrail,
    newest.map((trail) => ({ params: { org, flow_name: name, trail_name: trail.name } })),
  );
  const trails = reads.answers.filter((trail) => trail !== undefined);
  const current = templateText(flow.template);
  const others = trails.filter(({ template }) => templateText(template.content) !== current);
  if (trails.length === 0 || reads.isPending) return null;
  return (
    <Panel title="Trails with this template">
      <p>
        {`${trails.length - others.length} of the last ${trails.length} trails started with this template.`}
        {others.length > 0 && ' These started with a different template, and are evaluated by it:'}
      </p>
      {others.length > 0 && (
        <ul className="mt-1 list-inside list-disc">
          {others.map((trail) => (
            <li key={trail.name}>
              <Link href={paths.trail(org, name, trail.name)} className="underline">
                {trail.name}
              </Link>{' '}
              <span className="text-quiet">
                started <Time at={trail.created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
