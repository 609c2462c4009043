import { type FindingLevel, type Organization, putFindingsThreshold } from '@waymark/contract';
import { useState } from 'react';
import { useWrite } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Fields.tsx';
import { Panel } from '../../../ui/Panel.tsx';

const LEVELS: readonly { readonly id: FindingLevel; readonly label: string }[] = [
  { id: 'error', label: 'error (critical and high severity)' },
  { id: 'warning', label: 'warning (medium severity and above)' },
  { id: 'note', label: 'note (any finding)' },
];

export function FindingsThreshold({ org }: { readonly org: Organization }) {
  const whyNot = useWhyNot('manage_org');
  const [level, setLevel] = useState<FindingLevel>(org.findings_fail_at);
  const write = useWrite(putFindingsThreshold, {
    done: ({ fails_at }) => `Findings fail at level ${fails_at}`,
  });
  return (
    <Panel title="Scan findings" note={`Fail at ${org.findings_fail_at}`}>
      <p className="mb-3 text-quiet">
        Scan results with a finding of this level or worse are non-compliant. Flow templates and reporters can be
        stricter, but not more lenient. Evidence that is already recorded keeps its verdict.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Findings fail at"
          choices={LEVELS}
          value={level}
          onChange={(id) => setLevel(LEVELS.find((one) => one.id === id)?.id ?? level)}
        />
        <Button
          whyNot={whyNot}
          isDisabled={write.isPending || level === org.findings_fail_at}
          onPress={() => write.mutate({ params: { org: org.name }, body: { fails_at: level } })}
        >
          Save level
        </Button>
      </div>
      {write.error && <p className="mt-2 text-bad">{write.error.message}</p>}
    </Panel>
  );
}
