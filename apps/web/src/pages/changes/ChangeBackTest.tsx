import { getPolicy } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { BackTestResult } from '../policies/BackTestResult.tsx';
import { BackTestSettings } from '../policies/BackTestSettings.tsx';
import { useBackTest } from '../policies/use-back-test.ts';

/** Which verdicts of the past the new version of a policy would have changed. */
export function ChangeBackTest({
  org,
  name,
  text,
  isNew,
}: {
  readonly org: string;
  readonly name: string;
  readonly text: string;
  /** Then there is no policy to replace. */
  readonly isNew: boolean;
}) {
  const { data } = useRead(getPolicy, { params: { org, name } }, { fresh: true, enabled: !isNew });
  const test = useBackTest(org);
  const policy = data?.archived ? undefined : data;
  return (
    <>
      <BackTestSettings org={org} name={name} policy={policy} text={text} test={test} />
      <BackTestResult org={org} text={text} test={test} />
    </>
  );
}
