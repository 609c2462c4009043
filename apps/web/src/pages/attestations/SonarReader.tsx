import type { Attestation } from '@waymark/contract';
import { OutsideLink } from '../../ui/Link.tsx';
import { Facts, Panel } from '../../ui/Panel.tsx';
import { sonarOf } from './evidence.ts';
import { PlainTable } from './PlainTable.tsx';

export function SonarReader({ of }: { readonly of: Attestation }) {
  const sonar = sonarOf(of);
  if (!sonar) return null;
  const { qualityGate, project, revision, branch, analysedAt } = sonar;
  const conditions = qualityGate?.conditions ?? [];
  return (
    <Panel title="Quality gate">
      <Facts
        rows={[
          ['Status', qualityGate ? qualityGate.status : 'No quality gate reported'],
          [
            'Project',
            project && (project.url ? <OutsideLink href={project.url}>{project.key}</OutsideLink> : project.key),
          ],
          ['Branch', branch?.name],
          ['Revision', revision && <code>{revision}</code>],
          ['Analyzed', typeof analysedAt === 'string' ? analysedAt : undefined],
        ]}
      />
      {conditions.length > 0 && (
        <div className="mt-3">
          <PlainTable
            caption="Conditions of the quality gate"
            head={['Condition', 'Status', 'Value', 'Threshold']}
            rows={conditions.map(({ metric, metricKey, status, value, operator, errorThreshold }) => [
              metric ?? metricKey ?? 'Unnamed',
              status,
              value || '–',
              [operator, errorThreshold].filter(Boolean).join(' ') || '–',
            ])}
          />
        </div>
      )}
    </Panel>
  );
}
