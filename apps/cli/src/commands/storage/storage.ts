import { bytesText, getStorage } from '@waymark/contract';
import { factsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';

const LEVELS = {
  ok: 'ok',
  warning: 'almost used up: ask the operator of the installation for a larger quota',
  full: 'used up: no evidence is accepted until the operator of the installation raises the quota',
} as const;

export const command = defineCommand({
  description:
    'Shows the bytes and rows of evidence that the org stores: trails, artifacts, attestations with their files, ' +
    'approvals, and snapshots. The counts lag by seconds. When a quota is used up, Waymark rejects reports with 413.',
  examples: [
    { say: 'Storage use and quota', run: 'waymark storage' },
    { say: 'In a script', run: 'waymark storage --jq .level' },
  ],
  build: (command) => command,
  async run(session) {
    const org = session.need('org');
    const storage = await session.client().call(getStorage, { params: { org }, signal: session.io.signal });
    const { bytes, rows, level } = storage;
    return {
      data: storage,
      text: (style) =>
        factsText(style.strong(org), [
          ['bytes', amountOf(bytesText(bytes.used), bytes.quota === null ? null : bytesText(bytes.quota))],
          ['rows', amountOf(countText(rows.used), rows.quota === null ? null : countText(rows.quota))],
          ['quota', bytes.quota === null && rows.quota === null ? 'none' : LEVELS[level]],
        ]),
    };
  },
});

function amountOf(used: string, quota: string | null): string {
  return quota === null ? used : `${used} of ${quota}`;
}

function countText(count: number): string {
  return count.toLocaleString('en');
}
