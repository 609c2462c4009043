import { CircleCheck, CircleDashed } from 'lucide-react';
import { serviceUrl } from '../../lib/base-path.ts';
import { CopyButton } from '../../ui/Copy.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { type Has, stepsOf } from './first-steps.ts';

/** First steps, for an org with little in it. */
export function FirstSteps({ org, has }: { readonly org: string; readonly has: Has }) {
  const steps = stepsOf(serviceUrl(), org, has);
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Panel title="First steps" note={`${done} of ${steps.length} done`}>
      <ol className="space-y-5">
        {steps.map(({ title, why, command, isDone }, place) => (
          <li key={title} className="flex gap-3">
            {isDone ? (
              <CircleCheck size={18} aria-hidden className="mt-0.5 shrink-0 text-good" />
            ) : (
              <CircleDashed size={18} aria-hidden className="mt-0.5 shrink-0 text-quiet" />
            )}
            <div className="min-w-0 flex-1">
              <h3 className="font-semibold">
                {`${place + 1}. ${title}`}
                {isDone && <span className="ml-2 text-[12.5px] font-normal text-good">done</span>}
              </h3>
              <p className="text-quiet">{why}</p>
              {!isDone && (
                <div className="mt-2 flex max-w-3xl items-start gap-2 rounded-md border border-line bg-raised p-3">
                  <pre className="min-w-0 flex-1 overflow-x-auto whitespace-pre-wrap">{command}</pre>
                  <CopyButton text={command} what={`command to ${title.toLowerCase()}`} />
                </div>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
