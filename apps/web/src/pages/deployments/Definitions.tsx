import { Facts, Panel } from '../../ui/Panel.tsx';

/** A number means little without its definition. */
export function Definitions() {
  return (
    <Panel title="What the words mean">
      <Facts
        rows={[
          [
            'Deployment',
            'An artifact starts to run in an environment, as its reporter told. A roll-back is one, too; more instances of what runs already are none.',
          ],
          [
            'Lead time',
            'From the time of the commit to the start in the environment. The time is what the reporter of the artifact sent with the commit.',
          ],
          ['Median', 'Half of the lead times are shorter, half are longer.'],
          ['p90', 'Nine of ten lead times are shorter.'],
          [
            'Frequency',
            'Deployments in each day or week of UTC, of one environment or, of a logical one, of its members.',
          ],
        ]}
      />
    </Panel>
  );
}
