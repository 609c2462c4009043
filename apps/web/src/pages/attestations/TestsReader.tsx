import type { Attestation } from '@waymark/contract';
import { duration } from '../../lib/time.ts';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { testsOf } from './evidence.ts';
import { InMemoryPages } from './InMemoryPages.tsx';
import { PlainTable } from './PlainTable.tsx';
import { ShareBar } from './ShareBar.tsx';

const SUITES_SHOWN = 50;

export function TestsReader({ of }: { readonly of: Attestation }) {
  const tests = testsOf(of);
  if (!tests) return null;
  const { total, passed, failures, errors, skipped, failed, suites } = tests;
  return (
    <>
      <Panel title={`${total.toLocaleString('en')} tests`}>
        {of.outcome === 'no_tests' && (
          <div className="mb-3">
            <Notice kind="bad" title="No tests ran">
              {of.reasons.join(' ')} A report without tests proves nothing, so it is non-compliant. Check that the test
              step ran and wrote its report.
            </Notice>
          </div>
        )}
        <ShareBar
          label={`Of ${total} tests, ${passed} passed, ${failures} failed, ${errors} had an error, and ${skipped} were skipped.`}
          shares={[
            { name: 'passed', count: passed, tone: 'bg-good-fill' },
            { name: 'failed', count: failures, tone: 'bg-bad-fill' },
            { name: 'with an error', count: errors, tone: 'bg-bad' },
            { name: 'skipped', count: skipped, tone: 'hatch bg-unsure-fill' },
          ]}
        />
        <InMemoryPages rows={suites} perPage={SUITES_SHOWN} what="suites">
          {(rows) => (
            <PlainTable
              caption="Suites"
              head={['Suite', 'Tests', 'Failed', 'Errors', 'Skipped', 'Duration']}
              rows={rows.map((suite) => [
                suite.name || 'Unnamed',
                suite.total,
                suite.failures,
                suite.errors,
                suite.skipped,
                suite.duration < 1 ? `${Math.round(suite.duration * 1000)} ms` : duration(suite.duration),
              ])}
            />
          )}
        </InMemoryPages>
      </Panel>
      {failed.length > 0 && (
        <Panel title={`Failed tests (${failed.length === 100 ? 'the first 100' : failed.length})`}>
          <ul className="space-y-3">
            {failed.map(({ suite, test, message }, place) => (
              <li key={place}>
                <p className="font-medium [overflow-wrap:anywhere]">{test}</p>
                <p className="text-[13px] text-quiet">{suite}</p>
                {message !== '' && (
                  <pre className="mt-1 overflow-x-auto rounded bg-raised p-2 text-[12.5px] whitespace-pre-wrap [overflow-wrap:anywhere]">
                    {message}
                  </pre>
                )}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}
