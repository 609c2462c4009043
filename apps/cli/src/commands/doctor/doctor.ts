import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';
import { type Check, failed, skipped } from './check.ts';
import { checkAddress, notTried } from './check-address.ts';
import { checkCi, checkFiles, checkSpool } from './check-machine.ts';
import { checkService } from './check-service.ts';
import { checkSignIn } from './check-sign-in.ts';

export const command = defineCommand({
  description:
    'Checks the connection to the service step by step, the sign-in, the build, and this machine. Changes nothing. ' +
    'Exits with 7 if the service cannot be reached, 4 if it does not accept your sign-in, and 2 for any other ' +
    'failure.',
  examples: [
    { say: 'Find the cause of a problem', run: 'waymark doctor' },
    { say: 'For a bug report', run: 'waymark doctor -o markdown' },
  ],
  build: (command) => command,
  async run(session) {
    const checks = await allChecks(session);
    const failures = checks.filter(({ status }) => status === 'failed');
    return {
      ending: failures[0]?.ending ?? 'done',
      data: checks.map(({ ending, ...check }) => check),
      rows: rowsOf({
        items: checks,
        columns: [
          { title: 'state', of: ({ status }) => status.toUpperCase(), format: formatStatus },
          { title: 'check', of: ({ name }) => name },
          { title: 'result', of: ({ found }) => found },
          { title: 'fix', of: ({ fix }) => fix, wide: true },
        ],
        name: ({ name, status }) => `${name} ${status}`,
        none: '',
      }),
      text: (style) => summaryOf(checks, style),
    };
  },
});

async function allChecks(session: Session): Promise<Check[]> {
  return [...(await serviceChecks(session)), ...checkCi(session), await checkSpool(session), ...checkFiles(session)];
}

async function serviceChecks(session: Session): Promise<Check[]> {
  const { host } = session.settings;
  const steps = ['http', 'service', 'clock', 'sign-in', 'org'];
  if (host === undefined) {
    const fix = "Set --host, WAYMARK_HOST, or 'host' in .waymark.yml";
    return [
      failed('address', 'usage', 'The host of the service is not set', fix),
      ...['proxy', 'name', 'connection', 'certificate', ...steps].map((name) => skipped(name, 'No host')),
    ];
  }
  const address = await checkAddress(session, host);
  const isCut = address.some(({ status, ending }) => status === 'failed' && ending === 'unavailable');
  if (isCut) return [...address, ...notTried(...steps)];
  const service = await checkService(session, host);
  if (service.some(({ name, status }) => name !== 'clock' && status === 'failed')) {
    return [...address, ...service, ...notTried('sign-in', 'org')];
  }
  return [...address, ...service, ...(await checkSignIn(session))];
}

const SIGNS = {
  PASSED: ['✓', 'good'],
  WARNED: ['!', 'doubtful'],
  FAILED: ['✕', 'bad'],
  SKIPPED: ['-', 'faint'],
} as const;

function formatStatus(text: string, _: Check, style: Style): string {
  const [sign, tone] = SIGNS[text as keyof typeof SIGNS];
  return style[tone](`${sign} ${text}`);
}

function summaryOf(checks: readonly Check[], style: Style): string {
  const listed = (title: string, wanted: Check['status']) => {
    const lines = checks
      .filter(({ status }) => status === wanted)
      .map(({ name, fix }) => `  ${style.strong(name)}: ${oneLine(fix ?? '')}`);
    return lines.length === 0 ? [] : ['', title, ...lines];
  };
  const lines = [...listed('To fix:', 'failed'), ...listed('Warnings:', 'warned')];
  return lines.length === 0 ? '\nNo problems found.' : lines.join('\n');
}
