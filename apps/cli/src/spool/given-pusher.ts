import { openSpool } from './spool.ts';

/** A process that pushes to an address until it is done or killed. */
const [directory = '', url = ''] = process.argv.slice(2);
await openSpool(directory).push(async (entry) => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(entry.body) });
  await response.text();
  return { kind: 'recorded' };
});
