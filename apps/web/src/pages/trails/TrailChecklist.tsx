import { explainTrail, type Trail } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { Digits } from '../../ui/Copy.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ErasedTag } from '../attestations/ErasedTag.tsx';
import { typeWords } from '../attestations/summary.ts';
import { useErased } from '../attestations/use-erased.ts';
import { type Check, type CheckGroup, checklistOf, tallyOf, tallyWords } from './checklist.ts';

interface ChecklistProps {
  readonly org: string;
  readonly trail: Trail;
}

/** What the template requires, what was found, and what is missing and why. */
export function TrailChecklist({ org, trail }: ChecklistProps) {
  const params = { org, flow_name: trail.flow_name, trail_name: trail.name };
  const explanation = useRead(explainTrail, { params }, { fresh: true });
  const groups = checklistOf(trail, explanation.data);
  return (
    <Panel title="Required evidence" note={tallyWords(tallyOf(groups), 'the template requires none')} flush>
      {explanation.error && (
        <div className="px-4 pb-3">
          <Failure error={explanation.error} retry={() => void explanation.refetch()} />
        </div>
      )}
      {groups.length === 0 && (
        <Empty
          title="No evidence yet"
          command={`waymark attest junit reports/ --name unit-tests --flow ${trail.flow_name} --trail ${trail.name} --org ${org}`}
        >
          Add a template to the flow to require evidence of every trail. To report evidence, run:
        </Empty>
      )}
      {groups.map((group) => (
        <Group key={group.key} group={group} org={org} trail={trail} />
      ))}
      {trail.pending.length > 0 && <Pending org={org} trail={trail} />}
    </Panel>
  );
}

function Group({ group, org, trail }: ChecklistProps & { readonly group: CheckGroup }) {
  const fingerprint = group.artifact?.artifact_fingerprint ?? null;
  return (
    <div className="border-t border-line">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 bg-raised/60 px-4 py-2">
        <h3 className="font-semibold [overflow-wrap:anywhere]">
          {fingerprint === null ? (
            group.title
          ) : (
            <Link href={paths.artifact(org, trail.flow_name, fingerprint)}>{group.title}</Link>
          )}
        </h3>
        {fingerprint !== null && <Digits text={fingerprint} what="fingerprint" />}
        {group.artifact && <ArtifactBadge status={group.artifact.status} />}
        {group.artifact?.unexpected && <Tag>not required</Tag>}
        {fingerprint === null && group.because !== '' && <p className="w-full text-quiet">{group.because}</p>}
      </div>
      <ul>
        {group.checks.map((check) => (
          <CheckRow key={check.key} check={check} org={org} trail={trail} />
        ))}
        {group.checks.length === 0 && <li className="px-4 py-2 text-quiet">No evidence required.</li>}
      </ul>
    </div>
  );
}

function ArtifactBadge({ status }: { readonly status: string }) {
  if (status === 'MISSING') return <StateBadge state="unknown" word="Missing" />;
  if (status === 'INCOMPLETE') return <StateBadge state="unknown" word="Incomplete" />;
  return <StateBadge state={stateOf(status)} />;
}

function CheckRow({ check, org, trail }: ChecklistProps & { readonly check: Check }) {
  const erased = useErased(org);
  return (
    <li className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 border-t border-line px-4 py-2 first:border-t-0">
      <span>
        <StateBadge state={check.state} word={check.word} />
      </span>
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <div className="flex flex-wrap items-baseline gap-x-2">
          {check.attestationId === null ? (
            <span className="font-medium">{check.name}</span>
          ) : (
            <Link href={paths.trail(org, trail.flow_name, trail.name, check.attestationId)} className="font-medium">
              {check.name}
            </Link>
          )}
          <span className="text-[13px] text-quiet">{typeWords(check.type)}</span>
          {!check.isRequired && <Tag>not required</Tag>}
          <ErasedTag of={erased.get(check.attestationId ?? '')} />
          {check.since !== null && (
            <span className="text-[13px] text-quiet">
              <Time at={check.since} />
            </span>
          )}
        </div>
        {check.state !== 'compliant' && check.because !== '' && <p>{check.because}</p>}
        {check.state !== 'compliant' && check.fix !== null && <p className="text-quiet">To fix: {check.fix}</p>}
      </div>
    </li>
  );
}

function Pending({ org, trail }: ChecklistProps) {
  return (
    <div className="border-t border-line">
      <h3 className="bg-raised/60 px-4 py-2 font-semibold">About artifacts not in this trail</h3>
      <ul>
        {trail.pending.map((one) => (
          <li
            key={one.attestation_id}
            className="border-t border-line px-4 py-2 [overflow-wrap:anywhere] first:border-t-0"
          >
            <Link
              href={paths.trail(org, trail.flow_name, trail.name, one.attestation_id)}
              className="font-medium underline"
            >
              {one.attestation_name}
            </Link>{' '}
            is about ‘{one.target_artifact}’ of commit <code>{one.git_commit.slice(0, 7)}</code>
            {one.hints.map((hint) => (
              <p key={hint} className="text-quiet">
                {hint}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
