import { type TestResult, testTarget } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';
import { findNotification } from './find-notification.ts';
import { targetText } from './notification-text.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const command = defineCommand({
  description: 'Sends a test message immediately, without retries. Exits with 3 if a message did not arrive.',
  examples: [
    { say: 'All targets of a notification', run: 'waymark notify test production-alerts' },
    { say: 'One target', run: 'waymark notify test 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d' },
  ],
  build: (command) =>
    command.argument('<target>', 'id of a target, or name or number of a notification for all of its targets'),
  async run(session, [asked]) {
    const tests: { id: string; shown: string; result: TestResult }[] = [];
    for (const target of await targetsFor(session, asked)) {
      tests.push({ ...target, result: await test(session, target.id) });
    }
    return {
      ending: tests.every(({ result }) => result.delivered) ? 'done' : 'nonCompliant',
      data: tests.map(({ id, result }) => ({ target_id: id, ...result })),
      text: (style) => tests.map(({ shown, result }) => lineOf(shown, result, style)).join('\n'),
    };
  },
});

async function targetsFor(session: Session, asked: string): Promise<{ id: string; shown: string }[]> {
  if (UUID.test(asked)) return [{ id: asked, shown: `target ${asked}` }];
  const { targets } = await findNotification(session, asked);
  return targets.map((target) => ({ id: target.id, shown: targetText(target) }));
}

function test(session: Session, target_id: string): Promise<TestResult> {
  return session
    .client()
    .call(testTarget, { params: { org: session.need('org'), target_id }, signal: session.io.signal });
}

function lineOf(shown: string, { delivered, status, error, latency_ms }: TestResult, style: Style): string {
  const sign = delivered ? style.good('✓') : style.bad('✕');
  const came = delivered ? 'arrived' : oneLine(`did not arrive: ${error ?? 'unknown'}`);
  return `${sign} ${oneLine(shown)}: ${came}${status === null ? '' : ` (status ${status})`}, ${latency_ms} ms`;
}
