import { openSpool } from './spool.ts';

/** A process that appends until it is killed, and prints the id of each acknowledged entry. */
const [directory = '', writer = ''] = process.argv.slice(2);
const spool = openSpool(directory);
for (let i = 0; ; i++) {
  const { id } = await spool.append({
    operation: 'attestJunit',
    params: { org: 'acme', flow_name: 'web', trail_name: writer },
    body: { writer, i },
    file: { name: 'junit.xml', content: Buffer.alloc(i * 100, 'x') },
    claimedAt: new Date(),
    line: `acme/web/${i % 3}`,
    host: 'https://waymark.test',
    org: 'acme',
  });
  process.stdout.write(`${id}\n`);
}
