import { Facts, Panel } from '../../ui/Panel.tsx';

/** A number means little without its definition. */
export function Definitions() {
  return (
    <Panel title="Definitions">
      <Facts
        rows={[
          [
            'Deployment',
            'The start of an artifact in an environment, as reported. A rollback counts as a deployment; scaling does not.',
          ],
          [
            'Lead time',
            'The time from the commit to the start in the environment. The commit time comes from the artifact report.',
          ],
          ['Median', 'Half of the lead times are shorter, half are longer.'],
          ['p90', 'Nine of ten lead times are shorter.'],
          ['Frequency', 'Deployments per day or week (UTC) to one environment, or to the members of a logical one.'],
        ]}
      />
    </Panel>
  );
}
