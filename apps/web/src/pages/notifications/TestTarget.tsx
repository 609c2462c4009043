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
        {write.isPending ? 'Sending …' : 'Send test'}
      </Button>
    ),
    result: write.error ? (
      <Notice kind="bad" announce title="Couldn’t send the test">
        {problemOf(write.error)?.message}
      </Notice>
    ) : (
      write.data && <Result org={org} of={write.data} />
    ),
  };
}

function Result({ org, of }: { readonly org: string; readonly of: TestResult }) {
  const [delivery] = of.delivery_ids;
  const answer = of.status === null ? '' : `The receiver responded with status ${of.status}. `;
  return (
    <Notice
      kind={of.delivered ? 'good' : 'bad'}
      title={of.delivered ? `Test delivered in ${of.latency_ms} ms` : `Test not delivered (${of.latency_ms} ms)`}
    >
      {answer}
      {of.error !== null && `${of.error}. `}
      {delivery !== undefined && (
        <Link href={paths.delivery(org, delivery)} className="underline">
          Show delivery
        </Link>
      )}
    </Notice>
  );
}
