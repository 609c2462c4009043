import type { PolicyProblem } from '@waymark/contract';
import { CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import { YamlEditor } from '../../editor/YamlEditor.tsx';
import { Button } from '../../ui/Button.tsx';
import { Failure } from '../../ui/States.tsx';
import { usePolicyCheck, usePolicyKnowledge } from './policy-knowledge.ts';

type Place = Pick<PolicyProblem, 'line' | 'column'>;

/** The editor of a policy, with errors marked at their lines and listed below. */
export function PolicyEditor({
  org,
  label,
  value,
  onChange,
}: {
  readonly org: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const knowledge = usePolicyKnowledge(org);
  const { problems, error, checkAgain } = usePolicyCheck(org, value);
  const [cursor, setCursor] = useState<Place>();
  return (
    <div className="space-y-2">
      <YamlEditor
        label={label}
        value={value}
        onChange={onChange}
        {...(problems && { problems })}
        {...knowledge}
        cursor={cursor}
      />
      <div aria-live="polite" className="text-[13px]">
        {!error && <ProblemList problems={problems} onPlace={setCursor} />}
      </div>
      {error && <Failure error={error} retry={checkAgain} />}
    </div>
  );
}

function ProblemList({
  problems,
  onPlace,
}: {
  readonly problems: readonly PolicyProblem[] | undefined;
  readonly onPlace: (place: Place) => void;
}) {
  if (problems === undefined) return <p className="text-quiet">Checking …</p>;
  if (problems.length === 0)
    return (
      <p className="flex items-center gap-1.5 text-good">
        <CircleCheck size={14} aria-hidden /> Valid policy
      </p>
    );
  return (
    <>
      <p className="flex items-center gap-1.5 text-bad">
        <CircleX size={14} aria-hidden /> {problems.length === 1 ? '1 problem' : `${problems.length} problems`}; fix
        before saving
      </p>
      <ul>
        {problems.map(({ line, column, message }) => (
          <li key={`${line}:${column} ${message}`} className="flex items-baseline gap-1.5">
            <Button variant="quiet" className="!px-1 !py-0 text-accent" onPress={() => onPlace({ line, column })}>
              Line {line}
            </Button>
            <span className="min-w-0 [overflow-wrap:anywhere]">{message}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
