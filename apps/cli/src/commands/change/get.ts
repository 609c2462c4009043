import { getChangeRequest, stateLines } from '@waymark/contract';
import { rawText } from '../../resources/raw-text.ts';
import { factsText } from '../../resources/show.ts';
import { unifiedDiff } from '../../resources/unified-diff.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Shows who requested the change, and the subject before and after it.',
  examples: [{ say: 'Show a change request', run: 'waymark change get 01a1dcbd-b399-7861-b63d-0f0927550600' }],
  build: (command) => command.argument('<id>', 'id of the change request'),
  async run(session, [id]) {
    const org = session.need('org');
    const request = await session.client().call(getChangeRequest, { params: { org, id }, signal: session.io.signal });
    const { subject, before, after, state, asked_by, asked_through, ended_by, reason } = request;
    const diff = unifiedDiff(stateLines(before), stateLines(after), { before: 'before', after: 'after' });
    const by = asked_through === null ? asked_by : `${asked_by}, through ${asked_through}`;
    return {
      data: request,
      text: (style) =>
        `${factsText(style.strong(`${request.summary}: ${subject.name}`), [
          [
            'state',
            request.is_outdated
              ? `${state}; the subject has changed since, so the change must be requested again`
              : state,
          ],
          ['requested', `${showTime(request.asked_at, session)} by ${by}`],
          ['expires', showTime(request.expires_at, session)],
          [
            'ended',
            request.ended_at === null ? '' : `${showTime(request.ended_at, session)} by ${ended_by ?? 'expiry'}`,
          ],
          ['reason', reason ?? ''],
        ])}\n\n${rawText(session, diff)}`,
      page: session.pageOf(org, 'changes', id),
    };
  },
});
