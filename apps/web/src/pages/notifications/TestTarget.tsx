import { type NotificationTarget, type TestResult, testTarget } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { problemOf, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { Notice } from '../../ui/Panel.tsx';

/** Sends a real message, and shows the result at once. */
export function useTest(target: NotificationTarget) {
  const org = useOrg();
  const write = useWrite(testTarget);
  return {
    button: (whyNot: string | undefined) => (
      <Button
        isDisabled={write.isPending}
        whyNot={whyNot}
        onPress={() => write.mutate({ params: { org, target_id: target.id } })}
      >
        {write.isPending ? 'Sending …' : 'Send a test'}
      </Button>
    ),
    result: write.error ? (
      <Notice kind="bad" announce title="The test was not sent">
        {problemOf(write.error)?.message}
      </Notice>
    ) : (
      write.data && <Result org={org} of={write.data} />
    ),
  };
}

function Result({ org, of }: { readonly org: string; readonly of: TestResult }) {
  const [delivery] = of.delivery_ids;
  const answer = of.status === null ? '' : `It answered with status ${of.status}. `;
  return (
    <Notice
      kind={of.delivered ? 'good' : 'bad'}
      title={
        of.delivered ? `The test arrived, after ${of.latency_ms} ms` : `The test did not arrive (${of.latency_ms} ms)`
      }
    >
      {answer}
      {of.error !== null && `${of.error}. `}
      {delivery !== undefined && (
        <Link href={paths.delivery(org, delivery)} className="underline">
          Look at the delivery
        </Link>
      )}
    </Notice>
  );
}
