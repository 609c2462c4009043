import { getEnvironmentReport, MAX_REPORT_DAYS } from '@waymark/contract';
import { Download, ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import { withBase } from '../../../lib/base-path.ts';
import { client } from '../../../lib/client.ts';
import { useNow } from '../../../lib/now.ts';
import { useOrg, useSearchState } from '../../../lib/route.ts';
import { saveAs } from '../../../lib/save-as.ts';
import { Button } from '../../../ui/Button.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Failure } from '../../../ui/States.tsx';
import { EnvironmentBox } from '../../environments/EnvironmentBox.tsx';
import { environmentReport } from './addresses.ts';
import { periodOf } from './period.ts';

const Search = z.object({
  env: z.string().optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
});

/** The printable report of an environment over some days. */
export function PeriodReport() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const period = periodOf(search.from, search.to, useNow());
  const { env } = search;
  return (
    <Panel title="Environment report" note="Compliance, runs, provenance, and violations with reasons.">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <EnvironmentBox
          label="Environment"
          placeholder="Choose an environment"
          value={env}
          onPick={(name) => change({ env: name })}
        />
        <DayInput label="From" value={period.fromDay} onChange={(from) => change({ from })} />
        <DayInput label="To (inclusive)" value={period.toDay} onChange={(to) => change({ to })} />
      </div>
      <p className="mt-2 text-[13px] text-quiet">
        Dates are in UTC, at most {MAX_REPORT_DAYS} days. Logical environments have no report: choose one of their
        members.
      </p>
      <div className="mt-3">
        {period.fault !== undefined ? (
          <p className="text-bad">{period.fault}</p>
        ) : env === undefined ? (
          <p className="text-quiet">Choose an environment to see its report.</p>
        ) : (
          <Take org={org} env={env} {...period} />
        )}
      </div>
    </Panel>
  );
}

interface TakeProps {
  readonly org: string;
  readonly env: string;
  readonly from: number;
  readonly to: number;
  readonly fromDay: string;
  readonly toDay: string;
}

function Take({ org, env, from, to, fromDay, toDay }: TakeProps) {
  const pdf = usePdf({ org, env, from, to, fromDay, toDay });
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-3 no-print">
        <a
          href={withBase(environmentReport(org, env, from, to))}
          target="_blank"
          rel="noreferrer noopener"
          className="inline-flex items-center gap-1.5 rounded-md border border-accent bg-accent px-3 py-1.5 text-[13px] font-medium text-on-accent no-underline hover:no-underline hover:opacity-90"
        >
          <ExternalLink size={14} aria-hidden /> Open report
        </a>
        <Button isDisabled={pdf.isPending} onPress={pdf.save}>
          <Download size={14} aria-hidden /> {pdf.isPending ? 'Creating PDF …' : 'Download PDF'}
        </Button>
      </div>
      {pdf.error && <Failure error={pdf.error} />}
    </div>
  );
}

/** Not a plain link: an installation without Chromium refuses, and this page shows the reason. */
function usePdf({ org, env, from, to, fromDay, toDay }: TakeProps) {
  const name = `${env}-${fromDay}-${toDay}.pdf`;
  const [asked, setAsked] = useState<{
    readonly name: string;
    readonly error: Error | null;
    readonly isPending: boolean;
  }>();
  const save = async () => {
    setAsked({ name, error: null, isPending: true });
    try {
      const answer = await client.download(getEnvironmentReport, {
        params: { org, env_name: env },
        query: { from, to, format: 'pdf' },
      });
      saveAs(await answer.blob(), name);
      setAsked(undefined);
    } catch (thrown) {
      setAsked({ name, error: thrown instanceof Error ? thrown : new Error(String(thrown)), isPending: false });
    }
  };
  // The result for one period does not apply to another.
  const isOfThis = asked?.name === name;
  return { save: () => void save(), isPending: isOfThis && asked.isPending, error: isOfThis ? asked.error : null };
}
