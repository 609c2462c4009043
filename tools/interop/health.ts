import type { Step } from './step.ts';

export function health(): Step[] {
  const nobody = { KOSLI_HOST: 'http://127.0.0.1:9' };
  return [
    { args: ['status'], exit: 0, prints: [/^OK$/m] },
    { args: ['assert', 'status'], exit: 0, prints: [/^OK$/m] },
    { args: ['assert', 'status'], env: nobody, exit: 1, prints: ['Error:'] },
  ];
}
